#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/liveness/freeze_scene.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

// Goal: a fleet freezes at the stated shares, and below them nodes are lost as usual (S9).
// Method: 10, 24, 25, 26, 55 and 100 % of a hundred nodes fall silent at once.
TEST_CASE("mass silence freezes a fleet, and less makes nodes lost", "[coordinator][freeze][S9]") {
    const int silent = GENERATE(10, 24, 25, 26, 55, 100);
    CAPTURE(silent);
    CoordinatorHarness harness;
    join_listed(harness, 100);
    harness.want("web", 60);
    harness.pass(4s);
    fall_silent(harness, silent);
    harness.pass(30s);
    const bool freezes = silent >= 25;
    const StatusReply status = harness.status();
    CHECK(status.freeze.on == freezes);
    CHECK(status.phase == (freezes ? "frozen" : "leading"));
    CHECK(status.health.lost == (freezes ? 0 : static_cast<std::uint32_t>(silent)));
    CHECK((rescheduled(harness) > 0) != freezes);
    if (freezes) {
        CHECK(status.freeze.counted == 100);
        CHECK(status.freeze.silent == static_cast<std::uint32_t>(silent));
        CHECK(status.serving == static_cast<std::uint32_t>(100 - silent));
        CHECK(
            status.alarms.front().starts_with("frozen: " + std::to_string(silent) +
                                              " of 100 nodes are silent, no node becomes lost and "
                                              "nothing is rescheduled; it ends once fewer than "
                                              "15 are silent"));
        CHECK(times_published(harness, "freeze.began") == 1);
        CHECK(times_published(harness, "node.suspended") == 0);
    }
}

// Goal: a freeze costs nothing: instances keep running, and answers end it (L11).
// Method: half of the nodes are cut off for long, and return.
TEST_CASE("after a freeze nodes serve as if nothing had happened", "[coordinator][freeze][L11]") {
    CoordinatorHarness harness;
    freeze_by_silence(harness, {.nodes = 8, .instances = 8, .silent = 4, .lasts = 5min});
    CHECK(freeze_shown(harness).since > CivilMs{});
    fall_silent(harness, 4, false);
    harness.pass(1s);
    CHECK(harness.status().serving == 8);
    harness.pass(2s);
    CHECK(freeze_shown(harness).calm_rounds > 0);
    CHECK_THAT(freeze_shown(harness).detail, Catch::StartsWith("it ends in "));
    harness.pass(3s);
    CHECK_FALSE(freeze_shown(harness).on);
    CHECK(times_published(harness, "freeze.ended") == 1);
    CHECK(rescheduled(harness) == 0);
    CHECK(times_published(harness, "node.lost") == 0);
    CHECK(harness.running("web") == 8);
    CHECK(harness.status().converged);
}

TEST_CASE("when a freeze ends by itself, nodes still silent get the same time as any node",
          "[coordinator][freeze]") {
    CoordinatorHarness harness;
    freeze_by_silence(harness, {.nodes = 8, .silent = 4, .lasts = 10s});
    fall_silent(harness, 2, false);
    harness.pass(6s);
    REQUIRE(times_published(harness, "freeze.ended") == 1);
    harness.pass(1s);
    CHECK(harness.status().health.lost == 0);
    harness.pass(3s);
    CHECK(harness.status().health.lost == 2);
    CHECK_FALSE(freeze_shown(harness).on);
}

