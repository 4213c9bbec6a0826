#include "coordinator/core/membership/refusals.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

using Names = std::vector<std::string>;

CoordinatorOptions listed_only() {
    CoordinatorOptions options;
    options.listed_only = true;
    return options;
}

std::size_t times_reported(const CoordinatorHarness& harness, const std::string& name) {
    return static_cast<std::size_t>(std::ranges::count_if(harness.events, [&](const Event& event) {
        return event.topic == "node.refused" && event.name == name;
    }));
}

}  // namespace

// Goal: a refused agent is visible to an operator who can admit it.
// Method: an unlisted agent sends a hello three times, then an operator lists it.
TEST_CASE("an agent that cannot join is counted, named and published once",
          "[coordinator][inventory]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), listed_only()};
    CHECK(harness.status().mode == "listed");
    FakeAgent& n7 = harness.add("n7");
    for (int hello = 0; hello < 3; ++hello) {
        harness.send_hello(n7);
        harness.pass(2s);
    }
    CHECK(n7.refusals.size() == 3);
    CHECK(harness.status().refused == 3);
    CHECK(harness.status().refused_names == Names{"n7"});
    CHECK(harness.read<NodeListReply>(NodeListRequest{}).refused == Names{"n7"});
    CHECK(harness.read<NodeListReply>(NodeListRequest{"n8"}).refused.empty());
    CHECK(times_reported(harness, "n7") == 1);
    CHECK(harness.status().nodes == 0);

    REQUIRE(harness.ask(NodeAddRequest{{{.name = "n7"}}}, harness.fresh_id())->result);
    CHECK(harness.status().refused_names.empty());
    CHECK(harness.read<NodeListReply>(NodeListRequest{}).refused.empty());
    harness.send_hello(n7);
    CHECK(harness.status().refused == 3);
    CHECK(harness.status().nodes == 1);
}

TEST_CASE("a removed name is shown, and its agent as refused until it gives up",
          "[coordinator][inventory]") {
    CoordinatorHarness harness;
    CHECK(harness.status().mode == "open");
    harness.join("n1");
    harness.join("n2");
    REQUIRE(harness.ask(NodeRemoveRequest{.pattern = "n1", .force = true})->result);
    CHECK(harness.read<NodeListReply>(NodeListRequest{}).removed == Names{"n1"});
    harness.send_hello(harness["n1"]);
    CHECK(harness.status().refused_names == Names{"n1"});
    harness.pass(90s);
    CHECK(harness.status().refused_names.empty());
    CHECK(harness.status().refused == 1);
}

// Goal: invented names use no memory and displace no other event.
// Method: a thousand names in one round, then one a round for an hour.
TEST_CASE("only a few of many refused names are kept and published", "[coordinator][inventory]") {
    Refusals refusals;
    std::size_t reported = 0;
    const auto add = [&](int number, std::uint64_t round) {
        reported += refusals.add("x" + std::to_string(number), Round{round}) ? 1U : 0U;
    };
    for (int number = 0; number < 1'000; ++number) {
        add(number, 5);
    }
    CHECK(reported == Refusals::kept);
    CHECK(refusals.recent(Round{5}).size() == Refusals::kept);
    CHECK(refusals.recent(Round{5}).front() == "x999");
    for (std::uint64_t round = 6; round < 3'606; ++round) {
        add(static_cast<int>(round), round);
    }
    CHECK(reported <= Refusals::kept + 3'600 / Refusals::rounds_between);
    CHECK(refusals.recent(Round{3'605 + Refusals::recent_rounds + 1}).empty());
    CHECK(refusals.total() == 4'600);
}
