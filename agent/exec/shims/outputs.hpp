#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "common/base/ids.hpp"

namespace muster::agent {

/// The output files of tasks (agent/shim/log_file.hpp) after their instances have ended. The files
/// of the latest `ended_kept` ended instances stay.
class Outputs {
public:
    explicit Outputs(std::size_t ended_kept) : ended_kept_{ended_kept} {}

    /// Counts every instance in the directory as ended, until it begins or is found running.
    void open(const std::string& directory);

    /// A process of the instance writes from now on.
    void begins(const InstanceId& id) { std::erase(ended_, to_string(id)); }
    /// The instance is gone. Its files stay until `ended_kept` others have ended after it.
    void ended(const InstanceId& id);

private:
    void remove(const std::string& instance) const;

    std::size_t ended_kept_;
    std::string path_;
    std::deque<std::string> ended_;  // Instances without a process, in the order of their end.
};

}  // namespace muster::agent
