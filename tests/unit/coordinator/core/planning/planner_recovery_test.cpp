#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

namespace muster::coordinator::test {
namespace {

using Lines = std::vector<std::string>;

/// A new leader: `old` of two instances is stored, and n0 reports some of them.
struct NewLeader : Fleet {
    NewLeader() {
        add_hosts(3);
        want("old", 2);
        put("n0", "old", 0);
        scope.held_back = counter();
    }
    [[nodiscard]] Lines plan_text() { return text(planner.plan(scope)); }
    Scope scope;
};

}  // namespace

// Goal: before all nodes have reported, an unseen instance is not taken for missing.
// Method: one of two instances is reported; recovery ends.
TEST_CASE("during recovery nothing of an older generation is started", "[planner][recovery][S11]") {
    NewLeader fleet;
    CHECK(fleet.plan_text().empty());
    const TaskIndex task = *fleet.workload.find("old");
    CHECK(fleet.planner.status(task).shortage() == Shortage{Obstacle::recovering, 1});
    CHECK(fleet.planner.status(task).running == 1);
    CHECK(fleet.text(fleet.planner.plan({})) == Lines{"start old.1 n1 missing"});
}

// Goal: nor is anything stopped: no surplus, no duplicate, no removed task.
// Method: one of each is reported during recovery; then it ends.
TEST_CASE("during recovery nothing of an older generation is stopped", "[planner][recovery][S11]") {
    NewLeader fleet;
    fleet.put("n1", "old", 0);
    fleet.put("n2", "old", 5);
    fleet.put("n2", "removed", 0, Generation{1});
    CHECK(fleet.plan_text().empty());
    CHECK(fleet.plan_text().empty());
    fleet.unwant("old");
    CHECK(fleet.plan_text().empty());
    const Lines lines = fleet.text(fleet.planner.plan({}));
    CHECK(lines == Lines{"stop old.0 n0 unwanted", "stop old.0 n1 unwanted",
                         "stop old.5 n2 unwanted", "stop removed.0 n2 unwanted"});
}

// Goal: new tasks are not delayed.
// Method: a task is added during recovery.
TEST_CASE("during recovery a new task is started at once", "[planner][recovery]") {
    NewLeader fleet;
    fleet.want("new", 1);
    CHECK(fleet.plan_text() == Lines{"start new.0 n1 missing"});
}

// Goal: of a task changed during recovery, only reported copies are replaced, in place.
// Method: restart it while one of its two instances is known.
TEST_CASE("during recovery a changed task is replaced in place where it is reported",
          "[planner][recovery]") {
    NewLeader fleet;
    fleet.restart("old");
    CHECK(fleet.plan_text() == Lines{"start old.0 n0 rollout"});
    fleet.round(fleet.scope);
    CHECK(fleet.plan_text().empty());
    CHECK(fleet.running("old") == 1);
    REQUIRE(fleet.converge());
    CHECK(fleet.running("old") == 2);
    CHECK(fleet.violations == Lines{});
}

// Goal: recovery moves nothing.
// Method: two instances share a node while two nodes are empty.
TEST_CASE("during recovery nothing is moved", "[planner][recovery]") {
    NewLeader fleet;
    fleet.want("new", 1);
    fleet.put("n0", "new", 0);
    CHECK(fleet.plan_text().empty());
    CHECK(fleet.totals().moves == 0);
}

}  // namespace muster::coordinator::test
