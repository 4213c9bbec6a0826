#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/random.hpp"
#include "tests/share.hpp"
#include "tests/unit/coordinator/core/planning/planner_world.hpp"

// Placing in any fleet: random offers, rules and histories.
namespace muster::coordinator::test {
// Goal: in any fleet with any history, no filter is violated, nothing is unplaced while a node
// fits, the reserved resources are right, and no single move would improve the balance.
// Method: random offers, rules and histories; recount from the running instances.
TEST_CASE("in any fleet, instances are placed if possible, only where they fit",
          "[planner][SP-3]") {
    for (std::uint64_t seed = 1; seed <= share_of(400); ++seed) {
        CAPTURE(seed);
        World world{seed};
        Fleet& fleet = world.fleet;
        for (int step = 0; step < 12; ++step) {
            CAPTURE(step);
            for (std::uint64_t changes = 1 + world.random.below(3); changes > 0; --changes) {
                world.change();
            }
            REQUIRE(fleet.converge());
            // A move that lost its place is decided again in the next round.
            fleet.round();
            REQUIRE(fleet.converge());
            REQUIRE(fleet.violations == std::vector<std::string>{});
            for (const auto& [name, stored] : fleet.stored()) {
                CAPTURE(name);
                const std::uint32_t running = fleet.running(name);
                REQUIRE(running +
                            fleet.planner.status(*fleet.workload.find(name)).shortage().count ==
                        stored.wanted.instances);
                for (const auto& [host_name, host] : fleet.hosts()) {
                    CAPTURE(host_name);
                    const bool fits = world.judge(stored.wanted, host_name, host) == Verdict::fits;
                    REQUIRE((running == stored.wanted.instances || !fits));
                }
            }
            for (const auto& [host_name, host] : fleet.hosts()) {
                const Use used = fleet.planner.used(host.index);
                REQUIRE(used.cpu_milli == fleet.use_of(host).cpu_milli);
            }
            REQUIRE(world.suits());
            REQUIRE(world.is_locally_best());
        }
    }
}

// Goal: a decided move that cannot begin does not keep others from a place.
// Method: the same, while each moved instance rests to the end.
TEST_CASE("in any fleet, no instance is unplaced because of a move that has not begun",
          "[planner][GO-07]") {
    Scope scope;
    scope.move_cooldown = 5min;
    std::uint64_t held_up = 0;
    for (std::uint64_t seed = 1; seed <= share_of(200); ++seed) {
        CAPTURE(seed);
        World world{seed};
        Fleet& fleet = world.fleet;
        for (int step = 0; step < 60; ++step) {
            CAPTURE(step);
            world.change();
            for (int rounds = 0; rounds < 100 && fleet.round(scope) > 0; ++rounds) {
            }
            held_up += fleet.totals().moves;
            REQUIRE(fleet.violations == std::vector<std::string>{});
            for (const auto& [name, stored] : fleet.stored()) {
                CAPTURE(name);
                for (const auto& [host_name, host] : fleet.hosts()) {
                    CAPTURE(host_name);
                    const bool fits = world.judge(stored.wanted, host_name, host) == Verdict::fits;
                    REQUIRE((fleet.running(name) == stored.wanted.instances || !fits));
                }
            }
        }
    }
    REQUIRE(held_up > 0);
}

// Goal: the same input gives the same plan, whatever filters and scores compare.
// Method: two fleets built in opposite orders have the same rounds and changes.
TEST_CASE("the order of input reaches no plan through labels, resources, groups or priority",
          "[planner][SP-6][GO-D14]") {
    for (std::uint64_t seed = 1; seed <= share_of(1'000); ++seed) {
        CAPTURE(seed);
        Random random{seed};
        const std::size_t hosts = 2 + random.below(8);
        const std::size_t tasks = 1 + random.below(8);
        std::vector<Offer> offers;
        std::vector<PlacementRule> rules;
        while (offers.size() < hosts) {
            offers.push_back(World::any_offer(random));
        }
        while (rules.size() < tasks) {
            rules.push_back(World::any_rule(random));
        }
        Fleet forwards;
        Fleet backwards;
        const auto add = [&](Fleet& fleet, std::size_t host) {
            fleet.add("n" + std::to_string(host));
            fleet.offer("n" + std::to_string(host), offers[host]);
        };
        const auto want = [&](Fleet& fleet, std::size_t task) {
            fleet.want_placed("t" + std::to_string(task), 5, rules[task]);
        };
        for (std::size_t host = 0; host < hosts; ++host) {
            add(forwards, host);
            add(backwards, hosts - 1 - host);
        }
        for (std::size_t task = 0; task < tasks; ++task) {
            want(forwards, task);
            want(backwards, tasks - 1 - task);
        }
        Scope scope;
        scope.moves = static_cast<std::uint32_t>(random.below(3));  // Some moves stay decided.
        for (int round = 0; round < 15; ++round) {
            const Plan plan = forwards.planner.plan(scope);
            const Plan other = backwards.planner.plan(scope);
            REQUIRE(forwards.text(plan) == backwards.text(other));
            const std::string host = "n" + std::to_string(random.below(hosts));
            const std::size_t task = random.below(tasks);
            const std::uint64_t what = random.below(4);
            const auto count = static_cast<std::uint32_t>(random.below(8));
            const Offer offer = World::any_offer(random);
            for (Fleet* const fleet : {&forwards, &backwards}) {
                fleet->carry_out(fleet == &forwards ? plan : other);
                fleet->report_all();
                if (what == 0 && !fleet->host(host).is_lost) {
                    fleet->lose(host);
                } else if (what == 1 && fleet->host(host).is_lost) {
                    fleet->return_host(host, false);
                } else if (what == 2) {
                    fleet->want_placed("t" + std::to_string(task), count, rules[task]);
                } else if (what == 3) {
                    fleet->offer(host, offer);
                }
            }
        }
    }
}

}  // namespace muster::coordinator::test
