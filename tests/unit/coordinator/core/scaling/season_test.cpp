// What predictors have learned lasts longer than a leadership.

#include <algorithm>
#include <string>

#include "tests/unit/coordinator/core/scaling/pool_scene.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::PoolScene;

namespace {

/// Hours in which a reporter repeats what it needs.
void pass_hours(PoolScene& scene, int hours, Amount need) {
    for (int step = 0; step < hours * 360; ++step) {
        scene.harness.pass(10s);
        scene.harness.ask(
            DemandSetRequest{.reporter = "lb", .ttl_ms = 30'000, .needs = {{"web", need}}});
        scene.harness.give(
            CivilTime{CivilMs{raw(CoordinatorHarness::civil_start) +
                              to_ms(scene.harness.now - CoordinatorHarness::start)}});
    }
}

PoolChanges seasonal() { return {.provider = "none", .predictor = "seasonal"}; }

/// The need grows by 1,500 with each quarter of an hour of a day.
StoreImage with_season(StoreImage image) {
    StoredSeason season{.name = "web", .usual = {}};
    for (int quarter = 0; quarter < 8 * 96; ++quarter) {
        season.usual += (quarter == 0 ? "" : " ") + std::to_string(quarter % 96 * 1'500);
    }
    image.seasons = {season};
    return image;
}

}  // namespace

TEST_CASE("what a season has learned is stored each hour, and ends with its pool",
          "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create(seasonal()));
    pass_hours(scene, 2, 300);
    CHECK(scene.image().seasons.empty());  // Its first quarter has not been learned.
    pass_hours(scene, 2, 300);
    const auto stored = scene.image().seasons;
    REQUIRE(stored.size() == 1);
    CHECK(stored[0].name == "web");
    CHECK(stored[0].usual.find("300") != std::string::npos);
    const auto writes = std::ranges::count_if(scene.harness.persisted, [](const Persist& persist) {
        return std::ranges::any_of(persist.writes, [](const Write& write) {
            return std::holds_alternative<Shared<StoredSeason>>(write);
        });
    });
    CHECK(writes >= 1);
    CHECK(writes <= 2);
    REQUIRE(scene.change(PoolRemoveRequest{"web"}));
    CHECK(scene.image().seasons.empty());
}

TEST_CASE("a new leader goes on with what a season has learned", "[pools][scaling]") {
    PoolScene first;
    REQUIRE(first.create(seasonal()));
    const bool is_stored = GENERATE(true, false);
    // No sample says 0 because its reporters have not spoken yet.
    PoolScene second{is_stored ? with_season(first.image()) : first.image()};
    second.pass(20s);
    second.need(5'000);
    second.pass(20s);
    CHECK((second.shown().decision.wanted > 5'150) == is_stored);
    CHECK(second.shown().decision.wanted < 5'300);
}

TEST_CASE("a store without a table of seasons is not asked for them", "[pools][scaling][upgrade]") {
    StoreImage image = CoordinatorHarness::empty_store();
    image.meta.schema = 11;
    PoolScene scene{image};
    REQUIRE(scene.create(seasonal()));
    pass_hours(scene, 4, 300);
    CHECK(scene.image().seasons.empty());
    CHECK_FALSE(scene.harness.coordinator.next_deadline() == Instant{});
}

TEST_CASE("a pool that is needed by day only keeps what was learned of it", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create(seasonal()));
    pass_hours(scene, 1, 300);
    pass_hours(scene, 3, 0);
    const auto forecast = scene.harness.read<PoolForecastReply>(PoolForecastRequest{.name = "web"});
    REQUIRE_FALSE(forecast.predictors.empty());
    CHECK(forecast.predictors.front().predictions > 900);
}
