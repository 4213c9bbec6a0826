#include <string>

#include "tests/catch.hpp"

#include "coordinator/core/suspension/flap_score.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

std::size_t times_reported(const CoordinatorHarness& harness, const std::string& topic,
                           const std::string& name) {
    return static_cast<std::size_t>(std::ranges::count_if(harness.events, [&](const Event& event) {
        return event.topic == topic && event.name == name;
    }));
}

/// Lets time pass until the node has that health; false if it never has.
bool becomes(CoordinatorHarness& harness, const std::string& name, const std::string& health,
             Duration within) {
    for (const Instant end = harness.now + within; harness.now < end;) {
        if (harness.node(name).health == health) {
            return true;
        }
        harness.pass(1s);
    }
    return harness.node(name).health == health;
}

}  // namespace

// Goal: old causes decay.
// Method: add to the score, and read it after whole minutes; a long time does not overflow.
TEST_CASE("a score halves with every minute", "[nodes][flaky]") {
    const Instant start{100s};
    FlapScore score;
    CHECK_FALSE(score.add(start, CivilMs{1}, FlapCause::spawn_failing, 800));
    CHECK(score.score(start + 59s) == 800);
    CHECK(score.score(start + 60s) == 400);
    CHECK(score.score(start + 3min) == 100);
    CHECK(score.score(start + 24h * 3'000) == 0);
    CHECK_FALSE(score.add(start + 90s, CivilMs{2}, FlapCause::reconnect, 60));
    CHECK(score.score(start + 119s) == 460);
    CHECK(score.score(start + 120s) == 230);
    CHECK(score.add(start + 120s, CivilMs{3}, FlapCause::spawn_failing, 770));
    CHECK(score.contributions()[static_cast<std::size_t>(FlapCause::spawn_failing)].times == 2);
}

// Goal: the half-life gives no node more time (L10).
// Method: a small cause sets the minute; then five answers in a row, before, across and after it.
TEST_CASE("five answers in a row suspend, whenever the score halves", "[nodes][flaky][L10]") {
    for (const FlapCause cause : {FlapCause::spawn_failing, FlapCause::journal_failing}) {
        for (const Duration first : {10s, 55s, 56s, 57s, 58s, 59s, 60s}) {
            CAPTURE(first / 1s);
            FlapScore score;
            REQUIRE_FALSE(score.add(Instant{}, CivilMs{1}, FlapCause::missed_poll, 1));
            bool is_suspended = false;
            for (int answer = 0; answer < 5; ++answer) {
                is_suspended = is_suspended || score.add(Instant{first + 1s * answer}, CivilMs{1},
                                                         cause, weight_of(cause).weight);
            }
            CHECK(is_suspended);
        }
    }
}

// Goal: each relapse doubles the suspension, to a bound.
// Method: suspend repeatedly.
TEST_CASE("each suspension is twice as long as the previous one, up to the longest",
          "[nodes][flaky]") {
    FlapScore score;
    std::vector<Duration> lengths;
    lengths.reserve(8);
    for (int i = 0; i < 8; ++i) {
        lengths.push_back(score.suspend(Instant{1s}, CivilMs{1'000}, 15min));
    }
    CHECK(lengths == std::vector<Duration>{30s, 60s, 2min, 4min, 8min, 15min, 15min, 15min});
    CHECK(score.repeats() == 8);
    CHECK(score.suspended_until() == CivilMs{901'000});
    CHECK(FlapScore{}.suspend(Instant{1s}, CivilMs{}, 10s) == 10s);
}

// Goal: an agent that answers but cannot work gets no work.
// Method: it reports that its host creates no processes, or that it cannot write its own state.
TEST_CASE("a node that answers but cannot work is flaky within five rounds",
          "[coordinator][nodes][flaky][L10][SC-D11]") {
    const bool spawns = GENERATE(true, false);
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    REQUIRE(n1.instances.size() == 1);
    n1.host.spawn_failing = !spawns;
    n1.host.journal_failing = spawns;
    harness.pass(5s);
    CHECK(harness.node("n1").health == "flaky");
    CHECK(harness.status().serving == 0);
    CHECK(harness.status().health.flaky == 1);

    SECTION("its instances stay, and it gets no new ones") {
        harness.want("db", 1);
        harness.pass(5s);
        CHECK(n1.instances.size() == 1);
        CHECK(harness.running("web") == 1);
        CHECK(harness.status().unplaced == 1);
    }
    SECTION("once its suspension is over and it answers well, it serves again") {
        n1.host = HostFacts{};
        harness.pass(24s);
        CHECK(harness.node("n1").health == "flaky");
        CHECK(becomes(harness, "n1", "healthy", 6s));
        CHECK(harness.happened("node.suspension_ended", "n1"));
        CHECK(times_reported(harness, "node.suspended", "n1") == 1);
    }
}

// Goal: an operator sees the cause.
// Method: query a node before its first flap, and while it is suspended.
TEST_CASE("a node shows its flap score, the causes and when its suspension ends",
          "[coordinator][nodes][flaky]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(2s);
    const auto flap_score = [&] {
        return harness.read<NodeShowReply>(NodeShowRequest{"n1"}).flap_score;
    };
    CHECK(flap_score().contributions.empty());
    CHECK(flap_score().threshold == 1'000);
    n1.host.journal_failing = true;
    harness.pass(2s);
    CHECK(flap_score().score == 600);
    CHECK(flap_score().suspended_until == CivilMs{});
    harness.pass(3s);
    CHECK(flap_score().score == 0);
    CHECK(flap_score().suspensions == 1);
    CHECK(flap_score().suspended_until > harness.node("n1").since);
    REQUIRE(flap_score().contributions.size() == 1);
    CHECK(flap_score().contributions.front().cause == "journal_failing");
    CHECK(flap_score().contributions.front().times == 4);
}

// Goal: repeats cost more until the node is in good standing.
// Method: spawning fails for long; then all is well for ten minutes.
TEST_CASE("relapses double the suspension, and ten good minutes end that",
          "[coordinator][nodes][flaky][L3]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(2s);
    n1.host.spawn_failing = true;
    harness.pass(30s + 60s + 120s + 3 * 6s);
    CHECK(times_reported(harness, "node.suspended", "n1") == 4);
    n1.host.spawn_failing = false;
    REQUIRE(becomes(harness, "n1", "healthy", 4min + 10s));
    harness.pass(9min);
    CHECK_FALSE(harness.happened("node.forgiven", "n1"));
    harness.pass(1min + 5s);
    CHECK(harness.happened("node.forgiven", "n1"));
    n1.host.spawn_failing = true;
    REQUIRE(becomes(harness, "n1", "flaky", 6s));
    n1.host.spawn_failing = false;
    CHECK(becomes(harness, "n1", "healthy", 32s));
}

// Goal: a suspension ends at its announced time, whatever the node does.
// Method: it falls silent, and it begins a new life.
TEST_CASE("a suspension outlasts silence and a new life, and ends at its time",
          "[coordinator][nodes][flaky][L4]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(2s);
    n1.host.spawn_failing = true;
    REQUIRE(becomes(harness, "n1", "flaky", 6s));
    n1.host = HostFacts{};
    n1.answers = false;
    harness.pass(6s);
    CHECK(harness.node("n1").health == "lost");
    n1.answers = true;
    n1.life = LifeId{9, 9};
    n1.incarnation = Incarnation{2};
    n1.session = Session{901};
    harness.send_hello(n1);
    harness.pass(1s);
    CHECK(harness.node("n1").health == "flaky");
    harness.pass(24s);
    CHECK(harness.node("n1").health == "healthy");
}

// Goal: an agent that does no work gets none.
// Method: it answers all polls and obeys nothing.
TEST_CASE("a node that answers and obeys nothing is flaky",
          "[coordinator][nodes][flaky][L10][SC-D11]") {
    CoordinatorHarness harness;
    harness.join("n1").obeys = false;
    harness.want("web", 1);
    CHECK(becomes(harness, "n1", "flaky", 8s));
}

TEST_CASE("a node that refuses every order is flaky", "[coordinator][nodes][flaky]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    for (int i = 0; i < 10; ++i) {
        CHECK(harness.node("n1").health == "healthy");
        harness.give(FromAgent{
            n1.session, Ack{.epoch = Epoch{3},
                            .incarnation = Incarnation{1},
                            .obeyed = {},
                            .refusals = {{{"web", 0}, Generation{11}, Errc::refused, "no"}}}});
    }
    CHECK(harness.node("n1").health == "flaky");
}

// Goal: a node that reconnects constantly is not relied upon.
// Method: a new route every three seconds, in the same life; and the same after departures.
TEST_CASE("a node that reconnects repeatedly is flaky, unless it announced its departure",
          "[coordinator][nodes][flaky]") {
    const bool announces = GENERATE(false, true);
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(2s);
    for (std::uint64_t route = 0; route < 40; ++route) {
        if (announces) {
            harness.give(FromAgent{n1.session, Departure{n1.incarnation}});
        } else {
            harness.give(SessionClosed{n1.session});
        }
        n1.session = Session{5'000 + route};
        harness.send_hello(n1);
        harness.pass(3s);
    }
    CHECK(harness.happened("node.suspended", "n1") != announces);
}

TEST_CASE("a node whose messages make no sense is flaky", "[coordinator][nodes][flaky]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    for (int i = 0; i < 5; ++i) {
        CHECK(harness.node("n1").health == "healthy");
        harness.give(Undecodable{n1.session});
    }
    CHECK(harness.node("n1").health == "flaky");
    harness.give(Undecodable{Session{12'345}});
    CHECK(harness.status().health.flaky == 1);
}
