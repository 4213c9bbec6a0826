#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/random.hpp"
#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

namespace muster::coordinator::test {
namespace {

using Lines = std::vector<std::string>;

TaskSpec spec_with(const Fleet& fleet, std::uint32_t max_surge, std::uint32_t max_per_node) {
    TaskSpec spec = fleet.spec();
    spec.update.max_surge = max_surge;
    spec.max_per_node = max_per_node;
    return spec;
}

Lines runs_on(const Fleet::Host& host) {
    Lines lines;
    for (const auto& [id, instance] : host.runs) {
        lines.push_back(to_string(id));
    }
    return lines;
}

/// Drains, resumes, loses and returns hosts, and changes the wanted tasks.
void disturb_drains(Fleet& fleet, Random& random) {
    const std::string host = "n" + std::to_string(random.below(5));
    const std::string task = "t" + std::to_string(random.below(4));
    const bool is_lost = fleet.host(host).is_lost;
    switch (random.below(6)) {
        case 0:
            if (is_lost) {
                fleet.return_host(host, random.chance(1, 2));
            } else {
                fleet.lose(host);
            }
            break;
        case 1:
        case 2:
            if (!is_lost) {
                fleet.drain(host);
            }
            break;
        case 3:
            if (!is_lost) {
                fleet.resume(host);
            }
            break;
        case 4:
            if (fleet.stored().contains(task)) {
                fleet.restart(task);
            }
            break;
        default: {
            const auto surge = static_cast<std::uint32_t>(random.below(3));
            const auto per_node = 1 + static_cast<std::uint32_t>(random.below(2));
            fleet.want(task, static_cast<std::uint32_t>(random.below(7)),
                       spec_with(fleet, surge, per_node));
        }
    }
}

}  // namespace

// Goal: a drain interrupts nothing.
// Method: three instances on three of four nodes; new processes stay `starting` until the test says
// so.
TEST_CASE("a drained node's instances run elsewhere before they are stopped there",
          "[planner][drain][SP-4]") {
    Fleet fleet;
    fleet.add_hosts(4);
    fleet.want("web", 3);
    REQUIRE(fleet.converge());
    fleet.starts_slowly = true;
    fleet.trace.clear();
    fleet.drain("n1");
    fleet.round();
    CHECK(fleet.trace == Lines{"start web.1 n3 drain"});
    fleet.round();
    CHECK(fleet.trace.size() == 1);
    CHECK(fleet.blocked_on("n1") == Lines{"web.1 starting"});
    fleet.finish_starts();
    REQUIRE(fleet.converge());
    CHECK(fleet.trace == Lines{"start web.1 n3 drain", "stop web.1 n1 drain"});
    CHECK_FALSE(fleet.placements.is_busy(fleet.host("n1").index));
    CHECK(fleet.blocked_on("n1").empty());
    CHECK(fleet.violations.empty());

    fleet.resume("n1");
    CHECK(fleet.round() == 0);  // Three instances on four nodes are already even.
}

// Goal: a task loses no more than one instance at a time, and tasks do not wait for each other.
// Method: two tasks of three instances each are on one node, and another one is empty.
TEST_CASE("instances of one task leave one after the other", "[planner][drain]") {
    Fleet fleet;
    fleet.add_hosts(1);
    fleet.want("a", 3, spec_with(fleet, 1, 3));
    fleet.want("b", 3, spec_with(fleet, 1, 3));
    REQUIRE(fleet.converge());
    fleet.drain("n0");
    fleet.add("n1");
    fleet.trace.clear();
    CHECK(fleet.round() == 2);
    CHECK(fleet.trace == Lines{"start a.0 n1 drain", "start b.0 n1 drain"});
    CHECK(fleet.blocked_on("n0") == Lines{"a.0 stopping", "a.1 max_surge", "a.2 max_surge",
                                          "b.0 stopping", "b.1 max_surge", "b.2 max_surge"});
    REQUIRE(fleet.converge());
    CHECK(fleet.load("n0") == 0);
    CHECK(fleet.load("n1") == 6);
    CHECK(fleet.violations.empty());
}

// Goal: an instance without another place stays, is named, and moves as soon as it has one.
// Method: two instances on two nodes; later a third node joins.
TEST_CASE("an instance with no other place blocks the drain and keeps running",
          "[planner][drain]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want("web", 2);
    REQUIRE(fleet.converge());
    fleet.drain("n0");
    REQUIRE(fleet.converge());
    CHECK(fleet.load("n0") == 1);
    CHECK(fleet.blocked_on("n0") == Lines{"web.0 max_per_node"});
    SECTION("until another node serves") {
        fleet.add("n2");
        REQUIRE(fleet.converge());
        CHECK(runs_on(fleet.host("n2")) == Lines{"web.0"});
        CHECK(fleet.load("n0") == 0);
    }
    SECTION("until it is forced") {
        fleet.suspend("n0", Evacuation{.force = true});
        REQUIRE(fleet.converge());
        CHECK(fleet.load("n0") == 0);
        CHECK(fleet.totals().unplaced == 1);
    }
    SECTION("or for as long as no node serves") {
        fleet.drain("n1");
        REQUIRE(fleet.converge());
        CHECK(fleet.blocked_on("n0") == Lines{"web.0 no_nodes"});
        CHECK(fleet.blocked_on("n1") == Lines{"web.1 no_nodes"});
        fleet.resume("n0");
        REQUIRE(fleet.converge());
        CHECK(fleet.blocked_on("n0").empty());
        CHECK(fleet.blocked_on("n1") == Lines{"web.1 max_per_node"});
    }
    CHECK(fleet.violations.empty());
}

// Goal: where no second copy is allowed, the copy is stopped first, one at a time, and only once
// another node has a place. Method: two such instances share a node; it is drained.
TEST_CASE("without max_surge a drain stops first and starts elsewhere", "[planner][drain]") {
    Fleet fleet;
    fleet.add_hosts(1);
    fleet.want("db", 2, spec_with(fleet, 0, 2));
    REQUIRE(fleet.converge());
    fleet.drain("n0");
    CHECK(fleet.round() == 0);
    CHECK(fleet.blocked_on("n0") == Lines{"db.0 no_nodes", "db.1 no_nodes"});
    fleet.add("n1");
    fleet.stop_takes = 1;
    fleet.starts_slowly = true;
    fleet.trace.clear();
    fleet.round();
    CHECK(fleet.trace == Lines{"stop db.0 n0 drain"});
    CHECK(fleet.planner.load(fleet.host("n1").index) == 1);  // Its place is kept.
    fleet.round();
    fleet.round();
    CHECK(fleet.trace == Lines{"stop db.0 n0 drain", "start db.0 n1 missing"});
    CHECK(fleet.blocked_on("n0") == Lines{"db.1 max_unavailable"});
    fleet.starts_slowly = false;
    fleet.stop_takes = 0;
    fleet.finish_starts();
    REQUIRE(fleet.converge());
    CHECK(fleet.load("n0") == 0);
    CHECK(fleet.load("n1") == 2);
    CHECK(fleet.violations.empty());
}

// Goal: an exclusive instance never has two copies, even if other instances make room.
// Method: one of two is being stopped for a drain, slowly, when the node of the other is lost.
TEST_CASE("room left by another instance allows no second copy of an exclusive one",
          "[planner][drain][S8]") {
    Fleet fleet;
    fleet.add_hosts(3);
    TaskSpec spec = spec_with(fleet, 0, 1);
    spec.exclusive = true;
    fleet.want("db", 2, spec);
    REQUIRE(fleet.converge());
    REQUIRE(runs_on(fleet.host("n1")) == Lines{"db.1"});
    fleet.stop_takes = 3;
    fleet.drain("n0");
    fleet.trace.clear();
    fleet.round();
    REQUIRE(fleet.trace == Lines{"stop db.0 n0 drain"});
    fleet.lose("n1");
    fleet.add("n3");
    fleet.round();
    CHECK(fleet.trace == Lines{"stop db.0 n0 drain", "start db.1 n3 lost"});
    for (int rounds = 0; rounds < 5; ++rounds) {  // It is gone in the end.
        fleet.round();
    }
    CHECK(fleet.trace.back() == "start db.0 n2 missing");
    CHECK(fleet.violations.empty());
}

// Goal: an ended job is not started again elsewhere because its node is drained.
// Method: a job that ran to its end, and one that still runs.
TEST_CASE("a drain leaves ended copies where they are", "[planner][drain]") {
    Fleet fleet;
    fleet.add_hosts(2);
    TaskSpec spec = fleet.spec();
    spec.restart.policy = RestartPolicy::never;
    fleet.want("ended", 1, spec);
    fleet.want("runs", 1, spec);
    fleet.put("n0", "ended", 0, fleet.generation("ended"), InstanceState::exited);
    fleet.put("n0", "runs", 0);
    fleet.drain("n0");
    REQUIRE(fleet.converge());
    CHECK(runs_on(fleet.host("n0")) == Lines{"ended.0"});
    CHECK(runs_on(fleet.host("n1")) == Lines{"runs.0"});
    CHECK_FALSE(fleet.placements.is_busy(fleet.host("n0").index));
    CHECK(fleet.violations.empty());
}

// Goal: the end of a drain neither cancels a move in progress, nor begins another.
// Method: the node is resumed while the new copy starts.
TEST_CASE("a move off a node is finished even if the node serves again", "[planner][drain]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want("web", 1);
    REQUIRE(fleet.converge());
    fleet.starts_slowly = true;
    fleet.drain("n0");
    fleet.round();
    fleet.resume("n0");
    CHECK(fleet.round() == 0);
    fleet.finish_starts();
    REQUIRE(fleet.converge());
    CHECK(runs_on(fleet.host("n1")) == Lines{"web.0"});
    CHECK(fleet.load("n0") == 0);
    CHECK(fleet.violations.empty());
}

// Goal: an outdated copy on a node without new work does not delay the roll-out.
// Method: the node of one of two instances is suspended; then the task is restarted.
TEST_CASE("a copy on a node that gets no work is replaced on another", "[planner][rollout]") {
    const std::uint32_t max_surge = GENERATE(0U, 1U);
    CAPTURE(max_surge);
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want("web", 2, spec_with(fleet, max_surge, 1));
    REQUIRE(fleet.converge());
    fleet.suspend("n0");
    fleet.restart("web");
    REQUIRE(fleet.converge());
    const TaskIndex task = *fleet.workload.find("web");
    CHECK(fleet.planner.status(task).rolling == 1);
    CHECK(fleet.planner.status(task).shortage() == Shortage{Obstacle::max_unavailable, 1});
    fleet.add("n2");
    REQUIRE(fleet.converge());
    CHECK(runs_on(fleet.host("n2")) == Lines{"web.0"});
    CHECK(fleet.load("n0") == 0);
    CHECK(fleet.planner.status(task).phase == TaskPhase::converged);
    CHECK(fleet.violations.empty());
}

// Goal: the task decides which of two equal copies stays.
// Method: a lost node returns with its copy.
TEST_CASE("a task's reconcile says whether the original or the replacement stays", "[planner]") {
    const auto reconcile = GENERATE(Reconcile::original, Reconcile::replacement);
    CAPTURE(to_string(reconcile));
    Fleet fleet;
    fleet.add_hosts(2);
    PlacementRule rule;
    rule.reconcile = reconcile;
    fleet.want_placed("web", 1, rule);
    REQUIRE(fleet.converge());
    fleet.lose("n0");
    REQUIRE(fleet.converge());
    fleet.return_host("n0", false);
    REQUIRE(fleet.converge());
    CHECK(fleet.load("n0") == (reconcile == Reconcile::original ? 1 : 0));
    CHECK(fleet.running("web") == 1);
    CHECK(fleet.violations.empty());
}

// Goal: a stray is left alone, unless the cluster is configured otherwise.
// Method: a copy without a generation, of an unknown name and of a wanted one.
TEST_CASE("strays are listed and left alone, or stopped if the cluster is so configured",
          "[planner][GO-10]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want("web", 1);
    REQUIRE(fleet.converge());
    fleet.put("n0", "unknown", 0, Generation{});
    fleet.put("n1", "web", 0, Generation{});
    REQUIRE(fleet.converge());
    CHECK(fleet.totals().strays == 2);
    CHECK(fleet.load("n0") == 2);
    CHECK(fleet.load("n1") == 1);
    fleet.trace.clear();
    fleet.restart("web");  // Planned again.
    fleet.put("n0", "unknown", 1, Generation{});
    fleet.round({.stop_strays = true});
    CHECK(fleet.load("n0") == 1);
    CHECK(fleet.load("n1") == 0);
    CHECK(fleet.violations.empty());
}

// Goal: at rest, a drained node is empty or each remaining instance has its reason.
// Method: random histories of drains, losses, roll-outs and changes.
TEST_CASE("a drained node is empty or names what blocks it", "[planner][drain]") {
    const auto seed = GENERATE(range<std::uint64_t>(1, 201));
    CAPTURE(seed);
    Random random{seed};
    Fleet fleet;
    fleet.add_hosts(5);
    for (int change = 0; change < 25; ++change) {
        CAPTURE(change);
        disturb_drains(fleet, random);
        fleet.stop_takes = static_cast<std::uint32_t>(random.below(2));
        if (random.chance(1, 2)) {
            REQUIRE(fleet.converge());
        } else {
            fleet.round();
        }
    }
    REQUIRE(fleet.converge());
    for (const auto& [name, host] : fleet.hosts()) {
        if (host.is_lost || !fleet.placements.nodes().evacuation(host.index)) {
            continue;
        }
        CAPTURE(name, fleet.blocked_on(name));
        CHECK(fleet.blocked_on(name).size() == host.runs.size());
        for (const Blocker& blocker : fleet.planner.blocked_on(host.index)) {
            CAPTURE(to_string(blocker.id));
            CHECK((blocker.code == Obstacle::no_nodes || blocker.code == Obstacle::max_per_node));
        }
    }
    CAPTURE(fleet.violations, fleet.trace);
    CHECK(fleet.violations.empty());
}

}  // namespace muster::coordinator::test
