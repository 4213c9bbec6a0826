#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "coordinator/core/planning/reasons.hpp"
#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

// A new copy counts for a roll-out once it has run for min_healthy.
namespace muster::coordinator::test {
namespace {

using Lines = std::vector<std::string>;

/// Instances of `web` on as many hosts, each running for long enough.
struct HealthyFleet {
    Fleet fleet;

    HealthyFleet(std::uint32_t hosts, std::uint32_t instances, std::uint32_t max_surge) {
        fleet.min_healthy = 3s;
        fleet.add_hosts(hosts);
        TaskSpec spec = fleet.spec();
        spec.update.max_surge = max_surge;
        fleet.want("web", instances, spec);
        run_rounds(6);
        REQUIRE(fleet.running("web") == instances);
        fleet.trace.clear();
    }

    void run_rounds(int rounds) {
        for (int round = 0; round < rounds; ++round) {
            fleet.next_round();
        }
    }
    TaskStatus status() const { return fleet.planner.status(*fleet.workload.find("web")); }
    /// Processes of the wanted generation end and wait for their restart.
    void end_new_copies() { turn_new_copies(InstanceState::backoff); }
    void restart_new_copies() { turn_new_copies(InstanceState::running); }
    /// The first new copy runs for a while, and ends.
    void roll_out_bad_version() {
        fleet.restart("web");
        run_rounds(2);
        end_new_copies();
    }
    /// Copies of the previous generation that are gone.
    std::uint32_t replaced(Generation before, std::uint32_t of) const {
        std::uint32_t left = 0;
        for (const Copy& copy : fleet.placements.copies().of(*fleet.workload.find("web"))) {
            left += copy.generation == before ? 1U : 0U;
        }
        return of - left;
    }

private:
    void turn_new_copies(InstanceState state) {
        for (auto& [name, host] : fleet.hosts()) {
            for (auto& [id, instance] : host.runs) {
                if (instance.generation == fleet.generation("web")) {
                    instance.state = state;
                    instance.exit_code = 1;
                    instance.started = CivilMs{raw(instance.started) + 1'000'000};
                }
            }
        }
        fleet.report_all();
    }
};

}  // namespace

// Goal: the next copy is taken down only when the last new one has stayed up.
// Method: two instances on two hosts, in place; each round is a second.
TEST_CASE("a roll-out takes down no further copy before the new one has run for min_healthy",
          "[planner][rollout]") {
    HealthyFleet web{2, 2, 0};
    Fleet& fleet = web.fleet;
    fleet.restart("web");
    CHECK(fleet.next_round() == 1);
    CHECK(fleet.next_round() == 0);  // It is seen running.
    CHECK(web.status().young == 1);
    CHECK(web.status().updated == 0);
    CHECK(fleet.next_round() == 0);
    CHECK(fleet.next_round() == 0);
    CHECK(fleet.next_round() == 1);
    CHECK(web.status().updated == 1);
    CHECK(fleet.trace == Lines{"start web.0 n0 rollout", "start web.1 n1 rollout"});
    web.run_rounds(4);
    CHECK(web.status().updated == 2);
    CHECK(web.status().young == 0);
}

// Goal: the old copy keeps running beside the new copy until that has stayed up.
// Method: two instances on three hosts; check when the old copy is stopped.
TEST_CASE("a roll-out with room to surge stops the old copy once the new one is healthy",
          "[planner][rollout]") {
    HealthyFleet web{3, 2, 1};
    Fleet& fleet = web.fleet;
    fleet.restart("web");
    web.run_rounds(4);
    CHECK(fleet.trace == Lines{"start web.0 n2 rollout"});
    CHECK(fleet.running("web") == 3);
    web.run_rounds(1);
    CHECK(fleet.trace == Lines{"start web.0 n2 rollout", "stop web.0 n0 rollout"});
    CHECK(fleet.violations.empty());
}

// Goal: a bad release costs one instance at most. Method: 20 instances on 20 hosts and on 21; each
// new process ends in its third round, and its agent restarts it, for ten minutes.
TEST_CASE("a release that ends before min_healthy replaces one copy at most",
          "[planner][rollout]") {
    const auto hosts = GENERATE(std::uint32_t{20}, std::uint32_t{21});
    HealthyFleet web{hosts, 20, 1};
    Fleet& fleet = web.fleet;
    const Generation before = fleet.generation("web");
    fleet.restart("web");
    for (int crash = 0; crash < 150; ++crash) {
        web.run_rounds(2);
        web.end_new_copies();
        web.run_rounds(1);
        REQUIRE(web.status().halted_by == Ordinal{0});
        web.restart_new_copies();
        web.run_rounds(1);
        REQUIRE(web.status().phase == TaskPhase::halted);
    }
    CHECK(web.replaced(before, 20) == (hosts == 20 ? 1 : 0));
    CHECK(fleet.trace.size() == 1);
    CHECK(fleet.totals().halted == 1);
}

// Goal: a halt is not final. Method: the copy ends once, and then keeps running.
TEST_CASE("a halted roll-out continues once the copy has run for min_healthy",
          "[planner][rollout]") {
    HealthyFleet web{2, 2, 0};
    Fleet& fleet = web.fleet;
    web.roll_out_bad_version();
    web.run_rounds(9);
    CHECK(web.status().phase == TaskPhase::halted);
    CHECK(fleet.trace.size() == 1);
    web.restart_new_copies();
    web.run_rounds(3);
    CHECK(web.status().phase == TaskPhase::halted);
    web.run_rounds(6);
    CHECK(fleet.trace == Lines{"start web.0 n0 rollout", "start web.1 n1 rollout"});
    CHECK(web.status().phase == TaskPhase::converged);
    CHECK(web.status().updated == 2);
}

// Goal: a copy that was healthy once does not halt the roll-out again by its node's loss.
// Method: the first new copy ends once and becomes healthy; its node is lost during the second.
TEST_CASE("a halt is over once the copy is healthy, even if its node is lost later",
          "[planner][rollout]") {
    HealthyFleet web{3, 3, 0};
    Fleet& fleet = web.fleet;
    web.roll_out_bad_version();
    web.run_rounds(2);
    web.restart_new_copies();
    web.run_rounds(5);
    REQUIRE(fleet.trace == Lines{"start web.0 n0 rollout", "start web.1 n1 rollout"});
    fleet.lose("n0");
    web.run_rounds(6);
    CHECK(fleet.trace.back() == "start web.2 n2 rollout");
}

// Goal: a repaired release needs no further action. Method: change the task while it is halted.
TEST_CASE("a change of the task ends the halt of its roll-out", "[planner][rollout]") {
    HealthyFleet web{3, 2, 1};
    Fleet& fleet = web.fleet;
    web.roll_out_bad_version();
    web.run_rounds(5);
    REQUIRE(web.status().phase == TaskPhase::halted);
    fleet.restart("web");
    web.run_rounds(30);
    CHECK(web.status().phase == TaskPhase::converged);
    CHECK(web.status().updated == 2);
    CHECK(fleet.violations.empty());
}

// Goal: an end between two reports counts. Method: the process is another one in the next report.
TEST_CASE("a restart between two reports halts the roll-out", "[planner][rollout]") {
    HealthyFleet web{2, 2, 0};
    web.fleet.restart("web");
    web.run_rounds(2);
    web.restart_new_copies();
    web.run_rounds(1);
    CHECK(web.status().phase == TaskPhase::halted);
}

// Goal: a first placement is not a roll-out. Method: five instances at once, which end soon.
TEST_CASE("the first placement of a task is not delayed by min_healthy", "[planner][rollout]") {
    Fleet fleet;
    fleet.min_healthy = 3s;
    fleet.add_hosts(5);
    fleet.want("web", 5);
    CHECK(fleet.next_round() == 5);
    const auto status = [&] { return fleet.planner.status(*fleet.workload.find("web")); };
    CHECK(status().phase == TaskPhase::converged);
    CHECK(status().young == 5);
    fleet.put("n1", "web", 1, fleet.generation("web"), InstanceState::backoff);
    fleet.next_round();
    CHECK(status().phase == TaskPhase::backoff);
    CHECK(status().halted_by == std::nullopt);
}

// Goal: a task of one instance is shown as halted, even without an older copy. Method: its new copy
// ends.
TEST_CASE("the roll-out of the only instance is halted when it ends", "[planner][rollout]") {
    HealthyFleet web{1, 1, 0};
    web.fleet.restart("web");
    web.run_rounds(2);
    CHECK(web.status().phase == TaskPhase::converged);
    web.end_new_copies();
    CHECK(web.status().phase == TaskPhase::halted);
    web.restart_new_copies();
    web.run_rounds(5);
    CHECK(web.status().phase == TaskPhase::converged);
    web.end_new_copies();  // A later end is not part of a roll-out any more.
    CHECK(web.status().phase == TaskPhase::backoff);
}

// Goal: a job that succeeds is not taken for a bad release. Method: its new copy exits with 0.
TEST_CASE("a new copy that ends successfully counts at once", "[planner][rollout]") {
    Fleet fleet;
    fleet.min_healthy = 3s;
    fleet.add_hosts(2);
    TaskSpec spec = fleet.spec();
    spec.restart.policy = RestartPolicy::on_failure;
    spec.update.max_surge = 0;
    fleet.want("job", 2, spec);
    for (int round = 0; round < 6; ++round) {
        fleet.next_round();
    }
    fleet.restart("job");
    fleet.next_round();
    fleet.put("n0", "job", 0, fleet.generation("job"), InstanceState::exited);
    const TaskStatus status = fleet.planner.status(*fleet.workload.find("job"));
    CHECK(status.updated == 1);
    CHECK(status.halted_by == std::nullopt);
    CHECK(fleet.next_round() == 1);
    CHECK(fleet.trace.back() == "start job.1 n1 rollout");
}

// Goal: a drain does not replace old copies by a release that does not stay up; by force it does.
// Method: the roll-out is halted; drain a node of an old copy.
TEST_CASE("an instance on a drained node stays while the roll-out of its task is halted",
          "[planner][rollout][drain]") {
    HealthyFleet web{3, 2, 0};
    Fleet& fleet = web.fleet;
    web.roll_out_bad_version();
    web.run_rounds(2);
    fleet.drain("n1");
    web.run_rounds(5);
    CHECK(fleet.blocked_on("n1") == Lines{"web.1 min_healthy"});
    CHECK(fleet.trace.size() == 1);
    fleet.suspend("n1", Evacuation{.force = true});
    web.run_rounds(2);
    CHECK(fleet.trace.size() > 1);
}

// Goal: a copy that failed on one host is tried on others, and no old one is taken down for it.
// Method: the new copy fails wherever it is started.
TEST_CASE("a new copy that fails is tried elsewhere while the old ones keep running",
          "[planner][rollout][retry]") {
    HealthyFleet web{6, 2, 1};
    Fleet& fleet = web.fleet;
    fleet.restart("web");
    for (int round = 0; round < 30; ++round) {
        fleet.next_round();
        for (auto& [name, host] : fleet.hosts()) {
            for (auto& [id, instance] : host.runs) {
                if (instance.generation == fleet.generation("web")) {
                    instance.state = InstanceState::failed;
                }
            }
        }
        fleet.report_all();
    }
    CHECK(fleet.running("web") == 2);
    CHECK(std::ranges::count_if(fleet.trace, [](const std::string& line) {
              return line.starts_with("start web.0");
          }) == 3);
    CHECK(std::ranges::none_of(
        fleet.trace, [](const std::string& line) { return line.starts_with("start web.1"); }));
    CHECK(web.status().halted_by == Ordinal{0});
}

// Goal: a release that may be bad takes down no second copy. Method: the new copy fails; then its
// old copy is on a node without new work, so that another instance would be next.
TEST_CASE("while a failed new copy is tried elsewhere no other instance is replaced",
          "[planner][rollout][retry]") {
    HealthyFleet web{6, 2, 1};
    Fleet& fleet = web.fleet;
    fleet.restart("web");
    web.run_rounds(2);
    REQUIRE(fleet.trace == Lines{"start web.0 n2 rollout"});
    fleet.fail("n2", {"web", 0});
    fleet.suspend("n0");
    web.run_rounds(2);
    CHECK(fleet.trace ==
          Lines{"start web.0 n2 rollout", "stop web.0 n2 retry", "start web.0 n3 rollout"});
}

// Goal: a copy that nobody sees run does not replace one that runs. Method: the node of the new
// copy stops answering before min_healthy, and answers again later.
TEST_CASE("a copy does not become healthy while its node does not answer", "[planner][rollout]") {
    HealthyFleet web{3, 2, 1};
    Fleet& fleet = web.fleet;
    fleet.restart("web");
    web.run_rounds(2);
    fleet.hosts().at("n2").is_silent = true;
    web.run_rounds(10);
    CHECK(fleet.trace == Lines{"start web.0 n2 rollout"});
    CHECK(fleet.running("web") == 3);
    fleet.hosts().at("n2").is_silent = false;
    web.run_rounds(2);
    CHECK(fleet.trace == Lines{"start web.0 n2 rollout", "stop web.0 n0 rollout"});
}

// Goal: a bad host does not hold up a drain for ever. Method: the new copy fails on one host; then
// the node of the old copy is drained.
TEST_CASE("an instance whose new copy failed on one node leaves a drained node",
          "[planner][rollout][drain]") {
    HealthyFleet web{6, 2, 1};
    Fleet& fleet = web.fleet;
    fleet.restart("web");
    web.run_rounds(2);
    fleet.fail("n2", {"web", 0});
    fleet.drain("n0");
    web.run_rounds(4);
    CHECK(std::ranges::any_of(
        fleet.trace, [](const std::string& line) { return line.starts_with("start web.0 n3"); }));
}

// Method: a halted roll-out has used up max_surge; the node of another old copy is drained.
TEST_CASE("a forced drain ends although the roll-out of the task is halted",
          "[planner][rollout][drain]") {
    HealthyFleet web{3, 2, 1};
    Fleet& fleet = web.fleet;
    web.roll_out_bad_version();
    web.run_rounds(2);
    REQUIRE(fleet.trace == Lines{"start web.0 n2 rollout"});
    fleet.suspend("n1", Evacuation{.force = true});
    web.run_rounds(2);
    CHECK(std::ranges::any_of(
        fleet.trace, [](const std::string& line) { return line.starts_with("stop web.1 n1"); }));
}

// Method: without max_surge, the halting copy must leave its node and starts on another.
TEST_CASE("while a new copy starts again elsewhere no other instance is replaced",
          "[planner][rollout][drain]") {
    HealthyFleet web{4, 3, 0};
    Fleet& fleet = web.fleet;
    web.roll_out_bad_version();
    web.run_rounds(2);
    fleet.drain("n0");
    web.run_rounds(4);
    CHECK(std::ranges::any_of(
        fleet.trace, [](const std::string& line) { return line.starts_with("start web.0 n3"); }));
    CHECK(std::ranges::none_of(
        fleet.trace, [](const std::string& line) { return line.starts_with("start web.1"); }));
}

// Goal: a release that takes its hosts down does not take down the next one.
// Method: the new copy ends early, then its node is lost; no other node is free.
TEST_CASE("a halt outlasts the copy that caused it", "[planner][rollout]") {
    HealthyFleet web{3, 2, 1};
    Fleet& fleet = web.fleet;
    TaskSpec spec = fleet.stored().at("web").wanted.spec;
    spec.update.max_unavailable = 0;
    fleet.want("web", 2, spec);
    web.run_rounds(2);
    REQUIRE(fleet.trace == Lines{"start web.0 n2 rollout"});
    web.end_new_copies();
    web.run_rounds(1);
    fleet.lose("n2");
    fleet.drain("n0");  // Otherwise web.0 would be the next anyway.
    fleet.add("n3");
    fleet.suspend("n3");
    web.run_rounds(3);
    CHECK(web.status().phase == TaskPhase::halted);
    CHECK(web.status().halted_by == Ordinal{0});
    CHECK(describe_halt(fleet.workload, fleet.planner, *fleet.workload.find("web")) ==
          "the roll-out is halted: the new copy of web.0 did not run for 3s, and is gone from its "
          "node; the roll-out tries web.0 again once a node has a place for it, and nothing else "
          "before");
    fleet.resume("n3");
    web.run_rounds(1);
    CHECK(web.status().halted_by == std::nullopt);  // Only this instance is tried again.
    CHECK(fleet.trace == Lines{"start web.0 n2 rollout", "start web.0 n3 drain"});
    web.end_new_copies();
    web.run_rounds(9);
    CHECK(web.status().phase == TaskPhase::halted);
    CHECK(fleet.trace.size() == 2);
}

// Goal: the node of a crashing copy can be drained. Method: drain it while the roll-out is halted,
// and max_surge is used up.
TEST_CASE("a copy that halts a roll-out leaves a drained node", "[planner][rollout][drain]") {
    HealthyFleet web{4, 2, 1};
    Fleet& fleet = web.fleet;
    web.roll_out_bad_version();
    web.run_rounds(2);
    fleet.drain("n2");
    web.run_rounds(3);
    CHECK(fleet.blocked_on("n2").empty());
    CHECK(fleet.trace ==
          Lines{"start web.0 n2 rollout", "stop web.0 n2 drain", "start web.0 n3 rollout"});
}

// Goal: a drain stops no copy that nothing replaces. Method: two new copies of the only instance,
// as during a move, and no old one; both nodes are drained.
TEST_CASE("a copy that halts a roll-out stays on a drained node where no older copy runs",
          "[planner][rollout][drain]") {
    HealthyFleet web{4, 1, 1};
    Fleet& fleet = web.fleet;
    web.roll_out_bad_version();
    web.run_rounds(1);
    REQUIRE(fleet.trace == Lines{"start web.0 n1 rollout"});
    web.restart_new_copies();
    fleet.host("n0").runs.clear();
    fleet.put("n2", "web", 0, fleet.generation("web"), InstanceState::backoff);
    fleet.report_all();
    fleet.drain("n1");
    fleet.drain("n2");
    for (int round = 0; round < 9; ++round) {
        web.run_rounds(1);
        CHECK(fleet.running("web") >= 1);
    }
    CHECK(fleet.load("n1") + fleet.load("n2") == 0);
    CHECK(fleet.violations.empty());
}

// Goal: a bad release reaches one host. Method: with every_node, the host of the new copy is lost;
// later it is drained, so that its instance is not wanted any more.
TEST_CASE("with every_node a halt lasts until the node of the new copy is drained",
          "[planner][rollout][every_node]") {
    Fleet fleet;
    fleet.min_healthy = 3s;
    fleet.add_hosts(3);
    PlacementRule rule;
    rule.every_node = true;
    fleet.want_placed("log", 1, rule);
    const auto run_rounds = [&](int rounds) {
        for (int round = 0; round < rounds; ++round) {
            fleet.next_round();
        }
    };
    run_rounds(6);
    fleet.restart("log");
    run_rounds(2);
    fleet.trace.clear();
    fleet.put("n0", "log", 0, fleet.generation("log"), InstanceState::backoff);
    run_rounds(1);
    fleet.lose("n0");
    run_rounds(9);
    CHECK(fleet.trace.empty());
    CHECK(fleet.planner.status(*fleet.workload.find("log")).phase == TaskPhase::halted);
    fleet.return_host("n0", true);
    fleet.drain("n0");
    run_rounds(2);
    CHECK(fleet.trace == Lines{"start log.1 n1 rollout"});
}

}  // namespace muster::coordinator::test
