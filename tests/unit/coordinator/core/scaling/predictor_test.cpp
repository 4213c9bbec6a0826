// How much capacity is wanted: what a predictor says of the demand.

#include <algorithm>
#include <string>
#include <vector>

#include "coordinator/core/pools/forecast/predictors.hpp"
#include "tests/unit/coordinator/core/scaling/pool_scene.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::PoolScene;

namespace {

std::vector<std::string> lines(const std::string& first, const std::string& second) {
    return {first, second};
}

}  // namespace

TEST_CASE("the answer of a predictor is the amount that is used", "[pools][scaling][FN-D4]") {
    PoolScene scene;
    REQUIRE(scene.create({.predictor = "oracle"}));
    scene.local.predicts = 500;
    scene.need(100);
    scene.pass(15s);
    CHECK(scene.shown().decision.demand == 100);
    CHECK(scene.shown().decision.wanted == 500);
    CHECK(scene.in_state("active").size() == 5);
    REQUIRE_FALSE(scene.local.questions.empty());
    CHECK(scene.local.questions[0].pool == "web");
    CHECK(scene.local.questions[0].recent.back().need == 100);
    CHECK(scene.local.questions.size() <= 2);
    scene.local.predicts = 30;  // Less than the demand is: it counts, too.
    scene.pass(30s);
    CHECK(scene.shown().decision.wanted == 30);
    CHECK(scene.in_state("active").size() == 1);
    scene.local.predicts = 0;
    scene.pass(30s);
    CHECK(scene.shown().nodes.empty());
    scene.local.predicts = ~Amount{0};
    scene.pass(30s);
    CHECK(scene.shown().decision.wanted == most_amount);
    CHECK(scene.shown().decision.nodes == 100);
    for (const ProvisionNodes& provision : scene.local.provisions) {
        CHECK(provision.count > 0);
        CHECK(provision.count <= 20);
    }
}

TEST_CASE("without an answer that is new enough the demand counts", "[pools][scaling][FN-D4]") {
    PoolScene scene;
    REQUIRE(scene.create({.predictor = "oracle"}));
    scene.need(200);
    SECTION("it fails") {
        scene.pass(20s);
        CHECK(scene.shown().decision.wanted == 200);
        CHECK(scene.in_state("active").size() == 2);
        CHECK(scene.shown().alarm == "its predictor fails: it knows nothing");
        CHECK(scene.harness.status().alarms.size() == 1);
        CHECK_THAT(scene.explained(), Catch::Contains("its predictor fails"));
        scene.local.predicts = 400;
        scene.pass(40s);
        CHECK(scene.shown().decision.wanted == 400);
        CHECK(scene.shown().alarm.empty());
    }
    SECTION("it does not answer any more") {
        scene.local.predicts = 400;
        scene.pass(20s);
        CHECK(scene.shown().decision.wanted == 400);
        scene.local.is_slow = true;
        scene.pass(50s);
        CHECK(scene.shown().decision.wanted == 400);
        scene.pass(30s);
        CHECK(scene.shown().decision.wanted == 200);
    }
    SECTION("its answer is of another kind") {
        scene.pass(1s);
        scene.local.is_slow = true;
        scene.pass(15s);
        const auto call = std::ranges::find_if(scene.harness.calls, [](const OutsideCall& one) {
            return std::holds_alternative<PredictNeed>(one.what);
        });
        REQUIRE(call != scene.harness.calls.end());
        scene.harness.give(OutsideAnswer{call->number, NodesGranted{3}});
        scene.pass(1s);
        CHECK(scene.shown().alarm == "its predictor fails: it gave another answer");
    }
}

