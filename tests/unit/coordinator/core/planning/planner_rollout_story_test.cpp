#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/random.hpp"
#include "tests/share.hpp"
#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

namespace muster::coordinator::test {
namespace {

std::uint32_t draw(Random& random, std::uint32_t bound) {
    return static_cast<std::uint32_t>(random.below(bound));
}

/// A host joins, is lost or returns.
void change_hosts(Fleet& fleet, Random& random) {
    std::vector<std::string> lost;
    std::vector<std::string> serving;
    for (const auto& [name, host] : fleet.hosts()) {
        (host.is_lost ? lost : serving).push_back(name);
    }
    switch (random.below(3)) {
        case 0: fleet.add("m" + std::to_string(fleet.hosts().size())); break;
        case 1:
            if (serving.size() > 1) {
                fleet.lose(serving[random.below(serving.size())]);
            }
            break;
        default:
            if (!lost.empty()) {
                fleet.return_host(lost[random.below(lost.size())], random.chance(1, 2));
            }
    }
}

/// A task is added, scaled, changed, restarted or removed.
void change_tasks(Fleet& fleet, Random& random) {
    const std::string task = "t" + std::to_string(random.below(4));
    if (!fleet.stored().contains(task)) {
        TaskSpec spec = fleet.spec();
        spec.max_per_node = 1 + draw(random, 2);
        fleet.want(task, draw(random, 8), spec);
        return;
    }
    TaskSpec spec = fleet.stored().at(task).wanted.spec;
    switch (random.below(5)) {
        case 0:
        case 1:
            spec.update.max_surge = draw(random, 3);
            spec.update.max_unavailable = spec.update.max_surge == 0 ? 1 : draw(random, 2);
            fleet.want(task, draw(random, 8), spec);
            break;
        case 2: fleet.unwant(task); break;
        case 3: fleet.restart(task); break;
        default: fleet.want(task, draw(random, 8), spec);
    }
}

/// Some processes end and wait for their restart.
void crash_some(Fleet& fleet, Random& random) {
    for (auto& [name, host] : fleet.hosts()) {
        for (auto& [id, instance] : host.runs) {
            if (instance.state == InstanceState::running && random.chance(1, 4)) {
                instance.state = InstanceState::starting;
            }
        }
    }
    fleet.report_all();
}

}  // namespace

// Goal: the bounds hold in any history, and the cluster converges.
// Method: random stories of changes, restarts, losses, crashes and slow processes.
TEST_CASE("a random story keeps every bound and converges", "[planner][rollout][GO-D2][SP-3]") {
    const auto seed = GENERATE(range<std::uint64_t>(1, 1 + share_of(300)));
    CAPTURE(seed);
    Random random{seed};
    Fleet fleet;
    fleet.add_hosts(1 + draw(random, 6));
    fleet.stop_takes = draw(random, 3);
    fleet.starts_slowly = random.chance(1, 2);
    fleet.min_healthy = random.chance(1, 2) ? 3s : 0s;
    for (int turn = 0; turn < 60; ++turn) {
        switch (random.below(12)) {
            case 0:
            case 1:
            case 2: change_hosts(fleet, random); break;
            case 3:
            case 4:
            case 5:
            case 6:
            case 7: change_tasks(fleet, random); break;
            case 8: crash_some(fleet, random); break;
            case 9: fleet.finish_starts(); break;
            default: break;
        }
        fleet.round({.now = fleet.now + 1s, .balance = random.chance(2, 3)});
        CAPTURE(turn, fleet.violations);
        REQUIRE(fleet.violations.empty());
    }
    int quiet = 0;
    for (int pass = 0; pass < 300 && quiet < 6; ++pass) {
        fleet.finish_starts();
        quiet = fleet.next_round() == 0 ? quiet + 1 : 0;
    }
    CHECK(quiet == 6);
    CHECK(fleet.violations.empty());
    for (const auto& [name, task] : fleet.stored()) {
        const auto hosts = static_cast<std::uint32_t>(std::ranges::count_if(
            fleet.hosts(), [](const auto& entry) { return !entry.second.is_lost; }));
        const TaskStatus status = fleet.planner.status(*fleet.workload.find(name));
        if (status.shortage().code == Obstacle::max_unavailable) {
            continue;
        }
        CHECK(status.running ==
              std::min(task.wanted.instances, hosts * task.wanted.spec.max_per_node));
        CHECK((status.phase == TaskPhase::converged || status.phase == TaskPhase::unplaced));
        CHECK(fleet.running(name) >= status.running);
    }
}

}  // namespace muster::coordinator::test
