#include "coordinator/core/scaling/pool_pass.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "coordinator/core/scaling/follow_nodes.hpp"
#include "coordinator/core/scaling/resizing.hpp"

namespace muster::coordinator {

namespace {

std::string count_of(std::size_t count, std::string_view what) {
    return std::to_string(count) + " " + std::string{what} + (count == 1 ? "" : "s");
}

/// `coming`: what of the capacity was asked for and has not come.
std::string there(const PoolDecision& decision, Amount coming) {
    return std::to_string(decision.wanted) + " is wanted and " + std::to_string(decision.capacity) +
           (coming == 0 ? std::string{" is there"}
                        : " is there or to come (" + std::to_string(coming) + " to come)");
}

std::string describe(const Resize& resize, const PoolDecision& decision, const PoolSpec& spec,
                     const std::string& amounts) {
    switch (resize.reason) {
        case SizeReason::enough: return amounts + ": less than a node is too much";
        case SizeReason::need:
            if (spec.provider == "none") {
                return amounts + ": a provider would " +
                       (resize.up > 0 ? "be asked for " + count_of(resize.up, "node")
                                      : "remove " + count_of(resize.down, "node")) +
                       ", but the pool has none";
            }
            if (resize.down > 0 && decision.down == 0) {
                return amounts + ": nodes go once those that were asked for have come, at most " +
                       std::to_string(spec.drain_budget) + " at once";
            }
            return amounts;
        case SizeReason::below_min:
            return amounts + ", and it has at least " + count_of(spec.min, "node");
        case SizeReason::above_max:
            return amounts + ", and it has at most " + count_of(spec.max, "node");
        case SizeReason::at_max:
            return amounts + ", but it has at most " + count_of(spec.max, "node");
        case SizeReason::at_min:
            return amounts + ", but it has at least " + count_of(spec.min, "node");
        case SizeReason::up_cooldown: return amounts + ", but it has grown a short time ago";
        case SizeReason::down_cooldown: return amounts + ", but it has changed a short time ago";
    }
    return amounts;
}

}  // namespace

std::string_view state_of(const PoolNode& node) {
    if (!node.is_provided) {
        return "fixed";
    }
    switch (node.row.state) {
        case PoolNodeState::requested: return "requested";
        case PoolNodeState::active: return "active";
        case PoolNodeState::draining: return "draining";
        case PoolNodeState::removing: return "removing";
    }
    return "unknown";
}

PoolChange decide(Instant now, PoolSituation at, Sizing& sizing) {
    PoolChange change;
    const bool has_provider = at.pool.spec.provider != "none";
    if (has_provider) {
        follow_nodes(at, change);
    }
    Resizing resizing{at, change};
    PoolDecision& decision = change.decision;
    decision.at = at.now;
    decision.demand = at.demand;
    decision.derived = at.derived;
    decision.wanted = at.wanted;
    decision.capacity = resizing.has().capacity;
    decision.nodes = resizing.has().nodes;
    const std::string amounts = there(decision, resizing.coming());
    if (!at.hold_code.empty()) {
        decision.code = at.hold_code;
        decision.detail = at.hold;
        change.alarm = at.is_hold_alarm ? at.hold : change.alarm;
        return change;
    }
    Resize resize = sizing.resize(now, at.wanted, resizing.has());
    const bool must_learn =
        resize.up > 0 && resize.reason == SizeReason::need && !at.is_new_node_known;
    if (must_learn) {
        resize.up = resizing.is_any_coming() ? 0 : 1;
    }
    const bool must_wait =
        resize.down > 0 && resize.reason == SizeReason::need && at.is_predictor_awaited;
    decision.code = has_provider ? std::string{to_string(resize.reason)} : "fixed";
    if (must_wait) {
        decision.code = "waiting_for_predictor";
        decision.detail = amounts + ", and its predictor has not answered yet";
        return change;
    }
    if (has_provider && resize.up > 0) {
        resizing.grow(resize.up);
    } else if (has_provider && resize.down > 0) {
        resizing.shrink(resize.down);
    }
    sizing.on_resized(now, decision.up, decision.down);
    decision.detail = must_learn ? amounts + ": one node shows how much a node has"
                                 : describe(resize, decision, at.pool.spec, amounts);
    if (resizing.lacks()) {
        decision.code = "short";
        decision.detail += ", but " + at.shortage + ": it is asked again after a while";
    }
    return change;
}

}  // namespace muster::coordinator
