#pragma once

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator/intents.hpp"
#include "coordinator/core/ledger/change.hpp"
#include "coordinator/core/membership/fleet.hpp"

namespace muster::coordinator {

/// Pure functions that compute the change of a request to the intents of nodes. A request is
/// checked as a whole against the proposed rows, and then applied completely or not at all.
[[nodiscard]] Result<Answered> change_of(const NodeOfflineRequest& request, const FleetView& fleet);
[[nodiscard]] Result<Answered> change_of(const NodeOnlineRequest& request, const FleetView& fleet);
[[nodiscard]] Result<Answered> change_of(const NodeDrainRequest& request, const FleetView& fleet);
[[nodiscard]] Result<Answered> change_of(const NodeAddRequest& request, const FleetView& fleet);
[[nodiscard]] Result<Answered> change_of(const NodeRemoveRequest& request, const FleetView& fleet);
[[nodiscard]] Result<Answered> change_of(const NodeApplyRequest& request, const FleetView& fleet);

/// Any of these requests.
template <class Request>
concept ChangesIntents = requires(const Request& request, const FleetView& fleet) {
    change_of(request, fleet);
};

}  // namespace muster::coordinator
