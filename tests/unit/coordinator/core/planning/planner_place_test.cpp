#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

namespace muster::coordinator::test {
namespace {

using Lines = std::vector<std::string>;

std::size_t count(const Lines& lines, const std::string& part) {
    std::size_t found = 0;
    for (const std::string& line : lines) {
        found += line.find(part) != std::string::npos ? 1U : 0U;
    }
    return found;
}

/// Three hosts `n0 n1 n2` and three tasks `t0 t1 t2` of one instance each.
struct Three : Fleet {
    Three() {
        add_hosts(3);
        for (const char* name : {"t0", "t1", "t2"}) {
            want(name, 1);
        }
    }
};

}  // namespace

// Goal: an empty fleet gets one instance on each host, and then the plan is empty.
// Method: plan once, execute, plan again.
TEST_CASE("three tasks on three empty nodes are started one on each", "[planner][GO-01][SP-5]") {
    Three fleet;
    CHECK(fleet.text(fleet.planner.plan({})) ==
          Lines{"start t0.0 n0 missing", "start t1.0 n1 missing", "start t2.0 n2 missing"});
    REQUIRE(fleet.converge());
    CHECK(fleet.round() == 0);
    CHECK(fleet.totals().running == 3);
    CHECK(fleet.violations.empty());
}

// Goal: naming an existing task again changes nothing.
// Method: want the same tasks again after they run.
TEST_CASE("wanting the same task twice changes nothing", "[planner][GO-01]") {
    Three fleet;
    REQUIRE(fleet.converge());
    fleet.want("t1", 1);
    CHECK(fleet.planner.plan({}).orders.empty());
}

// Goal: instances of one task are spread.
// Method: one task of three instances, then three tasks of two.
TEST_CASE("instances of a task go to different nodes", "[planner][GO-03][GO-08]") {
    Fleet fleet;
    fleet.add_hosts(3);
    SECTION("one task of three") {
        fleet.want("m", 3);
        CHECK(fleet.text(fleet.planner.plan({})) ==
              Lines{"start m.0 n0 missing", "start m.1 n1 missing", "start m.2 n2 missing"});
    }
    SECTION("three tasks of two") {
        for (const char* name : {"m0", "m1", "m2"}) {
            fleet.want(name, 2);
        }
        CHECK(fleet.round() == 6);
        CHECK(count(fleet.trace, "start") == 6);
        for (const auto& [name, host] : fleet.hosts()) {
            CHECK(host.runs.size() == 2);
        }
        CHECK(fleet.violations.empty());
    }
}

// Goal: running instances count, and nothing is stopped to fill other nodes.
// Method: one of the three instances of each of seven tasks runs on n0.
TEST_CASE("missing instances go to the other nodes, and nothing is stopped", "[planner][GO-04]") {
    Fleet fleet;
    fleet.add_hosts(3);
    for (int i = 0; i < 7; ++i) {
        const std::string name = "t" + std::to_string(i);
        fleet.want(name, 3);
        fleet.put("n0", name, 0);
    }
    const Lines lines = fleet.text(fleet.planner.plan({}));
    CHECK(lines.size() == 14);
    CHECK(count(lines, " n0 ") == 0);
    CHECK(count(lines, "stop") == 0);
}

// Goal: unwanted instances are stopped wherever they run, and nothing else is.
// Method: the original orchestrator's cases of removal.
TEST_CASE("instances of a removed task are stopped", "[planner][GO-05][GO-16]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.want("m0", 2);
    fleet.want("m1", 2);
    for (const char* node : {"n0", "n1"}) {
        const Ordinal ordinal = std::string{node} == "n1" ? 1 : 0;
        fleet.put(node, "m0", ordinal);
        fleet.put(node, "m1", ordinal);
    }
    fleet.unwant("m1");
    CHECK(fleet.text(fleet.planner.plan({.balance = false})) ==
          Lines{"stop m1.0 n0 unwanted", "stop m1.1 n1 unwanted"});
    REQUIRE(fleet.converge());
    CHECK(fleet.running("m0") == 2);
    CHECK(fleet.running("m1") == 0);
    CHECK_FALSE(fleet.workload.find("m1"));  // Nothing of it is left: its index is free.
}

// Goal: the stopped instance is determined.
// Method: scale three down to two, to one, to none.
TEST_CASE("lowering the number of instances stops the highest ordinals",
          "[planner][GO-06][GO-D8]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.want("m", 3);
    REQUIRE(fleet.converge());
    fleet.want("m", 2);
    CHECK(fleet.text(fleet.planner.plan({})) == Lines{"stop m.2 n2 surplus"});
    REQUIRE(fleet.converge());
    fleet.want("m", 0);
    CHECK(fleet.text(fleet.planner.plan({})) ==
          Lines{"stop m.0 n0 surplus", "stop m.1 n1 surplus"});
    REQUIRE(fleet.converge());
    CHECK(fleet.workload.find("m"));
    CHECK(fleet.planner.status(*fleet.workload.find("m")).phase == TaskPhase::converged);
}

// Goal: an unplaced instance is shown with its reason, and placed later.
// Method: two instances on one node; then another node joins.
TEST_CASE("a second instance waits, unplaced, until another node serves",
          "[planner][GO-07][SP-3]") {
    Fleet fleet;
    fleet.add_hosts(1);
    fleet.want("m", 2);
    REQUIRE(fleet.converge());
    const TaskIndex task = *fleet.workload.find("m");
    CHECK(fleet.planner.status(task).shortage() == Shortage{Obstacle::max_per_node, 1});
    CHECK(fleet.planner.status(task).phase == TaskPhase::unplaced);
    CHECK(fleet.totals().unplaced == 1);
    CHECK(fleet.planner.instances_of(task).back().state == "unplaced");
    CHECK(fleet.planner.instances_of(task).back().detail == "max_per_node");
    fleet.add("n9");
    CHECK(fleet.text(fleet.planner.plan({})) == Lines{"start m.1 n9 missing"});
    REQUIRE(fleet.converge());
    CHECK(fleet.totals().unplaced == 0);
    CHECK(fleet.planner.shortages().empty());
}

// Goal: running instances are kept, and only missing ones are started.
// Method: the original's cases with one instance running already.
TEST_CASE("a node that runs its share gets nothing", "[planner][GO-09][GO-14]") {
    Three fleet;
    SECTION("one of three runs") {
        fleet.put("n0", "t1", 0);
        CHECK(fleet.text(fleet.planner.plan({})) ==
              Lines{"start t0.0 n1 missing", "start t2.0 n2 missing"});
    }
    SECTION("four tasks, all run, two of them on one node") {
        fleet.want("t3", 1);
        fleet.put("n0", "t0", 0);
        fleet.put("n0", "t1", 0);
        fleet.put("n1", "t2", 0);
        fleet.put("n2", "t3", 0);
        CHECK(fleet.planner.plan({}).orders.empty());
    }
}

// Goal: an unwanted instance of this store is stopped; an unknown one is not.
// Method: one copy of a known generation, one of none and one from the future.
TEST_CASE("an extra instance is stopped, a stray is listed and left alone",
          "[planner][GO-10][GO-D3]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.want("extra", 1);
    const Generation once = fleet.generation("extra");
    fleet.unwant("extra");
    for (const char* name : {"t0", "t1", "t2"}) {
        fleet.want(name, 1);
    }
    fleet.put("n0", "extra", 0, once);
    fleet.put("n1", "stray", 0, Generation{0});
    fleet.put("n2", "stray", 1, Generation{999});
    const Lines lines = fleet.text(fleet.planner.plan({}));
    CHECK(lines == Lines{"stop extra.0 n0 unwanted", "start t0.0 n0 missing",
                         "start t1.0 n1 missing", "start t2.0 n2 missing"});
    REQUIRE(fleet.converge());
    CHECK(fleet.running("stray") == 2);
    CHECK(fleet.totals().strays == 2);
    const TaskIndex stray = *fleet.workload.find("stray");
    CHECK(fleet.planner.instances_of(stray).front().stray);
}

// Goal: unwanted instances are not spread: each is stopped once, where it is.
// Method: a node is crowded with removed tasks; the stops take three rounds.
TEST_CASE("unwanted instances of a crowded node are stopped once and started nowhere",
          "[planner][GO-D3]") {
    Three fleet;
    REQUIRE(fleet.converge());
    Lines stops;
    for (const char* name : {"x0", "x1", "x2", "x3"}) {
        fleet.want(name, 1);
        const Generation once = fleet.generation(name);
        fleet.unwant(name);
        fleet.put("n1", name, 0, once);
        stops.push_back("stop " + std::string{name} + ".0 n1 unwanted");
    }
    fleet.trace.clear();
    fleet.stop_takes = 3;
    for (int pass = 0; pass < 6; ++pass) {
        fleet.round();
    }
    CHECK(fleet.trace == stops);
    CHECK(fleet.load("n1") == 1);
    CHECK(fleet.violations.empty());
}

// Goal: a node loses only what it reports. Method: four starts are in flight to one node; another
// node joins, and one of the tasks is removed.
TEST_CASE("nothing is taken from a node that reports nothing yet", "[planner][GO-18]") {
    Fleet fleet;
    fleet.add_hosts(1);
    for (const char* name : {"a", "b", "c", "d"}) {
        fleet.want(name, 1);
    }
    const Plan plan = fleet.planner.plan({});
    REQUIRE(plan.orders.size() == 4);
    for (const Order& order : plan.orders) {
        fleet.placements.orders().launched(order, Sequence{1});
    }
    fleet.add("n1");
    CHECK(fleet.planner.plan({}).orders.empty());
    fleet.unwant("d");
    CHECK(fleet.planner.plan({}).orders.empty());
    fleet.host("n0").sequence = Sequence{1};
    for (const char* name : {"a", "b", "c"}) {
        fleet.put("n0", name, 0);
    }
    REQUIRE(fleet.converge());
    CHECK(fleet.load("n0") == 2);
    CHECK(fleet.load("n1") == 1);
}

// Goal: one of two copies stays, and missing instances are started in the same plan.
// Method: the older copy is on n0.
TEST_CASE("a duplicate instance loses one copy while the missing are started", "[planner][GO-11]") {
    Three fleet;
    fleet.put("n0", "t0", 0);
    fleet.put("n1", "t0", 0);
    CHECK(fleet.text(fleet.planner.plan({})) ==
          Lines{"stop t0.0 n1 duplicate", "start t1.0 n1 missing", "start t2.0 n2 missing"});
    REQUIRE(fleet.converge());
    for (const auto& [name, host] : fleet.hosts()) {
        CHECK(host.runs.size() == 1);
    }
    CHECK(fleet.violations.empty());
}

// Goal: the order of nodes is not visible even among the copies of one instance.
// Method: three copies that began at once, on nodes that joined in the opposite order of their
// names.
TEST_CASE("copies of one instance are stopped in the order of their nodes' names",
          "[planner][SP-6]") {
    Fleet fleet;
    for (const char* name : {"n2", "n1", "n0"}) {
        fleet.add(name);
    }
    fleet.want("web", 1);
    for (const char* name : {"n0", "n1", "n2"}) {
        fleet.put(name, "web", 0);
        fleet.host(name).runs.at({"web", 0}).started = CivilMs{1};
    }
    fleet.report_all();
    CHECK(fleet.text(fleet.planner.plan({})) ==
          Lines{"stop web.0 n1 duplicate", "stop web.0 n2 duplicate"});
}

// Goal: only instances of a removed or lost node are started elsewhere.
// Method: the original's cases with n1 gone.
TEST_CASE("instances of a removed or lost node are started on the others", "[planner][GO-19]") {
    Three fleet;
    fleet.put("n0", "t0", 0);
    fleet.put("n2", "t2", 0);
    SECTION("removed") {
        fleet.remove("n1");
        CHECK(fleet.text(fleet.planner.plan({})) == Lines{"start t1.0 n0 missing"});
    }
    SECTION("lost while it ran") {
        fleet.put("n1", "t1", 0);
        REQUIRE(fleet.converge());
        fleet.lose("n1");
        CHECK(fleet.text(fleet.planner.plan({})) == Lines{"start t1.0 n0 lost"});
        REQUIRE(fleet.converge());
        CHECK(fleet.violations.empty());
    }
}

// Goal: a move starts before it stops.
// Method: two on n0, one on n2, none on n1; processes start slowly.
TEST_CASE("a move starts its target and stops its source only when the target runs",
          "[planner][GO-13][SP-4]") {
    Three fleet;
    fleet.put("n0", "t0", 0);
    fleet.put("n0", "t1", 0);
    fleet.put("n2", "t2", 0);
    fleet.starts_slowly = true;
    CHECK(fleet.round() == 1);
    CHECK(fleet.round() == 0);
    CHECK(fleet.totals().moves == 1);
    fleet.finish_starts();
    CHECK(fleet.round() == 1);
    CHECK(fleet.round() == 0);
    CHECK(fleet.trace == Lines{"start t1.0 n1 balance", "stop t1.0 n0 balance"});
    CHECK(fleet.totals().moves == 0);
    CHECK(fleet.violations.empty());
}

// Goal: no nodes is a condition, not an error.
// Method: plan without nodes, then without tasks.
TEST_CASE("without nodes everything is unplaced, without tasks nothing is planned",
          "[planner][GO-21][SC-15]") {
    Fleet fleet;
    CHECK(fleet.planner.plan({}).orders.empty());
    Fleet idle;
    idle.add_hosts(3);
    CHECK(idle.planner.plan({}).orders.empty());
    idle.put("n0", "stray", 0, Generation{1'000});  // It runs, and was never wanted.
    CHECK(idle.planner.plan({}).orders.empty());
    fleet.want("m", 3);
    CHECK(fleet.planner.plan({}).orders.empty());
    CHECK(fleet.planner.status(*fleet.workload.find("m")).shortage() ==
          Shortage{Obstacle::no_nodes, 3});
    fleet.add_hosts(3);
    CHECK(fleet.planner.plan({}).orders.size() == 3);
}

// Goal: a node that returns with its instances causes no duplicates, and the original copy stays.
// Method: lose n1, let its instance be placed elsewhere, return it with its processes.
TEST_CASE("the copy that ran the longest is kept when a lost node returns", "[planner][GO-D9]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.want("m", 2);
    REQUIRE(fleet.converge());
    fleet.lose("n1");
    REQUIRE(fleet.converge());
    REQUIRE(fleet.host("n2").runs.size() == 1);
    fleet.return_host("n1", false);
    CHECK(fleet.text(fleet.planner.plan({})) == Lines{"stop m.1 n2 duplicate"});
    REQUIRE(fleet.converge());
    CHECK(fleet.running("m") == 2);
    CHECK(fleet.host("n1").runs.size() == 1);
    CHECK(fleet.violations.empty());
}

// Goal: a start in flight is a copy: the bound holds while its outcome is unknown.
// Method: orders are sent but not executed; then the node answers without them.
TEST_CASE("a start in flight is not ordered again until an answer shows it was not obeyed",
          "[planner]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want("m", 1);
    const Plan plan = fleet.planner.plan({});
    REQUIRE(plan.orders.size() == 1);
    fleet.placements.orders().launched(plan.orders.front(), Sequence{1});
    CHECK(fleet.planner.plan({}).orders.empty());
    CHECK(fleet.placements.orders().count() == 1);
    SECTION("a poll answered before it was sent decides nothing") {
        fleet.placements.orders().resolve(plan.orders.front().node, Sequence{0});
        CHECK(fleet.planner.plan({}).orders.empty());
    }
    SECTION("a poll that names it decides it") {
        fleet.placements.orders().resolve(plan.orders.front().node, Sequence{1});
        CHECK(fleet.planner.plan({}).orders.size() == 1);
    }
    SECTION("a refusal decides it") {
        fleet.placements.orders().refused(plan.orders.front().node, {"m", 0}, fleet.generation("m"),
                                          OrdersInFlight::everything);
        CHECK(fleet.planner.plan({}).orders.size() == 1);
        CHECK(fleet.placements.orders().count() == 0);
    }
    SECTION("a lost node decides it") {
        fleet.lose("n0");
        CHECK(fleet.text(fleet.planner.plan({})).size() == 1);
    }
}

// Goal: an order that the caller did not send is not forgotten.
// Method: discard the first plan.
TEST_CASE("an order that was not sent is planned again", "[planner]") {
    Three fleet;
    const Plan first = fleet.planner.plan({});
    CHECK(first.orders.size() == 3);
    CHECK(fleet.planner.plan({}) == first);
}

// Goal: no order goes to a node that must not get commands, and its instances count.
// Method: an instance on such a node; its task is removed.
TEST_CASE("no order goes to a node that is not commandable, and its copies count", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want("m", 1);
    fleet.put("n0", "m", 0);
    fleet.placements.set_commandable(fleet.host("n0").index, false);
    CHECK(fleet.planner.plan({}).orders.empty());
    fleet.unwant("m");
    CHECK(fleet.planner.plan({}).orders.empty());
    fleet.placements.set_commandable(fleet.host("n0").index, true);
    CHECK(fleet.text(fleet.planner.plan({})) == Lines{"stop m.0 n0 unwanted"});
}

// Goal: an ended instance is not placed a second time, and a failed one is shown as failed.
// Method: one instance failed, one ended by its policy; there is no other node.
TEST_CASE("failed and exited copies stay where they are", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(1);
    fleet.want("bad", 1);
    fleet.want("done", 1);
    fleet.put("n0", "bad", 0, fleet.generation("bad"), InstanceState::failed);
    fleet.put("n0", "done", 0, fleet.generation("done"), InstanceState::exited);
    CHECK(fleet.planner.plan({}).orders.empty());
    CHECK(fleet.planner.status(*fleet.workload.find("bad")).phase == TaskPhase::failed);
    CHECK(fleet.planner.status(*fleet.workload.find("done")).phase == TaskPhase::converged);
    CHECK(fleet.totals().failed == 1);
}

}  // namespace muster::coordinator::test
