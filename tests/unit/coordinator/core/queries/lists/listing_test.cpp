#include "coordinator/core/queries/lists/listing.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;

namespace {

/// More than one piece of a list holds.
constexpr std::size_t long_list = 1'500;

std::string name_of(std::size_t number) { return "t" + std::to_string(10'000 + number); }

void want_many(CoordinatorHarness& harness) {
    ApplyRequest apply;
    for (std::size_t number = 0; number < long_list; ++number) {
        apply.tasks.push_back(CoordinatorHarness::wanted(name_of(number), 1));
    }
    const Ticket asked = harness.request(apply);
    harness.pass(0s);
    REQUIRE(harness.reply_to(asked)->result);
}

std::vector<std::string> names_in(const Result<ReplyBody>& list) {
    REQUIRE(list);
    std::vector<std::string> names;
    for (const TaskView& task : std::get<TaskListReply>(*list).tasks) {
        names.push_back(task.name);
    }
    CHECK(std::ranges::is_sorted(names));
    CHECK(std::ranges::adjacent_find(names) == names.end());
    return names;
}

}  // namespace

// Goal: a list in pieces equals the list. Method: the same list at once and in pieces.
TEST_CASE("a list in pieces has every row once, in the order of names", "[queries]") {
    CoordinatorHarness harness;
    want_many(harness);
    auto list = *Listing::of(TaskListRequest{"t1*"});
    int pieces = 1;
    while (harness.coordinator.go_on(harness.now, list)) {
        ++pieces;
    }
    CHECK(pieces > 2);
    const auto names = names_in(list.take());
    CHECK(names.size() == long_list);
    CHECK(names == names_in(ReplyBody{harness.read<TaskListReply>(TaskListRequest{"t1*"})}));
    CHECK_FALSE(Listing::of(StatusRequest{}));
}

// Goal: changes between two pieces break nothing. Method: tasks are added, removed and added again,
// at positions before and after the list's position.
TEST_CASE("a list that is made while tasks are added and removed has no name twice", "[queries]") {
    CoordinatorHarness harness;
    want_many(harness);
    auto list = *Listing::of(TaskListRequest{});
    REQUIRE(harness.coordinator.go_on(harness.now, list));
    for (const std::size_t number : {std::size_t{3}, long_list - 3}) {
        REQUIRE(harness.ask(TaskRemoveRequest{name_of(number)})->result);
    }
    harness.pass(3s);  // Their indices become free.
    // The first takes an index before the list's position, or one after it.
    for (const std::size_t number : {long_list - 3, std::size_t{3}}) {
        REQUIRE(
            harness.ask(TaskAddRequest{CoordinatorHarness::wanted(name_of(number), 1)})->result);
    }
    while (harness.coordinator.go_on(harness.now, list)) {
    }
    const auto names = names_in(list.take());
    CHECK(names.size() >= long_list - 1);  // One was removed and added before the list's position.
    CHECK(names.size() <= long_list);
}

TEST_CASE("a list of nodes continues after the last name", "[queries]") {
    std::vector<StoredNode> stored;
    for (std::size_t number = 0; number < long_list; ++number) {
        stored.push_back(CoordinatorHarness::stored(name_of(number)));
    }
    CoordinatorHarness harness{CoordinatorHarness::store_with(stored)};
    auto list = *Listing::of(NodeListRequest{});
    REQUIRE(harness.coordinator.go_on(harness.now, list));
    harness.join("a-passed-name");
    harness.join("z-coming-name");
    while (harness.coordinator.go_on(harness.now, list)) {
    }
    const auto reply = list.take();
    REQUIRE(reply);
    const auto& nodes = std::get<NodeListReply>(*reply).nodes;
    CHECK(nodes.size() == long_list + 1);
    CHECK(std::ranges::is_sorted(nodes, {}, &NodeView::name));
    CHECK(nodes.back().name == "z-coming-name");
}

TEST_CASE("a list for an invalid pattern is refused", "[queries]") {
    CoordinatorHarness harness;
    auto list = *Listing::of(TaskListRequest{"["});
    CHECK_FALSE(harness.coordinator.go_on(harness.now, list));
    const auto reply = list.take();
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == Errc::invalid);
}