// Goal: nodes are there when a rise reaches the pool. Method: need that rises each ten seconds.
TEST_CASE("the trend asks for nodes before they are needed", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create({.predictor = "trend"}));
    for (Amount need = 1'000; need < 2'000; need += 20) {
        scene.need(need);
        scene.pass(10s);
    }
    const auto decision = scene.shown().decision;
    CHECK(decision.demand == 1'980);
    CHECK(decision.wanted > 2'100);
    CHECK(decision.wanted < 2'400);
    CHECK(decision.capacity >= decision.wanted);
}

// Goal: no predictor is slower than the demand itself. Samples are ten seconds apart.
TEST_CASE("a rise of demand counts at once, whatever the predictor", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create({.predictor = GENERATE("trend", "peak", "seasonal")}));
    scene.need(201);
    scene.pass(15s);
    CHECK(scene.shown().decision.wanted == 201);
    scene.need(500);
    scene.pass(1s);
    CHECK(scene.shown().decision.wanted >= 500);
}

TEST_CASE("a schedule counts in the time of its zone", "[pools][scaling]") {
    PoolScene scene;  // It is Tuesday, 22:13 UTC.
    const bool is_east = GENERATE(true, false);
    REQUIRE(scene.create({.predictor = "schedule",
                          .schedule = lines("mon 00:00 100", "tue 23:00 300"),
                          .zone = is_east ? "Europe/Berlin" : "UTC"}));
    CHECK(scene.harness.coordinator.zones() ==
          (is_east ? std::vector<std::string>{"Europe/Berlin"} : std::vector<std::string>{}));
    scene.zones = {{"Europe/Berlin", 3'600}};
    scene.pass(5s);
    CHECK(scene.shown().decision.wanted == (is_east ? 300 : 100));
    CHECK(scene.in_state("active").size() == (is_east ? 3 : 1));
    CHECK(scene.shown().alarm.empty());
    scene.need(450);  // More than it says is needed in fact.
    scene.pass(5s);
    CHECK(scene.shown().decision.wanted == 450);
}

TEST_CASE("a zone that is not known is an alarm", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create({.predictor = "schedule",
                          .schedule = lines("mon 00:00 100", "tue 23:00 300"),
                          .zone = "Middle/Earth"}));
    scene.need(200);
    scene.pass(5s);
    CHECK(scene.shown().decision.wanted == 200);
    CHECK(scene.shown().alarm ==
          "the time in zone 'Middle/Earth' is not known, so its schedule does not count");
}

TEST_CASE("a leader without the predictor or the provider says so", "[pools][scaling]") {
    PoolScene first;
    REQUIRE(first.create({.predictor = "oracle"}));
    auto options = PoolScene::with_programs();
    const bool is_provider = GENERATE(true, false);
    (is_provider ? options.providers : options.predictors) = {};
    PoolScene second{first.image(), options};
    second.need(200);
    second.pass(40s);
    CHECK(second.shown().alarm ==
          (is_provider ? "this coordinator's configuration has no provider 'local'"
                       : "this coordinator's configuration has no predictor 'oracle'"));
    CHECK(second.local.provisions.empty() == is_provider);
}

// Goal: predictors are compared on the pool's own demand before one of them decides.
TEST_CASE("a forecast has the schedule and programs beside the predictor that decides",
          "[pools][scaling]") {
    PoolScene scene;  // It is Tuesday, 22:13 UTC.
    REQUIRE(scene.create({.predictor = "peak",
                          .schedule = lines("mon 00:00 300", "wed 12:00 100"),
                          .shadow = std::vector<std::string>{"oracle"}}));
    scene.need(200);
    scene.local.predicts = 50;
    scene.pass(4min);
    CHECK(scene.shown().decision.wanted == 200);
    const auto row = [&](const std::string& name) {
        const auto reply =
            scene.harness.read<PoolForecastReply>(PoolForecastRequest{.name = "web"});
        CHECK(reply.active == "peak");
        const auto found = std::ranges::find(reply.predictors, name, &ForecastView::predictor);
        REQUIRE(found != reply.predictors.end());
        return *found;
    };
    CHECK(row("schedule").predicted == 300);
    CHECK(row("schedule").mean_over == 100);
    CHECK(row("schedule").short_ones == 0);
    CHECK(row("schedule").predictions >= 10);
    CHECK(row("oracle").predicted == 50);
    CHECK(row("oracle").mean_under == 150);
    CHECK(row("oracle").short_ones == row("oracle").predictions);
    CHECK(row("oracle").trouble.empty());
    scene.local.predicts.reset();
    scene.pass(80s);
    CHECK(row("oracle").trouble == "its predictor fails: it knows nothing");
    CHECK(scene.shown().alarm.empty());  // It decides nothing.

    // Those that stay keep their scores.
    REQUIRE(scene.set({.shadow = std::vector<std::string>{}}));
    scene.pass(1s);
    CHECK(row("schedule").predictions >= 10);
    REQUIRE(scene.set({.schedule = lines("mon 00:00 300", "wed 13:00 100")}));
    scene.pass(1s);
    CHECK(row("schedule").predictions == 0);
    const auto reply = scene.harness.read<PoolForecastReply>(PoolForecastRequest{.name = "web"});
    CHECK(reply.predictors.size() == predictor_kinds.size() + 1);
    const std::size_t asked = scene.local.questions.size();
    scene.pass(30s);
    CHECK(scene.local.questions.size() == asked);
}

TEST_CASE("two programs are asked about one pool, each for itself", "[pools][scaling]") {
    auto options = PoolScene::with_programs();
    options.predictors = {"other", "oracle"};
    std::ranges::sort(options.predictors);
    PoolScene scene{testing::CoordinatorHarness::empty_store(), options};
    REQUIRE(scene.create({.predictor = "oracle", .shadow = std::vector<std::string>{"other"}}));
    scene.need(100);
    scene.local.is_slow = true;
    scene.pass(12s);
    const auto calls = scene.calls_of<PredictNeed>();
    REQUIRE(calls.size() == 2);
    for (const OutsideCall& call : calls) {
        scene.harness.give(
            OutsideAnswer{call.number, NeedPredicted{call.to == "oracle" ? Amount{700} : 900}});
    }
    scene.local.is_slow = false;
    scene.local.predicts = 700;
    scene.pass(2s);
    CHECK(scene.shown().decision.wanted == 700);
}

// Goal: an answer that decides is not lost because something else of the definition changes.
TEST_CASE("no node goes because another program runs beside the one that decides",
          "[pools][scaling]") {
    auto options = PoolScene::with_programs();
    options.predictors = {"oracle", "other"};
    PoolScene scene{testing::CoordinatorHarness::empty_store(), options};
    REQUIRE(scene.create({.predictor = "oracle"}));
    scene.local.predicts = 400;
    scene.need(100);
    scene.pass(15s);
    REQUIRE(scene.in_state("active").size() == 4);
    scene.local.is_slow = true;
    REQUIRE(scene.set({.shadow = std::vector<std::string>{"other"}}));
    scene.pass(3s);
    CHECK(scene.shown().decision.wanted == 400);
    CHECK(scene.in_state("active").size() == 4);
}

// Goal: a program is heard before nodes go. Method: it is new, and answers after 8 s.
TEST_CASE("no node goes before a new predictor has answered", "[pools][scaling]") {
    PoolScene scene;
    scene.make_nodes(4);
    scene.local.is_slow = true;
    scene.need(100);
    REQUIRE(scene.set({.predictor = "oracle"}));
    scene.pass(8s);
    CHECK(scene.in_state("active").size() == 4);
    CHECK(scene.shown().decision.reason == "waiting_for_predictor");
    scene.local.is_slow = false;
    scene.local.predicts = 400;
    scene.pass(12s);
    CHECK(scene.in_state("active").size() == 4);
    CHECK(scene.shown().decision.reason == "enough");
}

TEST_CASE("a zone is no trouble before it was asked about", "[pools][scaling]") {
    PoolScene scene;
    scene.zones = {};
    REQUIRE(scene.create({.predictor = "schedule",
                          .schedule = lines("mon 00:00 100", "tue 23:00 300"),
                          .zone = "Europe/Berlin"}));
    scene.harness.pass(200ms);
    CHECK(scene.shown().alarm.empty());
    scene.pass(1s);
    CHECK_FALSE(scene.shown().alarm.empty());
}
