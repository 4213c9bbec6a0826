// What the predecessor of muster lacked: facts of nodes and tasks that decide placement, a store, a
// leader, and a metric for unplaced instances.

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

WantedTask wanted(const std::string& name, const PlacementRule& rule) {
    WantedTask task = CoordinatorHarness::wanted(name, 1);
    task.place = rule;
    return task;
}

PlacementRule with_constraint(const std::string& constraint) {
    PlacementRule rule;
    rule.constraints.push_back(*parse_constraint(constraint));
    return rule;
}

void join(CoordinatorHarness& harness, const std::string& name, const Offer& offer) {
    FakeAgent& fake = harness.add(name);
    Hello hello = CoordinatorHarness::hello_of(fake);
    hello.offer = offer;
    harness.give(FromAgent{fake.session, hello});
}

void apply(CoordinatorHarness& harness, std::vector<WantedTask> tasks) {
    const auto reply = harness.ask(ApplyRequest{.tasks = std::move(tasks)}, harness.fresh_id());
    INFO((reply->result ? "" : reply->result.error().detail));
    REQUIRE(reply->result);
}

/// Three nodes: n0 has little of everything, n1 an SSD, n2 two processors.
void join_three(CoordinatorHarness& harness) {
    Offer offer;
    offer.capacity.cpu_milli = 500;
    join(harness, "n0", offer);
    offer.labels["ssd"] = "yes";
    join(harness, "n1", offer);
    offer.labels.clear();
    offer.capacity.cpu_milli = 2'000;
    join(harness, "n2", offer);
    harness.pass(1s);
}

std::string home_of(CoordinatorHarness& harness, const std::string& task) {
    const auto shown = harness.read<TaskShowReply>(TaskShowRequest{task});
    return shown.instances.empty() ? "" : shown.instances.front().node;
}

/// The store's contents after all writes of the coordinator.
StoreImage stored_by(const CoordinatorHarness& harness) {
    StoreImage image = CoordinatorHarness::empty_store();
    for (const Persist& persist : harness.persisted) {
        for (const Write& write : persist.writes) {
            if (const auto* const meta = std::get_if<Meta>(&write)) {
                image.meta = *meta;
            } else if (const auto* const task = std::get_if<Shared<StoredTask>>(&write)) {
                std::erase_if(image.tasks, [&](const StoredTask& other) {
                    return other.wanted.name == (*task)->wanted.name;
                });
                image.tasks.push_back(**task);
            }
        }
    }
    return image;
}

}  // namespace

// Goal: resources and constraints decide. Method: tasks that only one node suits, which is first
// neither by name nor by load; then one that no node suits, and the metric.
TEST_CASE("resources and constraints decide where a task runs, and a metric counts the unplaced",
          "[coordinator][planner][GO-D14]") {
    CoordinatorHarness harness;
    join_three(harness);
    PlacementRule large;
    large.request.cpu_milli = 1'500;
    apply(harness, {wanted("big", large), wanted("fast", with_constraint("ssd exists"))});
    harness.pass(2s);
    CHECK(home_of(harness, "big") == "n2");
    CHECK(home_of(harness, "fast") == "n1");

    apply(harness, {wanted("more", large), wanted("odd", with_constraint("ssd = no"))});
    harness.pass(2s);
    CHECK(harness.running("more") == 0);
    CHECK(harness.running("odd") == 0);
    const auto stats = harness.read<StatsReply>(StatsRequest{});
    const auto unplaced = [&](const std::string& reason) {
        const auto found = std::ranges::find_if(stats.samples, [&](const Sample& sample) {
            return sample.name == "muster_unplaced" &&
                   sample.labels == MetricLabels{{"reason", reason}};
        });
        return found == stats.samples.end() ? 0 : found->value;
    };
    CHECK(unplaced("cpu") == 1);
    CHECK(unplaced("label") == 1);
}

// Goal: an instance goes where the last one of its group ran. Method: it ran on the last node by
// name; all nodes are idle.
TEST_CASE("affinity decides where a task runs", "[coordinator][planner][GO-D14]") {
    CoordinatorHarness harness;
    for (const char* const node : {"n0", "n1", "n2"}) {
        harness.join(node);
    }
    harness.pass(1s);
    PlacementRule there = with_constraint("node = n2");
    there.group = "images";
    apply(harness, {wanted("first", there)});
    harness.pass(2s);
    REQUIRE(home_of(harness, "first") == "n2");
    REQUIRE(harness.ask(TaskRemoveRequest{"first"}, harness.fresh_id())->result);
    harness.pass(3s);
    PlacementRule anywhere;
    anywhere.group = "images";
    apply(harness, {wanted("second", anywhere)});
    harness.pass(2s);
    CHECK(home_of(harness, "second") == "n2");
}

// Goal: the wanted state outlives a leadership, a batch names its leader, and the same input gives
// the same plan. Method: a second leadership on the stored rows; its nodes join in another order,
// and run nothing.
TEST_CASE("a leadership on the stored tasks makes the same plan, and names itself as leader",
          "[coordinator][planner][GO-D14]") {
    const std::vector<std::string> tasks{"a", "b", "c", "d", "e"};
    CoordinatorHarness first;
    for (const char* const node : {"n0", "n1", "n2"}) {
        first.join(node);
    }
    first.pass(1s);
    std::vector<WantedTask> all;
    for (const std::string& task : tasks) {
        all.push_back(CoordinatorHarness::wanted(task, 1));
    }
    apply(first, std::move(all));
    const StoreImage image = stored_by(first);
    REQUIRE(image.tasks.size() == tasks.size());

    CoordinatorHarness second{image};
    for (const char* const node : {"n2", "n0", "n1"}) {
        second.join(node);
    }
    second.pass(1s);
    for (const std::string& task : tasks) {
        CAPTURE(task);
        CHECK_FALSE(home_of(second, task).empty());
        CHECK(home_of(second, task) == home_of(first, task));
    }
    REQUIRE(second["n0"].batches.size() == 1);
    CHECK(second["n0"].batches.front().leader == CoordinatorHarness::leader);
    CHECK(second["n0"].batches.front().starts.size() == 2);
}
