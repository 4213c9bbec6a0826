#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"
#include "tests/unit/coordinator/core/planning/planner_rules.hpp"

// Where instances may run: pools, labels, resources, spread and priority.
namespace muster::coordinator::test {
namespace {

Offer labelled(const Labels& labels) {
    Offer offer;
    offer.labels = labels;
    return offer;
}

Shortage shortage_of(const Fleet& fleet, const std::string& task) {
    return fleet.planner.status(*fleet.workload.find(task)).shortage();
}

}  // namespace

TEST_CASE("instances run only on nodes whose labels meet the constraints", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(6);
    for (const char* host : {"n1", "n4"}) {
        fleet.offer(host, labelled({{"rack", "r7"}}));
    }
    fleet.want_placed("web", 2, rule_with("rack = r7"));
    fleet.want_placed("api", 2, rule_with("rack != r7"));
    REQUIRE(fleet.converge());
    CHECK(fleet.load("n1") == 1);
    CHECK(fleet.load("n4") == 1);
    CHECK(fleet.running("api") == 2);
    CHECK(fleet.violations.empty());
}

TEST_CASE("an instance whose label no node has is unplaced for it, and placed when one does",
          "[planner][GO-07]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.want_placed("web", 2, rule_with("ssd exists"));
    REQUIRE(fleet.converge());
    CHECK(shortage_of(fleet, "web") == Shortage{Obstacle::label, 2});
    fleet.offer("n2", labelled({{"ssd", "yes"}}));
    REQUIRE(fleet.converge());
    CHECK(fleet.load("n2") == 1);
    CHECK(shortage_of(fleet, "web") == Shortage{Obstacle::max_per_node, 1});
}

TEST_CASE("tasks run only in their own pool", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(4);
    Offer gpu;
    gpu.pool = "gpu";
    fleet.offer("n3", gpu);
    PlacementRule rule;
    rule.pool = "gpu";
    fleet.want_placed("train", 1, rule);
    fleet.want("web", 4);
    REQUIRE(fleet.converge());
    CHECK(fleet.host("n3").runs.contains({"train", 0}));
    CHECK(fleet.load("n3") == 1);
    CHECK(fleet.running("web") == 3);
    CHECK(shortage_of(fleet, "web") == Shortage{Obstacle::max_per_node, 1});
    rule.pool = "none";
    fleet.want_placed("lost", 1, rule);
    REQUIRE(fleet.converge());
    CHECK(shortage_of(fleet, "lost") == Shortage{Obstacle::pool, 1});
}

// Goal: slots limit a node's instances. Method: 10 tasks, 5 nodes with one slot each.
TEST_CASE("ten tasks on five nodes of one slot are five placed and five unplaced",
          "[planner][SC-16]") {
    Fleet fleet;
    fleet.add_hosts(5);
    for (const auto& [name, host] : fleet.hosts()) {
        fleet.offer(name, with_slots(1));
    }
    for (int task = 0; task < 10; ++task) {
        fleet.want("t" + std::to_string(task), 1);
    }
    REQUIRE(fleet.converge());
    std::size_t unplaced = 0;
    for (int task = 0; task < 10; ++task) {
        unplaced += shortage_of(fleet, "t" + std::to_string(task)) == Shortage{Obstacle::slots, 1}
                        ? 1U
                        : 0U;
    }
    CHECK(unplaced == 5);
    for (const auto& [name, host] : fleet.hosts()) {
        CHECK(host.runs.size() == 1);
    }
    CHECK(fleet.violations.empty());
}

// Goal: never more starts than there is room or work. Method: as the name says, with slots on each
// node.
TEST_CASE("the starts of a round are the smaller of free slots and waiting work",
          "[planner][SC-26]") {
    for (const std::uint32_t tasks : {3U, 6U, 20U}) {
        Fleet fleet;
        fleet.add_hosts(3);
        for (const auto& [name, host] : fleet.hosts()) {
            fleet.offer(name, with_slots(2));
        }
        for (std::uint32_t task = 0; task < tasks; ++task) {
            fleet.want("t" + std::to_string(task), 1);
        }
        CHECK(fleet.planner.plan({}).orders.size() == std::min(tasks, 6U));
    }
}

TEST_CASE("a task that waits for room is placed when some instance is gone", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(1);
    fleet.offer("n0", with_slots(1));
    fleet.want("a", 1);
    fleet.want("b", 1);
    REQUIRE(fleet.converge());
    CHECK(shortage_of(fleet, "b") == Shortage{Obstacle::slots, 1});
    CHECK(fleet.planner.plan({}).orders.empty());
    fleet.unwant("a");
    REQUIRE(fleet.converge());
    CHECK(fleet.running("b") == 1);
}

TEST_CASE("cpu and memory that are reserved or placed are not given again", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(2);
    Offer offer;
    offer.capacity = {.cpu_milli = 4'000, .memory_bytes = 8'000, .slots = {}};
    offer.reserved = {.cpu_milli = 1'000, .memory_bytes = 0, .slots = 0};
    fleet.offer("n0", offer);
    fleet.offer("n1", offer);
    PlacementRule rule;
    rule.request = {.cpu_milli = 1'500, .memory_bytes = 1'000, .slots = 1};
    TaskSpec spec = fleet.spec();
    spec.max_per_node = 10;
    fleet.want_placed("web", 1, rule);
    fleet.want("web", 5, spec);
    REQUIRE(fleet.converge());
    CHECK(fleet.load("n0") == 2);
    CHECK(fleet.load("n1") == 2);
    CHECK(shortage_of(fleet, "web") == Shortage{Obstacle::cpu, 1});
    CHECK(fleet.planner.used(fleet.host("n0").index) == Use{3'000, 2'000, 2});
    CHECK(fleet.violations.empty());
}

TEST_CASE("the highest priority is placed first, and no other instance loses its place",
          "[planner]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.offer("n0", with_slots(1));
    fleet.offer("n1", with_slots(1));
    PlacementRule high;
    high.priority = 10;
    PlacementRule low;
    low.priority = -1;
    fleet.want_placed("a-low", 1, low);
    fleet.want("b-none", 1);
    fleet.want_placed("z-high", 1, high);
    REQUIRE(fleet.converge());
    CHECK(fleet.running("z-high") == 1);
    CHECK(fleet.running("b-none") == 1);
    CHECK(fleet.running("a-low") == 0);
    fleet.want_placed("y-highest", 1, high);
    REQUIRE(fleet.converge());
    CHECK(fleet.running("y-highest") == 0);
    fleet.unwant("b-none");
    REQUIRE(fleet.converge());
    CHECK(fleet.running("y-highest") == 1);
    CHECK(fleet.running("a-low") == 0);
}

// Goal: instances are spread evenly over the values of a label, whatever the loads.
TEST_CASE("a spread puts as many instances on each value of the label as on any other",
          "[planner]") {
    Fleet fleet;
    fleet.add_hosts(12);
    std::map<std::string, std::string> racks;
    for (int host = 0; host < 12; ++host) {
        const std::string name = "n" + std::to_string(host);
        racks[name] = host < 8 ? "big" : host < 11 ? "mid" : "tiny";
        fleet.offer(name, labelled({{"rack", racks[name]}}));
    }
    fleet.want_placed("other", 3, rule_with("rack = mid"));
    REQUIRE(fleet.converge());
    PlacementRule rule;
    rule.spread = "rack";
    fleet.want_placed("web", 8, rule);
    REQUIRE(fleet.converge());
    std::map<std::string, int> count;
    for (const auto& [name, host] : fleet.hosts()) {
        for (const auto& [id, instance] : host.runs) {
            count[racks[name]] += id.task == "web" ? 1 : 0;
        }
    }
    CHECK(count["tiny"] == 1);  // It has no more nodes.
    CHECK(count["mid"] == 3);   // More loaded nodes, but the label comes first.
    CHECK(count["big"] == 4);
}

// Goal: (g), a reason for each node. Method: one node for each filter.
TEST_CASE("each node shows the filter that rules it out", "[planner][GO-07]") {
    Fleet fleet;
    fleet.add_hosts(6);
    Offer offer;
    offer.pool = "gpu";
    fleet.offer("n1", offer);
    fleet.offer("n2", labelled({{"rack", "r7"}}));
    offer = {};
    offer.capacity.cpu_milli = 1'000;
    offer.reserved.cpu_milli = 600;
    fleet.offer("n3", offer);
    fleet.lose("n4");
    PlacementRule rule = rule_with("rack != r7");
    rule.request.cpu_milli = 500;
    fleet.want_placed("web", 2, rule);
    REQUIRE(fleet.converge());
    fleet.want("web", 3);
    REQUIRE(fleet.converge());
    const TaskIndex web = *fleet.workload.find("web");
    std::vector<std::string> verdicts;
    for (const NodeVerdict& node : fleet.planner.verdicts(web, 2)) {
        verdicts.push_back(fleet.name_of(node.node) + " " + std::string{to_string(node.verdict)} +
                           (node.detail.empty() ? "" : ": " + node.detail));
    }
    CHECK(verdicts ==
          std::vector<std::string>{"n0 max_per_node: web.0", "n1 pool: gpu", "n2 label: rack != r7",
                                   "n3 cpu: 0.4 cores of 0.4 cores free, 0.5 cores needed",
                                   "n4 not_serving", "n5 max_per_node: web.1"});
    CHECK(fleet.planner.verdicts(web, 0).front().verdict == Verdict::has_copy);
    CHECK(fleet.planner.first_short(Obstacle::max_per_node) == web);
    CHECK_FALSE(fleet.planner.first_short(Obstacle::label));
}

// Goal: no copy is moved that is about to be stopped, and the last wanted one stays.
// Method: a crowded rack, and fewer instances wanted at the moment an empty node joins it.
TEST_CASE("surplus copies are stopped before any move, also with constraints", "[planner][GO-D2]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.offer("n0", labelled({{"rack", "r7"}}));
    PlacementRule rule = rule_with("rack = r7");
    TaskSpec spec = fleet.spec();
    spec.max_per_node = 6;
    fleet.want_placed("web", 0, rule);
    fleet.want("web", 6, spec);
    REQUIRE(fleet.converge());
    CHECK(fleet.load("n0") == 6);
    fleet.trace.clear();
    fleet.want("web", 1, spec);
    fleet.offer("n1", labelled({{"rack", "r7"}}));
    REQUIRE(fleet.converge());
    CHECK(fleet.trace.size() == 5);
    CHECK(std::ranges::all_of(fleet.trace,
                              [](const std::string& line) { return line.starts_with("stop"); }));
    CHECK(fleet.running("web") == 1);
    CHECK(fleet.violations.empty());
}

// Goal: a changed rule or label moves exactly what no longer suits.
TEST_CASE("instances that no longer suit their node are moved, the new copy first", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(4);
    fleet.offer("n2", labelled({{"rack", "r7"}}));
    fleet.offer("n3", labelled({{"rack", "r7"}}));
    fleet.want("web", 2);
    REQUIRE(fleet.converge());
    const Generation before = fleet.generation("web");
    fleet.trace.clear();
    fleet.want_placed("web", 2, rule_with("rack = r7"));
    REQUIRE(fleet.converge());
    CHECK(fleet.generation("web") == before);
    CHECK(fleet.load("n2") == 1);
    CHECK(fleet.load("n3") == 1);
    CHECK(fleet.trace == std::vector<std::string>{"start web.0 n2 unfit", "stop web.0 n0 unfit",
                                                  "start web.1 n3 unfit", "stop web.1 n1 unfit"});
    fleet.offer("n3", {});
    fleet.offer("n1", labelled({{"rack", "r7"}}));
    REQUIRE(fleet.converge());
    CHECK(fleet.load("n1") == 1);
    CHECK(fleet.load("n3") == 0);
    CHECK(fleet.violations.empty());
}

TEST_CASE("an instance that no node suits any more keeps running where it is", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want("web", 1);
    REQUIRE(fleet.converge());
    fleet.trace.clear();
    fleet.want_placed("web", 1, rule_with("rack = r7"));
    REQUIRE(fleet.converge());
    CHECK(fleet.trace.empty());
    CHECK(fleet.running("web") == 1);
}

}  // namespace muster::coordinator::test
