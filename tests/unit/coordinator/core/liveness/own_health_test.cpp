#include "coordinator/core/liveness/own_health.hpp"

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

void close_after(OwnHealth& own, Duration late) {
    (void)own.was_late(late);
    own.round_closed(Instant{1s});
}

}  // namespace

TEST_CASE(
    "patience grows with the coordinator's own lateness, to a bound, and shrinks step by step",
    "[own_health][S10]") {
    OwnHealth own{1s};
    close_after(own, 499ms);
    CHECK(own.patience() == 1);
    close_after(own, 500ms);
    CHECK(own.patience() == 2);
    close_after(own, 3s);
    CHECK(own.patience() == 5);
    close_after(own, 3min);
    CHECK(own.patience() == 8);
    for (std::uint32_t left = 7; left > 1; --left) {
        close_after(own, 0s);
        CHECK(own.patience() == left);
    }
    close_after(own, 0s);
    close_after(own, 0s);
    CHECK(own.patience() == 1);
}

TEST_CASE("a store that confirms nothing for longer than a round is in trouble",
          "[own_health][S10]") {
    OwnHealth own{1s};
    const Instant start{10s};
    CHECK_FALSE(own.is_degraded(start));
    own.note_pending_write(start, 7);
    own.note_pending_write(start + 1s, 7);
    CHECK_FALSE(own.is_degraded(start + 1s));
    CHECK(own.is_degraded(start + 1001ms));
    own.note_pending_write(start + 2s, 8);  // It continues.
    CHECK_FALSE(own.is_degraded(start + 3s));
    own.note_pending_write(start + 3s, 0);
    CHECK_FALSE(own.is_degraded(start + 1h));
    own.set_sockets_degraded(true);
    CHECK(own.is_degraded(start));
}

// Goal: a slow coordinator takes longer to judge nodes (S10).
// Method: the coordinator wakes late repeatedly; one of many nodes is dead.
TEST_CASE("a starved coordinator gives nodes up to eight times the polls", "[coordinator][S10]") {
    CoordinatorHarness harness;
    for (int node = 0; node < 6; ++node) {
        harness.join("n" + std::to_string(node));
    }
    harness.pass(2s);
    for (int round = 0; round < 9; ++round) {
        harness.now = harness.coordinator.next_deadline() + 900ms;
        harness.give(Wake{});
        CHECK(harness.status().health.lost == 0);
    }
    CHECK(harness.status().miss_limit == 24);
    CHECK(std::ranges::any_of(harness.status().alarms, [](const std::string& alarm) {
        return alarm.starts_with(
            "the coordinator was late: for now a node is silent after 16 missed polls "
            "instead of 2, and lost after 24 instead of 3");
    }));
    harness["n0"].answers = false;
    harness.pass(5s);
    CHECK(harness.node("n0").health == "healthy");
    CHECK(harness.status().miss_limit == 12);
    CHECK(harness.status().silent == 0);
    harness.pass(4s);
    CHECK(harness.node("n0").health == "lost");
    CHECK(harness.status().miss_limit == 3);
}

// Goal: if most nodes are silent while the coordinator has trouble, the fault is its own.
// Method: the store does not confirm, or sockets refuse connections, while most nodes are silent.
TEST_CASE("silence of most nodes counts against none while our store or sockets have trouble",
          "[coordinator][S10]") {
    CoordinatorHarness harness;
    for (int node = 0; node < 5; ++node) {
        harness.join("n" + std::to_string(node));
    }
    harness.pass(3s);
    const bool is_store = GENERATE(true, false);
    const auto fall_ill = [&](bool ill) {
        if (!is_store) {
            harness.give(OwnSockets{ill});
        } else if (ill) {
            harness.store_works = false;
            harness.want("web", 1);
        } else {
            harness.store_works = true;
            harness.confirm();
        }
    };
    fall_ill(true);
    harness.pass(2s);
    for (const auto* name : {"n0", "n1", "n2"}) {
        harness[name].answers = false;
    }
    harness.pass(10s);
    CHECK(harness.node("n0").missed == 0);
    CHECK(std::ranges::any_of(harness.status().alarms, [](const std::string& alarm) {
        return alarm.ends_with(
            "fewer than half of the nodes answered, so missed polls count against no node");
    }));
    SECTION("with answers of half of them it counts") {
        harness["n2"].answers = true;
        harness["n1"].answers = true;
        harness.pass(3s);
        CHECK(harness.node("n0").note == "silent for 2 polls");
    }
    SECTION("without trouble it counts") {
        fall_ill(false);
        harness.pass(1s);
        CHECK(harness.node("n0").missed == 1);
    }
}