// Goal: where unknown nodes can join, agents without work cannot freeze a cluster by falling
// silent.
// Method: seven nodes of ten have work. Silent are the three without work, named by an operator or
// not; or three with work; or three whose work was removed.
TEST_CASE("nodes that never had work and that no operator named freeze nothing",
          "[coordinator][freeze][S9]") {
    CoordinatorHarness harness;
    for (int node = 0; node < 7; ++node) {
        harness.join("n" + std::to_string(node));
    }
    harness.want("web", 7);
    harness.pass(4s);
    for (int node = 7; node < 10; ++node) {
        harness.join("n" + std::to_string(node));
    }
    harness.pass(15s);
    REQUIRE(freeze_shown(harness).counted == 10);
    SECTION("strangers") {
        fall_silent(harness, 3, true, 7);
        harness.pass(10s);
        CHECK(times_published(harness, "freeze.began") == 0);
        CHECK(harness.status().health.lost == 3);
        CHECK(freeze_shown(harness).counted == 7);
        CHECK(harness.running("web") == 7);
    }
    SECTION("named by an operator") {
        REQUIRE(harness.ask(NodeAddRequest{{{"n7"}, {"n8"}, {"n9"}}})->result);
        fall_silent(harness, 3, true, 7);
        harness.pass(10s);
        CHECK(times_published(harness, "freeze.began") == 1);
    }
    SECTION("with work") {
        fall_silent(harness, 3);
        harness.pass(10s);
        CHECK(times_published(harness, "freeze.began") == 1);
        CHECK(harness.status().health.lost == 0);
        CHECK(freeze_shown(harness).silent == 3);
    }
    SECTION("with work once") {
        harness.ask(TaskRemoveRequest{"web"}, harness.fresh_id());
        harness.pass(3s);
        fall_silent(harness, 3);
        harness.pass(10s);
        CHECK(times_published(harness, "freeze.began") == 1);
    }
    SECTION("all of them") {
        fall_silent(harness, 10);
        harness.pass(10s);
        CHECK(times_published(harness, "freeze.began") == 1);
        CHECK(freeze_shown(harness).counted == 7);
    }
}

// Goal: an operator can always end a freeze, and then silent nodes are lost at the usual rate.
// Method: 30 of 100 nodes are gone for good.
TEST_CASE("freeze off gives up silent nodes as lost, at the rate, and does not count them again",
          "[coordinator][freeze][S9][L11]") {
    CoordinatorHarness harness;
    freeze_by_silence(harness, {.nodes = 100, .instances = 100, .silent = 30, .lasts = 20s});
    const FreezeView off = freeze_of(harness.ask(FreezeOffRequest{works}, harness.fresh_id()));
    CHECK_FALSE(off.on);
    CHECK(std::ranges::any_of(harness.events, [](const Event& event) {
        return event.topic == "freeze.ended" && event.detail == "by ann@desk: new switches";
    }));
    harness.pass(1s);
    CHECK(harness.status().health.lost <= 11);
    CHECK(freeze_shown(harness).counted == 70);
    harness.pass(25s);
    CHECK(harness.status().health.lost == 30);
    CHECK(times_published(harness, "freeze.began") == 1);
    fall_silent(harness, 30, false);
    harness.pass(15s);
    CHECK(freeze_shown(harness).counted == 100);  // They answered.
}

// Goal: ordered departures cause no freeze (S9).
// Method: most nodes leave, are removed, or are drained and then cut off.
TEST_CASE("departures, removals and drained nodes never begin a freeze",
          "[coordinator][freeze][S9]") {
    CoordinatorHarness harness;
    join_listed(harness, 8);
    SECTION("departures") {
        for (int node = 0; node < 7; ++node) {
            FakeAgent& fake = harness["n" + std::to_string(node)];
            harness.give(FromAgent{fake.session, Departure{fake.incarnation}});
        }
        fall_silent(harness, 7);
        harness.pass(60s);
        CHECK(harness.status().health.lost == 7);
    }
    SECTION("removals") {
        REQUIRE(harness.ask(NodeRemoveRequest{.pattern = "n[0-6]", .force = true})->result);
        harness.pass(60s);
    }
    SECTION("a scale-down") {
        REQUIRE(harness.ask(NodeRemoveRequest{.pattern = "n[0-6]"})->result);
        fall_silent(harness, 7);
        harness.pass(60s);
    }
    SECTION("a departure that increases the share of silent nodes") {
        fall_silent(harness, 1);
        harness.pass(1s);
        for (int node = 2; node < 8; ++node) {
            FakeAgent& fake = harness["n" + std::to_string(node)];
            harness.give(FromAgent{fake.session, Departure{fake.incarnation}});
        }
        fall_silent(harness, 6, true, 2);
        harness.pass(60s);
        CHECK(harness.node("n0").health == "lost");
    }
    CHECK(times_published(harness, "freeze.began") == 0);
}

TEST_CASE("nodes that fall silent one after the other within ten rounds freeze the fleet",
          "[coordinator][freeze][S9]") {
    const bool is_slow = GENERATE(false, true);
    CoordinatorHarness harness;
    join_listed(harness, 8);
    fall_silent(harness, 1, true, 0);
    harness.pass(is_slow ? 15s : 4s);
    fall_silent(harness, 1, true, 1);
    harness.pass(4s);
    fall_silent(harness, 1, true, 2);
    harness.pass(6s);
    CHECK(freeze_shown(harness).on != is_slow);
}

