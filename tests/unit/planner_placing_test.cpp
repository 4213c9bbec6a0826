#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/random.hpp"
#include "tests/unit/planner_fleet.hpp"

// Where instances may run: pools, labels, resources, spread and priority.
namespace muster::test {
namespace {

PlacementRule rule_with(const std::string& constraint) {
    PlacementRule rule;
    rule.constraints.push_back(*parse_constraint(constraint));
    return rule;
}

Offer labelled(const Labels& labels) {
    Offer offer;
    offer.labels = labels;
    return offer;
}

Offer with_slots(std::uint32_t slots) {
    Offer offer;
    offer.capacity.slots = slots;
    return offer;
}

Shortage shortage_of(const Fleet& fleet, const std::string& task) {
    return fleet.planner.status(*fleet.workload.find(task)).shortage;
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
    REQUIRE(fleet.settle());
    CHECK(fleet.load("n1") == 1);
    CHECK(fleet.load("n4") == 1);
    CHECK(fleet.running("api") == 2);
    CHECK(fleet.violations.empty());
}

TEST_CASE("what no node's labels meet is unplaced for its label, and placed when one does",
          "[planner][GO-07]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.want_placed("web", 2, rule_with("ssd exists"));
    REQUIRE(fleet.settle());
    CHECK(shortage_of(fleet, "web") == Shortage{"label", 2});
    fleet.offer("n2", labelled({{"ssd", "yes"}}));
    REQUIRE(fleet.settle());
    CHECK(fleet.load("n2") == 1);
    CHECK(shortage_of(fleet, "web") == Shortage{"max_per_node", 1});
}

TEST_CASE("tasks run in their own pool alone", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(4);
    Offer gpu;
    gpu.pool = "gpu";
    fleet.offer("n3", gpu);
    PlacementRule rule;
    rule.pool = "gpu";
    fleet.want_placed("train", 1, rule);
    fleet.want("web", 4);
    REQUIRE(fleet.settle());
    CHECK(fleet.host("n3").runs.contains({"train", 0}));
    CHECK(fleet.load("n3") == 1);
    CHECK(fleet.running("web") == 3);
    CHECK(shortage_of(fleet, "web") == Shortage{"max_per_node", 1});
    rule.pool = "none";
    fleet.want_placed("lost", 1, rule);
    REQUIRE(fleet.settle());
    CHECK(shortage_of(fleet, "lost") == Shortage{"pool", 1});
}

// Goal: slots bound what a node takes. Method: 10 tasks, 5 nodes with one slot each.
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
    REQUIRE(fleet.settle());
    std::size_t unplaced = 0;
    for (int task = 0; task < 10; ++task) {
        unplaced +=
            shortage_of(fleet, "t" + std::to_string(task)) == Shortage{"slots", 1} ? 1U : 0U;
    }
    CHECK(unplaced == 5);
    for (const auto& [name, host] : fleet.hosts()) {
        CHECK(host.runs.size() == 1);
    }
    CHECK(fleet.violations.empty());
}

// Goal: never more starts than there is room or work. Method: as said, with slots on each node.
TEST_CASE("the starts of a term are the smaller of free slots and waiting work",
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
    REQUIRE(fleet.settle());
    CHECK(shortage_of(fleet, "b") == Shortage{"slots", 1});
    CHECK(fleet.planner.plan({}).orders.empty());
    fleet.unwant("a");
    REQUIRE(fleet.settle());
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
    REQUIRE(fleet.settle());
    CHECK(fleet.load("n0") == 2);
    CHECK(fleet.load("n1") == 2);
    CHECK(shortage_of(fleet, "web") == Shortage{"cpu", 1});
    CHECK(fleet.planner.used(fleet.host("n0").index) == Use{3'000, 2'000, 2});
    CHECK(fleet.violations.empty());
}

TEST_CASE("the highest priority is placed first, without taking anybody's place", "[planner]") {
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
    REQUIRE(fleet.settle());
    CHECK(fleet.running("z-high") == 1);
    CHECK(fleet.running("b-none") == 1);
    CHECK(fleet.running("a-low") == 0);
    fleet.want_placed("y-highest", 1, high);
    REQUIRE(fleet.settle());
    CHECK(fleet.running("y-highest") == 0);
    fleet.unwant("b-none");
    REQUIRE(fleet.settle());
    CHECK(fleet.running("y-highest") == 1);
    CHECK(fleet.running("a-low") == 0);
}

// Goal: instances share the values of a label evenly, whatever the loads.
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
    REQUIRE(fleet.settle());
    PlacementRule rule;
    rule.spread = "rack";
    fleet.want_placed("web", 8, rule);
    REQUIRE(fleet.settle());
    std::map<std::string, int> count;
    for (const auto& [name, host] : fleet.hosts()) {
        for (const auto& [id, instance] : host.runs) {
            count[racks[name]] += id.task == "web" ? 1 : 0;
        }
    }
    CHECK(count["tiny"] == 1);  // It has no more nodes.
    CHECK(count["mid"] == 3);   // Fuller ones, but the label comes first.
    CHECK(count["big"] == 4);
}

