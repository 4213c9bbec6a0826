#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "common/base/ids.hpp"

namespace muster::agent {

/// The files that shims write of what tasks print (agent/shim/log_file.hpp), as far as they outlive
/// their instances: of instances that are no more, the files of the last so many stay.
class Outputs {
public:
    explicit Outputs(std::size_t ended_kept) : ended_kept_{ended_kept} {}

    /// What an earlier life left in the directory has ended, until it begins or is found to run.
    void open(const std::string& directory);

    /// A process of the instance writes from now on.
    void begins(const InstanceId& id) { std::erase(ended_, to_string(id)); }
    /// The instance is no more: its files stay until so many others have ended after it.
    void ended(const InstanceId& id);

private:
    void remove(const std::string& instance) const;

    std::size_t ended_kept_;
    std::string path_;
    std::deque<std::string> ended_;  // Instances without a process, in the order of their end.
};

}  // namespace muster::agent
