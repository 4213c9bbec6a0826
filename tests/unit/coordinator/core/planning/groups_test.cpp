#include "coordinator/core/planning/index/groups.hpp"

#include <set>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"
#include "tests/unit/coordinator/core/planning/planner_rules.hpp"

namespace muster::coordinator::test {
namespace {

PlacementRule of_group(const std::string& group) {
    PlacementRule rule;
    rule.group = group;
    return rule;
}

constexpr NodeIndex n0{0};
constexpr NodeIndex n1{1};

std::string home_of(Fleet& fleet, const std::string& task) {
    for (const auto& [name, host] : fleet.hosts()) {
        if (host.runs.contains({task, 0})) {
            return name;
        }
    }
    return "nowhere";
}

}  // namespace

TEST_CASE("a node is warm for the group that started last on it, in any order of reports",
          "[planner]") {
    Groups groups;
    CHECK(groups.warm_for(n0).empty());
    groups.ran(n0, "B", CivilMs{20});
    groups.ran(n0, "A", CivilMs{10});
    CHECK(groups.warm_for(n0) == "B");
    CHECK(groups.warm("A").empty());
    groups.ran(n0, "A", CivilMs{30});
    CHECK(groups.warm_for(n0) == "A");
    CHECK(groups.since(n0) == CivilMs{30});
}

TEST_CASE("forgetting the last node of a group leaves no empty group", "[planner][SC-D8]") {
    Groups groups;
    groups.ran(n0, "A", CivilMs{1});
    groups.ran(n1, "A", CivilMs{1});
    groups.forget(n0);
    CHECK(groups.names() == std::vector<std::string>{"A"});
    groups.forget(n1);
    groups.forget(n1);
    CHECK(groups.count() == 0);
}

TEST_CASE("a group whose last node another group takes is gone", "[planner]") {
    Groups groups;
    groups.ran(n0, "A", CivilMs{1});
    groups.ran(n0, "B", CivilMs{2});
    CHECK(groups.names() == std::vector<std::string>{"B"});
}

TEST_CASE("if there are too many groups, the one that has not run for the longest is forgotten",
          "[planner]") {
    Groups groups;
    for (std::uint32_t i = 0; i < limits::groups; ++i) {
        groups.ran(NodeIndex{i}, "g" + std::to_string(i), CivilMs{1});
    }
    groups.ran(n0, "g0", CivilMs{2});
    groups.ran(NodeIndex{limits::groups}, "one more", CivilMs{1});
    CHECK(groups.count() == limits::groups);
    CHECK(groups.warm_for(n0) == "g0");
    CHECK(groups.warm_for(n1).empty());
}

// Goal: a group gets its former node again. Method: A ran on one node and B on another; both are
// removed and added again, while the first nodes by name are warm for nothing.
TEST_CASE("an instance goes to a node warm for its group, else to one of no group, else to any",
          "[planner][SC-17]") {
    Fleet fleet;
    fleet.add_hosts(4);
    fleet.want("fill", 2);  // On n0 and n1, so that A and B are placed on n2 and n3.
    REQUIRE(fleet.converge());
    fleet.want_placed("a", 1, of_group("A"));
    fleet.want_placed("b", 1, of_group("B"));
    REQUIRE(fleet.converge());
    REQUIRE(home_of(fleet, "a") == "n2");
    REQUIRE(home_of(fleet, "b") == "n3");
    fleet.unwant("a");
    fleet.unwant("b");
    fleet.unwant("fill");
    REQUIRE(fleet.converge());
    fleet.want_placed("b2", 1, of_group("B"));
    fleet.want_placed("a2", 1, of_group("A"));
    REQUIRE(fleet.converge());
    CHECK(home_of(fleet, "a2") == "n2");
    CHECK(home_of(fleet, "b2") == "n3");
    // The warm nodes are busy: next are nodes of no group, then any.
    fleet.want_placed("a3", 1, of_group("A"));
    fleet.want_placed("a4", 1, of_group("A"));
    REQUIRE(fleet.converge());
    CHECK(std::set{home_of(fleet, "a3"), home_of(fleet, "a4")} ==
          std::set<std::string>{"n0", "n1"});
    fleet.want_placed("a5", 1, of_group("A"));
    REQUIRE(fleet.converge());
    CHECK(home_of(fleet, "a5") == "n0");
    CHECK(fleet.violations.empty());
}

// Goal: a group keeps its warm node while another node is warm for nothing. Method: one node is
// warm for B and idle; the other has run no group, and has more load.
TEST_CASE("without a warm node a node of no group is preferred to one warm for another group",
          "[planner][SC-17]") {
    Fleet fleet;
    fleet.add("n0");
    fleet.want_placed("b", 1, of_group("B"));
    REQUIRE(fleet.converge());
    fleet.unwant("b");
    REQUIRE(fleet.converge());
    fleet.add("n1");
    fleet.want_placed("fill", 1, rule_with("node = n1"));
    REQUIRE(fleet.converge());
    REQUIRE(home_of(fleet, "fill") == "n1");
    fleet.want_placed("a", 1, of_group("A"));
    fleet.round();
    CHECK(home_of(fleet, "a") == "n1");
    CHECK(fleet.violations.empty());
}

TEST_CASE("a node that ended an instance of a group is idle and still warm for it", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want_placed("a", 1, of_group("A"));
    REQUIRE(fleet.converge());
    const NodeIndex node = fleet.host("n0").index;
    CHECK(fleet.planner.groups().warm_for(node) == "A");
    CHECK_FALSE(fleet.planner.groups().is_idle(node));
    fleet.unwant("a");
    REQUIRE(fleet.converge());
    CHECK(fleet.planner.groups().warm_for(node) == "A");
    CHECK(fleet.planner.groups().is_idle(node));
    fleet.remove("n0");
    REQUIRE(fleet.converge());
    CHECK(fleet.planner.groups().count() == 0);
}

}  // namespace muster::coordinator::test
