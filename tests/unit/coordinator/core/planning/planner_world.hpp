#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/random.hpp"
#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

namespace muster::coordinator::test {

/// A fleet of random offers with random changes of tasks, rules, hosts and offers.
struct World {
    Random random;
    Fleet fleet;
    std::uint32_t hosts = 0;

    explicit World(std::uint64_t seed) : random{seed} {
        hosts = 2 + static_cast<std::uint32_t>(random.below(7));
        for (std::uint32_t host = 0; host < hosts; ++host) {
            fleet.add("n" + std::to_string(host));
            change_offer("n" + std::to_string(host));
        }
    }

    void change_offer(const std::string& host) { fleet.offer(host, any_offer(random)); }

    static Offer any_offer(Random& random) {
        Offer offer;
        if (random.chance(2, 3)) {
            offer.labels["rack"] = "r" + std::to_string(random.below(3));
        }
        if (random.chance(1, 2)) {
            offer.labels["cores"] = std::to_string(1U << random.below(4));
        }
        offer.pool = random.chance(1, 5) ? "gpu" : "default";
        if (random.chance(1, 2)) {
            offer.capacity.cpu_milli = 1'000 * (1 + random.below(6));
            offer.reserved.cpu_milli = 500;
        }
        if (random.chance(1, 4)) {
            offer.capacity.slots = static_cast<std::uint32_t>(2 + random.below(5));
        }
        return offer;
    }

    static PlacementRule any_rule(Random& random) {
        static const std::vector<std::string> constraints{
            "rack = r0", "rack != r1",  "rack in (r1, r2)", "cores >= 4",
            "cores < 8", "rack exists", "node != n0"};
        PlacementRule rule;
        if (random.chance(1, 2)) {
            rule.constraints.push_back(
                *parse_constraint(constraints[random.below(constraints.size())]));
        }
        rule.pool = random.chance(1, 6) ? "gpu" : "default";
        rule.request.cpu_milli = random.chance(1, 2) ? 250 * random.below(5) : 0;
        rule.request.slots = static_cast<std::uint32_t>(random.below(3));
        rule.spread = random.chance(1, 3) ? "rack" : "";
        rule.group = random.chance(1, 3) ? "g" + std::to_string(random.below(3)) : "";
        rule.priority = static_cast<std::int32_t>(random.below(3)) - 1;
        return rule;
    }

    std::string any_host() { return "n" + std::to_string(random.below(hosts)); }

    void change() {
        const std::string task = "t" + std::to_string(random.below(8));
        const std::string host = any_host();
        const bool is_wanted = fleet.stored().contains(task);
        switch (random.below(7)) {
            case 0:
            case 1:
                if (!is_wanted) {
                    TaskSpec spec = fleet.spec();
                    spec.max_per_node = static_cast<std::uint32_t>(1 + random.below(3));
                    fleet.want_placed(task, 0, any_rule(random));
                    fleet.want(task, static_cast<std::uint32_t>(random.below(9)), spec);
                }
                break;
            case 2:
                if (is_wanted) {
                    fleet.unwant(task);
                }
                break;
            case 3:
                if (is_wanted) {
                    fleet.want(task, static_cast<std::uint32_t>(random.below(9)),
                               fleet.stored().at(task).wanted.spec);
                }
                break;
            case 4:
                if (!fleet.host(host).is_lost) {
                    fleet.lose(host);
                    fleet.host(host).runs.clear();
                } else {
                    fleet.return_host(host, true);
                }
                break;
            case 5: change_offer(host); break;
            default:
                if (is_wanted) {
                    fleet.restart(task);
                }
        }
    }

    /// What rules out the node for one more instance of the task, computed from the actual state.
    Verdict judge(const WantedTask& task, const std::string& name, const Fleet::Host& host) const {
        if (host.is_lost) {
            return Verdict::not_serving;
        }
        const Offer& offer = fleet.placements.nodes().offer(host.index);
        if (const Verdict verdict = judge_offer(task.place, name, offer);
            verdict != Verdict::fits) {
            return verdict;
        }
        if (const Verdict verdict =
                judge_room(task.place.request, allowance_of(offer), fleet.use_of(host));
            verdict != Verdict::fits) {
            return verdict;
        }
        const auto here = std::ranges::count_if(
            host.runs, [&](const auto& entry) { return entry.first.task == task.name; });
        return here < task.spec.max_per_node ? Verdict::fits : Verdict::max_per_node;
    }

    /// True if nothing runs where it does not suit while another node would take it.
    bool suits() {
        for (const auto& [name, host] : fleet.hosts()) {
            for (const auto& [id, instance] : host.runs) {
                const WantedTask& task = fleet.stored().at(id.task).wanted;
                const Offer& offer = fleet.placements.nodes().offer(host.index);
                const bool fits_here = judge_offer(task.place, name, offer) == Verdict::fits;
                const bool fits_elsewhere =
                    std::ranges::any_of(fleet.hosts(), [&](const auto& other) {
                        return judge(task, other.first, other.second) == Verdict::fits;
                    });
                if (!host.is_lost && !fits_here && fits_elsewhere) {
                    return false;
                }
            }
        }
        return true;
    }

    /// True if no instance of the fullest node suits a node with at least two fewer.
    bool is_locally_best() {
        for (const auto& [name, host] : fleet.hosts()) {
            for (const auto& [id, instance] : host.runs) {
                for (const auto& [other_name, other] : fleet.hosts()) {
                    const WantedTask& task = fleet.stored().at(id.task).wanted;
                    if (!host.is_lost && task.place.spread.empty() && task.place.group.empty() &&
                        host.runs.size() >= other.runs.size() + 2 &&
                        judge(task, other_name, other) == Verdict::fits) {
                        UNSCOPED_INFO(id.task << '.' << id.ordinal << " could go from " << name
                                              << " to " << other_name);
                        return false;
                    }
                }
            }
        }
        return true;
    }
};

}  // namespace muster::coordinator::test
