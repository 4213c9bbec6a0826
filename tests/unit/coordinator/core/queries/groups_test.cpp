#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

namespace muster::coordinator::testing {
namespace {

CoreRequestBody of_group(const std::string& task, const std::string& group) {
    WantedTask wanted = CoordinatorHarness::wanted(task, 1);
    wanted.place.group = group;
    return ApplyRequest{.tasks = {wanted}};
}

}  // namespace

// Goal: an operator sees which nodes are warm for a group, while it runs and after.
// Method: two nodes, one group; its task is removed.
TEST_CASE("a group is shown with its tasks and the nodes warm for it", "[coordinator][views]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    REQUIRE(harness.ask(of_group("web", "cache"), harness.fresh_id())->result);
    harness.want("alone", 1);
    harness.pass(3s);
    CHECK(harness.read<GroupListReply>(GroupListRequest{}).groups ==
          std::vector<GroupView>{{"cache", 1, 1, 1, 0}});
    auto shown = harness.read<GroupShowReply>(GroupShowRequest{"cache"});
    CHECK(shown.tasks == std::vector<std::string>{"web"});
    REQUIRE(shown.nodes.size() == 1);
    CHECK(shown.nodes.front().node == "n1");
    CHECK_FALSE(shown.nodes.front().idle);
    REQUIRE(harness.ask(TaskRemoveRequest{"web"}, harness.fresh_id())->result);
    harness.pass(3s);
    shown = harness.read<GroupShowReply>(GroupShowRequest{"cache"});
    CHECK(shown.group == GroupView{"cache", 0, 0, 1, 1});
    CHECK(shown.nodes.front().idle);
}

TEST_CASE("an unknown group is not found, and a bad pattern is an error", "[coordinator][views]") {
    CoordinatorHarness harness;
    CHECK(harness.read<GroupListReply>(GroupListRequest{}).groups.empty());
    CHECK(harness.ask(GroupShowRequest{"cache"})->result.error().code == Errc::not_found);
    CHECK_FALSE(harness.ask(GroupListRequest{"g[9-1]"})->result);
}

}  // namespace muster::coordinator::testing
