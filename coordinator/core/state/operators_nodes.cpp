#include <utility>

#include "coordinator/core/operators/intent_changes.hpp"
#include "coordinator/core/state/state.hpp"

/// What operators ask of nodes. What follows once it is durable is in intent_effects.cpp.
namespace muster::coordinator {

template <class Request>
void State::change_intents(const Asked& asked, const Request& request, bool dry_run) {
    if (dry_run || !settle_by_id(asked)) {
        settle_change(asked, change_of(request, fleet(asked.now)), dry_run);
    }
}

Fleet State::fleet(Instant now) const {
    return {.nodes = nodes,
            .intents = intents,
            .placements = placements,
            .own_pools = own_pools,
            .now = civil(now),
            .listed_only = options.listed_only};
}

void State::ask(const Asked& asked, const NodeOfflineRequest& request) {
    change_intents(asked, request);
}

void State::ask(const Asked& asked, const NodeOnlineRequest& request) {
    change_intents(asked, request);
}

void State::ask(const Asked& asked, const NodeDrainRequest& request) {
    change_intents(asked, request);
}

void State::ask(const Asked& asked, const NodeForgiveRequest& request) {
    if (!settle_by_id(asked)) {
        settle_change(asked, pardons(asked.now, request), false);
    }
}

void State::ask(const Asked& asked, const NodeAddRequest& request) {
    change_intents(asked, request);
}

void State::ask(const Asked& asked, const NodeRemoveRequest& request) {
    change_intents(asked, request);
}

void State::ask(const Asked& asked, const NodeApplyRequest& request) {
    change_intents(asked, request, request.dry_run);
}

}  // namespace muster::coordinator
