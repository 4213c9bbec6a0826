#include <cstddef>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

// The bound on the number of node names.
using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

// Goal: pending names count against the bound, too.
// Method: several lists while the store confirms nothing, then one more name at the bound.
TEST_CASE("names that wait for the store count against the bound of names",
          "[intents][inventory]") {
    CoordinatorHarness harness;
    harness.join("n0");
    const auto names = [](char first, std::size_t count) {
        NodeAddRequest request;
        for (std::size_t i = 0; i < count; ++i) {
            request.nodes.push_back({.name = first + std::to_string(i)});
        }
        return request;
    };
    harness.store_works = false;
    const Ticket first = harness.request(names('a', limits::nodes / 2));
    CHECK(harness.ask(names('b', limits::nodes / 2))->result.error().code == Errc::too_large);
    const Ticket again = harness.request(names('a', limits::nodes / 2));
    const Ticket last = harness.request(names('b', limits::nodes / 2 - 1));
    CHECK(harness.ask(names('c', 1))->result.error().detail ==
          "there would be 200001 nodes; at most 200000 are possible");
    harness.request(names('a', limits::nodes / 2));
    CHECK(harness.ask(names('b', 1))->result.error().code == Errc::busy);
    harness.store_works = true;
    harness.confirm();
    for (const Ticket ticket : {first, again, last}) {
        CHECK(harness.reply_to(ticket)->result);
    }
    CHECK(harness.status().nodes == limits::nodes);
    CHECK(harness.ask(names('c', 1))->result.error().code == Errc::too_large);
    FakeAgent& stranger = harness.add("stranger");
    harness.send_hello(stranger);
    REQUIRE(stranger.refusals.size() == 1);
    CHECK(stranger.refusals.front().code == Errc::busy);
    CHECK_THAT(stranger.refusals.front().detail, Catch::StartsWith("there are 200000 nodes, and"));
    CHECK(harness.ask(NodeAddRequest{{{.name = "n0"}}})->result);  // It already exists.
}

TEST_CASE("a list of nodes can replace one as long as there is room for either",
          "[intents][inventory]") {
    const auto names = [](char first) {
        NodeApplyRequest request;
        for (std::size_t i = 0; i < limits::nodes / 2 + 1; ++i) {
            request.nodes.push_back({.name = first + std::to_string(i)});
        }
        return request;
    };
    CoordinatorOptions options;
    options.listed_only = true;
    CoordinatorHarness listed{CoordinatorHarness::empty_store(), options};
    REQUIRE(listed.ask(names('a'))->result);
    REQUIRE(listed.ask(names('b'))->result);
    CHECK(listed.status().nodes == limits::nodes / 2 + 1);
    NodeApplyRequest longer = names('a');
    longer.nodes.resize(limits::nodes + 1, {.name = "c"});
    CHECK(listed.ask(longer)->result.error().detail ==
          "200001 nodes are named; at most 200000 are possible");
}
