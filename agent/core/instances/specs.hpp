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

/// The specs that this node received. Each is sent once, and a start names it by task and digest.
/// When there are too many, unused specs are dropped: the coordinator sends them again on request.
class Specs {
public:
    using Key = std::pair<std::string, Digest>;

    /// An instance may run one version and wait for another.
    static constexpr std::size_t bound = 2 * limits::instances_per_node;

    /// Keeps a valid spec whose fields this agent all knows. If there is no room, all keys but
    /// `used` are dropped.
    [[nodiscard]] Result<void> learn(const SpecVersion& version, const std::set<Key>& used);
    [[nodiscard]] bool full() const { return specs_.size() >= bound; }

    /// Nothing if the spec was never sent, or was dropped.
    [[nodiscard]] const TaskSpec* find(const std::string& task, Digest digest) const;

private:
    std::map<Key, TaskSpec> specs_;
};

}  // namespace muster::agent