// Goal: copies lost before the freeze wait for its end, with their reason.
// Method: a node is lost while no other has room; the freeze begins; a node joins.
TEST_CASE("instances of a node lost before the freeze are not placed during it",
          "[coordinator][freeze]") {
    CoordinatorHarness harness;
    join_listed(harness, 4);
    harness.want("web", 4);
    harness.pass(3s);
    fall_silent(harness, 1);
    harness.pass(5s);
    REQUIRE(harness.node("n0").health == "lost");
    REQUIRE(harness.status().unplaced == 1);
    freeze_of(harness.ask(FreezeOnRequest{works}, harness.fresh_id()));
    harness.join("n9");
    harness.pass(5s);
    CHECK(harness["n9"].instances.empty());
    REQUIRE(harness.status().unplaced_reasons.size() == 1);
    CHECK(harness.status().unplaced_reasons.front().code == "frozen");
    const std::size_t before = harness.events.size();
    freeze_of(harness.ask(FreezeOffRequest{}, harness.fresh_id()));
    harness.pass(3s);
    CHECK(harness["n9"].instances.size() == 1);
    CHECK(rescheduled(harness, before) == 1);
}

// Goal: an operator can stop all rescheduling beforehand, and it stays so.
// Method: on, with a reason, over a restart of the coordinator; then a node dies; then off.
TEST_CASE("a freeze by an operator is kept with its reason until it is off",
          "[coordinator][freeze]") {
    StoreImage image = CoordinatorHarness::empty_store();
    const RequestId id = CoordinatorHarness::id_made_at(CoordinatorHarness::civil_start, 77);
    {
        CoordinatorHarness harness;
        join_listed(harness, 3);
        const auto reply = harness.ask(FreezeOnRequest{works}, id);
        const FreezeView on = freeze_of(reply);
        CHECK(on.on);
        CHECK(on.manual);
        CHECK(on.reason == "new switches");
        CHECK(on.author == "ann@desk");
        CHECK(on.since > CivilMs{});
        CHECK(freeze_shown(harness) == on);
        CHECK(harness.ask(FreezeOnRequest{works}, id) == reply);
        CHECK(freeze_of(harness.ask(FreezeOnRequest{}, harness.fresh_id())).reason ==
              "new switches");
        CHECK(times_published(harness, "freeze.began") == 1);
        for (const Persist& persist : harness.persisted) {
            for (const Write& write : persist.writes) {
                if (const auto* row = std::get_if<StoredFreeze>(&write)) {
                    image.freeze.push_back(*row);
                } else if (const auto* meta = std::get_if<Meta>(&write)) {
                    image.meta = *meta;
                }
            }
        }
        image.meta.epoch = Epoch{3};
    }
    CoordinatorHarness harness{image};
    CHECK(freeze_shown(harness).on);
    CHECK(freeze_shown(harness).author == "ann@desk");
    CHECK(freeze_shown(harness).since > CivilMs{});
    CHECK(harness.happened("freeze.began", ""));
    join_listed(harness, 4);
    harness.want("web", 3);
    harness.pass(3s);
    fall_silent(harness, 1);
    harness.pass(60s);
    CHECK(harness.status().health.lost == 0);
    CHECK(freeze_shown(harness).detail == "it ends with 'muster freeze off'");
    CHECK(harness.ask(RebalanceRequest{})->result.error().code == Errc::refused);
    CHECK(harness.status().converged);
    CHECK_FALSE(freeze_of(harness.ask(FreezeOffRequest{}, harness.fresh_id())).on);
    CHECK(harness.status().health.lost == 1);  // At once, so no client sees it as well.
    CHECK(rescheduled(harness) == 1);
    const auto ends_it = [](const Write& write) {
        return std::holds_alternative<Erase<StoredFreeze>>(write);
    };
    CHECK(std::ranges::any_of(harness.persisted, [&](const Persist& persist) {
        return std::ranges::any_of(persist.writes, ends_it);
    }));
    CHECK_FALSE(freeze_of(harness.ask(FreezeOffRequest{}, harness.fresh_id())).on);
    CHECK(times_published(harness, "freeze.ended") == 1);
}

