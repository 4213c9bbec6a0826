// How much capacity is wanted: what a predictor says of the demand.

#include <algorithm>
#include <string>
#include <vector>

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