// Goal: (g), a reason for each node. Method: one node for each filter.
TEST_CASE("each node says which filter rules it out", "[planner][GO-07]") {
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
    REQUIRE(fleet.settle());
    fleet.want("web", 3);
    REQUIRE(fleet.settle());
    const TaskIndex web = *fleet.workload.find("web");
    std::vector<std::string> said;
    for (const NodeVerdict& node : fleet.planner.verdicts(web, 2)) {
        said.push_back(fleet.name_of(node.node) + " " + std::string{to_string(node.verdict)} +
                       (node.detail.empty() ? "" : ": " + node.detail));
    }
    CHECK(said == std::vector<std::string>{"n0 max_per_node", "n1 pool: gpu",
                                           "n2 label: rack != r7",
                                           "n3 cpu: 400 of 400 left, 500 asked for",
                                           "n4 not_serving", "n5 max_per_node"});
    CHECK(fleet.planner.verdicts(web, 0).front().verdict == Verdict::has_copy);
    CHECK(fleet.planner.first_short("max_per_node") == web);
    CHECK_FALSE(fleet.planner.first_short("label"));
}

// ---- property: any fleet ----

namespace {

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

    void change_offer(const std::string& host) {
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
        fleet.offer(host, offer);
    }

    PlacementRule any_rule() {
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
        rule.priority = static_cast<std::int32_t>(random.below(3)) - 1;
        return rule;
    }

    std::string any_host() { return "n" + std::to_string(random.below(hosts)); }

    void change() {
        const std::string task = "t" + std::to_string(random.below(8));
        const std::string host = any_host();
        const bool is_wanted = fleet.stored().contains(task);
        switch (random.below(6)) {
            case 0:
            case 1:
                if (!is_wanted) {
                    TaskSpec spec = fleet.spec();
                    spec.max_per_node = static_cast<std::uint32_t>(1 + random.below(3));
                    fleet.want_placed(task, 0, any_rule());
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
                    fleet.come_back(host, true);
                }
                break;
            default:
                if (is_wanted) {
                    fleet.restart(task);
                }
        }
    }

    /// What keeps the node from one more instance of the task, counted from the truth.
    Verdict judge(const WantedTask& task, const std::string& name, const Fleet::Host& host) const {
        if (host.is_lost) {
            return Verdict::not_serving;
        }
        const Offer& offer = fleet.placements.offer(host.index);
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

    /// The fullest node's instances cannot go where at least two fewer are.
    bool is_locally_best() {
        for (const auto& [name, host] : fleet.hosts()) {
            for (const auto& [id, instance] : host.runs) {
                for (const auto& [other_name, other] : fleet.hosts()) {
                    const WantedTask& task = fleet.stored().at(id.task).wanted;
                    if (!host.is_lost && task.place.spread.empty() &&
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

}  // namespace

// Goal: whatever the fleet and its history: no start where a filter says no, nothing unplaced while
// some node fits, what is reserved is what is placed, and no single move would even out more.
// Method: random offers, rules and histories; the truth is recounted from what runs.
TEST_CASE("in any fleet, what can be placed is placed, only where it fits", "[planner][SP-3]") {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        World world{seed};
        Fleet& fleet = world.fleet;
        for (int step = 0; step < 12; ++step) {
            CAPTURE(step);
            for (std::uint64_t changes = 1 + world.random.below(3); changes > 0; --changes) {
                world.change();
            }
            REQUIRE(fleet.settle());
            // A move that was crowded out is decided anew in the term after.
            fleet.term();
            REQUIRE(fleet.settle());
            REQUIRE(fleet.violations == std::vector<std::string>{});
            for (const auto& [name, stored] : fleet.stored()) {
                CAPTURE(name);
                const std::uint32_t running = fleet.running(name);
                REQUIRE(running + shortage_of(fleet, name).count == stored.wanted.instances);
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
            REQUIRE(world.is_locally_best());
        }
    }
}

}  // namespace muster::test
