#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/messages/operator/nodes.hpp"

namespace muster::cli {

/// The changes of one node's drain between two queries.
struct DrainChanges {
    std::vector<InstanceId> left{};        ///< They ran there at the last query.
    std::vector<DrainBlocker> blockers{};  ///< New, or with another reason than before.
    /// The first blocker that may stay forever, if the drain has no deadline; reported once.
    std::optional<DrainBlocker> endless{};
};

/// Compares successive states of a draining node.
class DrainWatch {
public:
    [[nodiscard]] DrainChanges update(const NodeShowReply& seen);

private:
    std::set<InstanceId> there_;
    std::map<std::string, std::string> codes_;  // The codes of blockers, by instance.
    bool is_warned_ = false;
};

/// Nothing that muster does by itself ends it: only new nodes, other constraints or an operator do.
[[nodiscard]] bool can_stay_for_ever(const DrainBlocker& blocker);

}  // namespace muster::cli
