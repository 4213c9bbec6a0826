#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/random.hpp"
#include "tests/unit/planner_fleet.hpp"

namespace muster::test {
namespace {

using Lines = std::vector<std::string>;

TaskSpec with_update(const Fleet& fleet, std::uint32_t max_surge, std::uint32_t max_unavailable) {
    TaskSpec spec = fleet.spec();
    spec.update = {max_surge, max_unavailable};
    return spec;
}

/// Two instances of `web` run on two of the hosts.
void run_two(Fleet& fleet, std::uint32_t hosts, const TaskSpec& spec) {
    fleet.add_hosts(hosts);
    fleet.want("web", 2, spec);
    REQUIRE(fleet.settle());
    REQUIRE(fleet.running("web") == 2);
    fleet.trace.clear();
}

bool all_run(const Fleet& fleet, const std::string& task) {
    const Generation wanted = fleet.generation(task);
    return fleet.planner.status(*fleet.workload.find(task)).phase == TaskPhase::converged &&
           std::ranges::all_of(fleet.placements.copies(*fleet.workload.find(task)),
                               [&](const Copy& copy) { return copy.generation == wanted; });
}

}  // namespace

// Goal: a new generation takes over without a moment of fewer instances, where there is room.
// Method: two instances on three hosts, processes come up late; the trace says it all.
TEST_CASE("a roll-out starts each replacement elsewhere before it stops the old copy",
          "[planner][rollout]") {
    Fleet fleet;
    run_two(fleet, 3, fleet.spec());
    fleet.starts_slowly = true;
    fleet.restart("web");
    for (int round = 0; round < 6; ++round) {
        fleet.term();
        fleet.term();
        fleet.finish_starts();
    }
    CHECK(fleet.trace == Lines{"start web.0 n2 rollout", "stop web.0 n0 rollout",
                               "start web.1 n0 rollout", "stop web.1 n1 rollout"});
    CHECK(all_run(fleet, "web"));
    CHECK(fleet.violations == Lines{});
}

// Goal: where no other node takes the task, its instances are replaced in place, one by one.
// Method: two instances on two hosts.
TEST_CASE("a roll-out without a free node replaces in place, one instance at a time",
          "[planner][rollout]") {
    Fleet fleet;
    const auto max_surge = GENERATE(std::uint32_t{0}, std::uint32_t{1});
    const std::uint32_t hosts = max_surge == 0 ? 3 : 2;
    run_two(fleet, hosts, with_update(fleet, max_surge, 1));
    fleet.starts_slowly = true;
    fleet.restart("web");
    CHECK(fleet.term() == 1);
    CHECK(fleet.term() == 0);
    CHECK(fleet.planner.status(*fleet.workload.find("web")).phase == TaskPhase::rolling);
    fleet.finish_starts();
    CHECK(fleet.term() == 1);
    fleet.finish_starts();
    CHECK(fleet.term() == 0);
    CHECK(fleet.trace == Lines{"start web.0 n0 rollout", "start web.1 n1 rollout"});
    CHECK(all_run(fleet, "web"));
    CHECK(fleet.violations == Lines{});
}

// Goal: a roll-out whose new process does not come up harms one instance only.
// Method: the first replacement goes into back-off.
TEST_CASE("a roll-out stops at an instance that does not come up", "[planner][rollout]") {
    Fleet fleet;
    run_two(fleet, 2, fleet.spec());
    fleet.starts_slowly = true;
    fleet.restart("web");
    fleet.term();
    fleet.put("n0", "web", 0, fleet.generation("web"), InstanceState::backoff);
    for (int round = 0; round < 5; ++round) {
        CHECK(fleet.term() == 0);
    }
    CHECK(fleet.running("web") == 1);
    fleet.put("n0", "web", 0);
    CHECK(fleet.term() == 1);
    fleet.finish_starts();
    CHECK(all_run(fleet, "web"));
}

// Goal: what is down already is replaced at once, and does not count.
// Method: three instances: one failed, one in back-off, one runs.
TEST_CASE("copies that are down are replaced first and all at once", "[planner][rollout]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.want("web", 3, with_update(fleet, 0, 1));
    REQUIRE(fleet.settle());
    fleet.put("n1", "web", 1, fleet.generation("web"), InstanceState::failed);
    fleet.put("n2", "web", 2, fleet.generation("web"), InstanceState::backoff);
    fleet.restart("web");
    CHECK(fleet.text(fleet.planner.plan({})) ==
          Lines{"start web.1 n1 rollout", "start web.2 n2 rollout", "start web.0 n0 rollout"});
}

// Goal: what max_unavailable 0 holds up is named, and goes on as soon as it can.
// Method: no free node and nothing may be taken down; then a node joins.
TEST_CASE("a roll-out that may neither add nor take down says so", "[planner][rollout]") {
    Fleet fleet;
    run_two(fleet, 2, with_update(fleet, 1, 0));
    fleet.restart("web");
    CHECK(fleet.term() == 0);
    const TaskIndex task = *fleet.workload.find("web");
    CHECK(fleet.planner.status(task).shortage == Shortage{"max_unavailable", 2});
    CHECK(fleet.planner.status(task).phase == TaskPhase::rolling);
    CHECK(fleet.planner.totals().unplaced == 0);
    fleet.add("n9");
    REQUIRE(fleet.settle());
    CHECK(all_run(fleet, "web"));
    CHECK(fleet.planner.status(task).shortage.count == 0);
    CHECK(fleet.violations == Lines{});
}

// Goal: a change during a roll-out is not lost.
// Method: a second generation while the first is being rolled out.
TEST_CASE("a generation that comes during a roll-out takes over", "[planner][rollout]") {
    Fleet fleet;
    run_two(fleet, 3, fleet.spec());
    fleet.starts_slowly = true;
    fleet.restart("web");
    fleet.term();
    fleet.restart("web");
    for (int round = 0; round < 20; ++round) {
        fleet.term();
        fleet.finish_starts();
    }
    CHECK(all_run(fleet, "web"));
    CHECK(fleet.running("web") == 2);
    CHECK(fleet.violations == Lines{});
}

// Goal: an agent that stops its old process slowly while it replaces it keeps its instance.
// Method: the copy is reported `stopping` in its old generation after the start was settled.
TEST_CASE("a copy that is stopping to be replaced in place is not placed elsewhere",
          "[planner][rollout]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want("web", 1, with_update(fleet, 0, 1));
    REQUIRE(fleet.settle());
    const Generation before = fleet.generation("web");
    fleet.restart("web");
    const Plan plan = fleet.planner.plan({});
    CHECK(fleet.text(plan) == Lines{"start web.0 n0 rollout"});
    fleet.host("n0").sequence = Sequence{99};
    fleet.placements.launched(plan.orders.front(), Sequence{99});
    fleet.put("n0", "web", 0, before, InstanceState::stopping);
    CHECK(fleet.placements.in_flight() == 0);
    CHECK(fleet.term() == 0);
    CHECK(fleet.planner.status(*fleet.workload.find("web")).phase == TaskPhase::rolling);
    fleet.put("n0", "web", 0);
    CHECK(fleet.term() == 0);
    CHECK(all_run(fleet, "web"));
}

// Goal: a stricter spread rule is kept as soon as there are nodes for it.
// Method: two copies share a node; the rule becomes one a node; another node joins.
TEST_CASE("copies that share a node against a new spread rule part when they can",
          "[planner][rollout]") {
    Fleet fleet;
    fleet.add_hosts(1);
    TaskSpec spec = fleet.spec();
    spec.max_per_node = 2;
    fleet.want("web", 2, spec);
    REQUIRE(fleet.settle());
    REQUIRE(fleet.load("n0") == 2);
    fleet.want("web", 2, fleet.spec());
    REQUIRE(fleet.settle());
    CHECK(fleet.load("n0") == 2);
    CHECK(all_run(fleet, "web"));
    // Other work makes the nodes even: the balance has no reason to move anything.
    fleet.add("n1");
    fleet.want("other", 2, spec);
    fleet.term({.balance = false});
    REQUIRE(fleet.settle());
    CHECK(fleet.load("n0") == 2);
    for (const InstanceView& view : fleet.placements.instances_on(fleet.host("n0").index)) {
        CHECK(fleet.placements.copies(*fleet.workload.find(view.id.task)).front().node !=
              fleet.placements.copies(*fleet.workload.find(view.id.task)).back().node);
    }
    CHECK(fleet.violations == Lines{});
}

// Goal: whatever happens in whatever order, the bounds hold and the end is as wanted.
// Method: random stories of changes, restarts, losses, crashes and slow processes.
TEST_CASE("a random story keeps every bound and ends as wanted",
          "[planner][rollout][GO-D2][SP-3]") {
    const auto seed = GENERATE(range<std::uint64_t>(1, 301));
    CAPTURE(seed);
    Random random{seed};
    Fleet fleet;
    fleet.add_hosts(1 + static_cast<std::uint32_t>(random.below(6)));
    fleet.stop_takes = static_cast<std::uint32_t>(random.below(3));
    fleet.starts_slowly = random.chance(1, 2);
    std::uint32_t names = 0;
    for (int turn = 0; turn < 60; ++turn) {
        const std::string task = "t" + std::to_string(random.below(4));
        std::vector<std::string> lost;
        std::vector<std::string> serving;
        for (const auto& [name, host] : fleet.hosts()) {
            (host.is_lost ? lost : serving).push_back(name);
        }
        switch (random.below(12)) {
            case 0: fleet.add("m" + std::to_string(names++)); break;
            case 1:
                if (serving.size() > 1) {
                    fleet.lose(serving[random.below(serving.size())]);
                }
                break;
            case 2:
                if (!lost.empty()) {
                    fleet.come_back(lost[random.below(lost.size())], random.chance(1, 2));
                }
                break;
            case 3:
            case 4: {
                const auto surge = static_cast<std::uint32_t>(random.below(3));
                TaskSpec spec = with_update(
                    fleet, surge, static_cast<std::uint32_t>(surge == 0 ? 1 : random.below(2)));
                spec.max_per_node = fleet.stored().contains(task)
                                        ? fleet.stored().at(task).wanted.spec.max_per_node
                                        : 1 + static_cast<std::uint32_t>(random.below(2));
                fleet.want(task, static_cast<std::uint32_t>(random.below(8)), spec);
                break;
            }
            case 5:
                if (fleet.stored().contains(task)) {
                    fleet.unwant(task);
                }
                break;
            case 6:
                if (fleet.stored().contains(task)) {
                    fleet.restart(task);
                }
                break;
            case 7:
                if (fleet.stored().contains(task)) {
                    const StoredTask& stored = fleet.stored().at(task);
                    fleet.want(task, static_cast<std::uint32_t>(random.below(8)),
                               stored.wanted.spec);
                }
                break;
            case 8:
                for (auto& [name, host] : fleet.hosts()) {
                    for (auto& [id, instance] : host.runs) {
                        if (instance.state == InstanceState::running && random.chance(1, 4)) {
                            instance.state = InstanceState::starting;
                        }
                    }
                }
                fleet.report_all();
                break;
            case 9: fleet.finish_starts(); break;
            default: break;
        }
        fleet.term({.balance = random.chance(2, 3)});
        CHECK(fleet.violations == Lines{});
        fleet.violations.clear();
    }
    int quiet = 0;
    for (int round = 0; round < 300 && quiet < 3; ++round) {
        fleet.finish_starts();
        quiet = fleet.term() == 0 ? quiet + 1 : 0;
    }
    CHECK(quiet == 3);
    CHECK(fleet.violations == Lines{});
    for (const auto& [name, task] : fleet.stored()) {
        const auto hosts = static_cast<std::uint32_t>(std::ranges::count_if(
            fleet.hosts(), [](const auto& entry) { return !entry.second.is_lost; }));
        const TaskStatus status = fleet.planner.status(*fleet.workload.find(name));
        CHECK(status.running ==
              std::min(task.wanted.instances, hosts * task.wanted.spec.max_per_node));
        const bool is_done =
            status.phase == TaskPhase::converged || status.phase == TaskPhase::unplaced;
        CHECK((is_done || status.shortage.code == "max_unavailable"));
        CHECK(fleet.running(name) >= status.running);
    }
}

}  // namespace muster::test
