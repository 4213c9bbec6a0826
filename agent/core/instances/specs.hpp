#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/limits.hpp"
#include "common/base/result.hpp"
#include "common/messages/message.hpp"
#include "common/spec/spec.hpp"

namespace muster::agent {

/// The specs this node was sent. Each travels once; a start names it by task and digest. When there
/// are too many, those that nothing runs are forgotten: the coordinator sends them again if asked.
class Specs {
public:
    using Key = std::pair<std::string, Digest>;

    /// An instance may run one version and wait for another.
    static constexpr std::size_t bound = 2 * limits::instances_per_node;

    /// Keeps a sound spec of which this agent knows every field. `used` are the keys that must
    /// stay, should there be no room.
    [[nodiscard]] Result<void> learn(const SpecVersion& version, const std::set<Key>& used);
    [[nodiscard]] bool full() const { return specs_.size() >= bound; }

    /// Nothing if it was never sent, or forgotten.
    [[nodiscard]] const TaskSpec* find(const std::string& task, Digest digest) const;

private:
    std::map<Key, TaskSpec> specs_;
};

}  // namespace muster::agent