TEST_CASE("an operator who keeps a freeze that began by silence has to end it",
          "[coordinator][freeze]") {
    CoordinatorHarness harness;
    freeze_by_silence(harness, {.nodes = 3, .silent = 3, .lasts = 5s});
    CHECK_FALSE(freeze_shown(harness).manual);
    const CivilMs since = freeze_shown(harness).since;
    CHECK(freeze_of(harness.ask(FreezeOnRequest{works}, harness.fresh_id())).since == since);
    CHECK(times_published(harness, "freeze.kept") == 1);
    CHECK(times_published(harness, "freeze.began") == 1);
    fall_silent(harness, 3, false);
    harness.pass(20s);
    CHECK(freeze_shown(harness).on);
    freeze_of(harness.ask(FreezeOffRequest{}, harness.fresh_id()));
    CHECK_FALSE(freeze_shown(harness).on);
    const auto control = harness.ask(FreezeOnRequest{{.reason = "a\x1b[2J"}});
    REQUIRE_FALSE(control->result);
    CHECK_THAT(control->result.error().detail, Catch::Contains("control characters"));
    CHECK_FALSE(freeze_shown(harness).on);
}

// Goal: a new leader judges all nodes without a report together (S11, S9).
// Method: of five known nodes two return after the restart, and of five four.
TEST_CASE("nodes that are silent after a recovery are judged together, the freeze first",
          "[coordinator][freeze][S9][S11]") {
    const int back = GENERATE(2, 4);
    CAPTURE(back);
    std::vector<StoredNode> stored;
    stored.reserve(5);
    for (int node = 0; node < 5; ++node) {
        stored.push_back(CoordinatorHarness::stored("n" + std::to_string(node)));
    }
    CoordinatorHarness harness{CoordinatorHarness::store_with(stored)};
    for (int node = 0; node < back; ++node) {
        harness.join("n" + std::to_string(node));
    }
    harness.pass(17s);
    CHECK_FALSE(freeze_shown(harness).on);
    CHECK(harness.status().phase == "recovering");
    harness.pass(10s);
    if (back == 4) {
        CHECK(harness.status().health.lost == 1);
        CHECK(harness.status().phase == "leading");
        return;
    }
    CHECK(harness.status().phase == "frozen");
    CHECK(harness.status().health.lost == 0);
    harness.want("web", 2);
    harness.pass(3s);
    CHECK(harness.running("web") == 2);
    for (int node = back; node < 5; ++node) {
        harness.join("n" + std::to_string(node));
    }
    harness.pass(8s);
    CHECK(harness.status().phase == "leading");
    CHECK(harness.status().serving == 5);
}

// Goal: a departure during a freeze is not a loss either, but the node gets its grace later.
// Method: a node leaves by order, and its grace is over before the freeze is.
TEST_CASE("a node that left becomes lost only after the freeze", "[coordinator][freeze]") {
    CoordinatorHarness harness;
    join_listed(harness, 3);
    freeze_of(harness.ask(FreezeOnRequest{}, harness.fresh_id()));
    FakeAgent& n0 = harness["n0"];
    harness.give(FromAgent{n0.session, Departure{n0.incarnation}});
    harness.pass(2min);
    CHECK_FALSE(harness.happened("node.lost", "n0"));
    freeze_of(harness.ask(FreezeOffRequest{}, harness.fresh_id()));
    harness.pass(3s);
    CHECK(harness.happened("node.lost", "n0"));
}

// Goal: nothing is ordered on nodes that a freeze makes unfit, however many they are. Method: more
// nodes than one step publishes fall silent while a limit allows one start in each round.
TEST_CASE("a large fleet that froze gets no work before all its nodes are published",
          "[coordinator][freeze]") {
    constexpr int many = 2'500;
    CoordinatorHarness harness;
    join_listed(harness, many);
    REQUIRE(harness.ask(LimitSetRequest{"starts_per_round", 1})->result);
    harness.want("slow", 100);
    harness.pass(3s);
    fall_silent(harness, many);
    harness.pass(10s);
    const auto froze = std::ranges::find(harness.events, "freeze.began", &Event::topic);
    REQUIRE(froze != harness.events.end());
    CHECK(std::any_of(harness.events.begin(), froze,
                      [](const Event& event) { return event.topic == "instance.start"; }));
    CHECK(std::none_of(froze, harness.events.end(),
                       [](const Event& event) { return event.topic == "instance.start"; }));
}
