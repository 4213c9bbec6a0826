#include "coordinator/core/pools/sizing.hpp"

#include <algorithm>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

std::string_view to_string(SizeReason reason) {
    switch (reason) {
        case SizeReason::enough: return "enough";
        case SizeReason::need: return "need";
        case SizeReason::below_min: return "below_min";
        case SizeReason::above_max: return "above_max";
        case SizeReason::at_max: return "at_max";
        case SizeReason::at_min: return "at_min";
        case SizeReason::up_cooldown: return "up_cooldown";
        case SizeReason::down_cooldown: return "down_cooldown";
    }
    return "unknown";
}

Resize Sizing::wished(Amount wanted, const Holding& has) const {
    const auto at_most = [&](Amount nodes, std::uint32_t room) {
        return static_cast<std::uint32_t>(
            std::min<Amount>({nodes, Amount{room}, Amount{limits_.step}}));
    };
    if (has.nodes > limits_.max) {
        return {.down = at_most(limits_.step, has.nodes - limits_.max),
                .reason = SizeReason::above_max};
    }
    if (wanted > has.capacity) {
        const Amount missing = (wanted - has.capacity + has.of_new_node - 1) / has.of_new_node;
        const std::uint32_t up = at_most(missing, limits_.max - has.nodes);
        return {.up = up, .reason = up > 0 ? SizeReason::need : SizeReason::at_max};
    }
    if (has.nodes < limits_.min) {
        return {.up = at_most(limits_.step, limits_.min - has.nodes),
                .reason = SizeReason::below_min};
    }
    const Amount spare = (has.capacity - wanted) / has.of_new_node;
    if (spare > 0) {
        const std::uint32_t down = at_most(spare, has.nodes - limits_.min);
        return {.down = down, .reason = down > 0 ? SizeReason::need : SizeReason::at_min};
    }
    return {};
}

Resize Sizing::resize(Instant now, Amount wanted, const Holding& has) const {
    ensure(has.of_new_node > 0, "a node has some capacity");
    ensure(limits_.min <= limits_.max, "limits are checked when they are set");
    const Resize wish = wished(wanted, has);
    if (wish.up > 0 && wish.reason == SizeReason::need && grew_ &&
        now < *grew_ + limits_.up_cooldown) {
        return {.reason = SizeReason::up_cooldown};
    }
    if (wish.down > 0 && wish.reason == SizeReason::need && changed_ &&
        now < *changed_ + limits_.down_cooldown) {
        return {.reason = SizeReason::down_cooldown};
    }
    return wish;
}

void Sizing::on_resized(Instant now, std::uint32_t up, std::uint32_t down) {
    if (up > 0) {
        grew_ = now;
    }
    if (up > 0 || down > 0) {
        changed_ = now;
    }
}

}  // namespace muster::coordinator
