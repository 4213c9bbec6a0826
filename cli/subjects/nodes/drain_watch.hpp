#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/messages/operator/nodes.hpp"

namespace muster::cli {

/// The changes of one node's drain between two looks at it.
struct DrainNews {
    std::vector<InstanceId> left{};        ///< They ran there at the last look.
    std::vector<DrainBlocker> blockers{};  ///< New, or blocked by something else than before.
    /// The first blocker that can stay for ever, if nothing bounds the drain; told once.
    std::optional<DrainBlocker> endless{};
};

/// Compares what is seen of a node that is being drained.
class DrainWatch {
public:
    [[nodiscard]] DrainNews look(const NodeShowReply& seen);

private:
    std::set<InstanceId> there_;
    std::map<std::string, std::string> codes_;  // Of blockers, by instance.
    bool is_warned_ = false;
};

/// Nothing that muster does by itself ends it: new nodes, other constraints or an operator do.
[[nodiscard]] bool can_stay_for_ever(const DrainBlocker& blocker);

}  // namespace muster::cli
