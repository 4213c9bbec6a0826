#include "sim/model/generators.hpp"

#include <fmt/format.h>

#include "sim/hosts/agent_host.hpp"

namespace muster::sim {

namespace {

std::string any_rack(Random& random) { return fmt::format("r{}", random.below(3)); }

}  // namespace

TaskSpec any_spec(Random& random) {
    TaskSpec spec = serving();
    switch (random.below(16)) {
        case 0: spec.argv = {"missing"}; break;
        case 1:
            spec.argv = {"exit", "1", "300"};
            spec.restart.policy = RestartPolicy::never;
            break;
        case 2:
            spec.argv = {"exit", "0", "700"};
            spec.restart.policy = RestartPolicy::on_failure;
            break;
        case 3:
        case 4:
        case 5:
        case 6:
            spec.argv = {"stubborn", fmt::format("version-{}", random.below(3))};
            spec.grace = 2s;
            break;
        default: spec.argv.push_back(fmt::format("version-{}", random.below(3))); break;
    }
    spec.max_per_node = random.chance(1, 5) ? 2 : 1;
    const auto style = random.below(3);
    spec.update.max_surge = style == 0 ? 0 : 1;
    spec.update.max_unavailable = style == 1 ? 0 : 1;
    spec.update.min_healthy = Duration{3s} * static_cast<std::int64_t>(random.below(3));
    spec.exclusive = style == 0 && random.chance(1, 2);
    return spec;
}

PlacementRule any_rule(Random& random) {
    PlacementRule rule;
    if (!random.chance(1, 3)) {
        return rule;
    }
    switch (random.below(10)) {
        case 0: rule.constraints.push_back(*parse_constraint("node != n0")); break;
        case 1: rule.constraints.push_back(*parse_constraint("node in (n0, n1, n3)")); break;
        case 2: rule.constraints.push_back(*parse_constraint("rack = " + any_rack(random))); break;
        case 3: rule.spread = "rack"; break;
        case 4: rule.group = "g"; break;
        case 5: rule.request.slots = 2; break;
        case 6: rule.pinned = true; break;
        case 7: rule.pool = "edge"; break;
        case 8: rule.every_node = true; break;
        default: rule.priority = random.chance(1, 2) ? 5 : -5; break;
    }
    return rule;
}

Offer any_offer(Random& random) {
    Offer offer;
    offer.labels["rack"] = any_rack(random);
    if (random.chance(1, 5)) {
        offer.pool = "edge";
    }
    if (random.chance(1, 3)) {
        offer.capacity.slots = static_cast<std::uint32_t>(1 + random.below(4));
    }
    return offer;
}

}  // namespace muster::sim
