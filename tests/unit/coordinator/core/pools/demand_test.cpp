// What reporters need of pools, and what is asked about it.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "coordinator/core/pools/forecasts.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;

namespace {

constexpr Instant first_advert{1'000s};

Advert advert(const std::string& reporter, std::vector<PoolNeed> needs, std::uint64_t life = 0,
              std::uint64_t sequence = 0) {
    return {.reporter = reporter,
            .life = life,
            .sequence = sequence,
            .lasts = 30s,
            .needs = std::move(needs)};
}

DemandSetRequest need_request(const std::string& reporter, std::vector<PoolNeedView> needs) {
    return {.reporter = reporter, .needs = std::move(needs)};
}

std::string fault_of_demand(CoordinatorHarness& harness, CoreRequestBody body) {
    const auto reply = harness.ask(std::move(body));
    REQUIRE(reply);
    return reply->result ? "" : reply->result.error().detail;
}

}  // namespace

TEST_CASE("the demand of a pool is the sum of what each reporter said last", "[pools][FN-28]") {
    Demand demand;
    REQUIRE(demand.take(first_advert, advert("lb-1", {{"web", 300}, {"api", 5}})) == true);
    REQUIRE(demand.take(first_advert, advert("lb-2", {{"web", 100}})) == true);
    CHECK(demand.total("web") == 400);
    CHECK(demand.total("api") == 5);
    REQUIRE(demand.take(first_advert, advert("lb-1", {{"web", 50}})) == true);
    CHECK(demand.total("web") == 150);
    CHECK(demand.total("api") == 5);
    CHECK(demand.reporters_of(demand.pools().at("web")) == 2);
}

// Goal: nobody has to wait for the time of what is not needed any more.
TEST_CASE("a need of 0 takes a reporter off a pool at once", "[pools][FN-03]") {
    Demand demand;
    REQUIRE(demand.take(first_advert, advert("lb-1", {{"web", 300}, {"api", 5}})) == true);
    REQUIRE(demand.take(first_advert, advert("lb-1", {{"web", 0}, {"none", 0}})) == true);
    CHECK(demand.total("web") == 0);
    CHECK_FALSE(demand.pools().contains("web"));
    CHECK_FALSE(demand.pools().contains("none"));
    CHECK(demand.total("api") == 5);
    REQUIRE(demand.take(first_advert, advert("lb-1", {{"web", 7}})) ==
            true);  // In the freed place.
    CHECK(demand.total("web") == 7);
    CHECK(demand.total("api") == 5);
}

TEST_CASE("an advert that was overtaken has no effect", "[pools][FN-26]") {
    Demand demand;
    REQUIRE(demand.take(first_advert, advert("lb-1", {{"web", 300}}, 7, 5)) == true);
    CHECK(demand.take(first_advert, advert("lb-1", {{"web", 1}}, 7, 4)) == false);
    CHECK(demand.take(first_advert, advert("lb-1", {{"web", 1}}, 7, 5)) == false);
    CHECK(demand.take(first_advert, advert("lb-1", {{"web", 1}}, 6, 9)) == false);
    CHECK(demand.total("web") == 300);
    CHECK(demand.take(first_advert, advert("lb-1", {{"web", 200}}, 7, 6)) == true);
    CHECK(demand.take(first_advert, advert("lb-1", {{"web", 100}}, 8, 1)) == true);  // A new life.
    CHECK(demand.take(first_advert, advert("lb-2", {{"web", 10}}, 1, 1)) == true);
    CHECK(demand.total("web") == 110);
}

// Goal: a reader that is late by its age, not by its order, still counts: it never drops the
// newest. Method: the newest comes last, after a pause longer than its life is not.
TEST_CASE("the order of adverts counts, not their age", "[pools][FN-26]") {
    Demand demand;
    REQUIRE(demand.take(first_advert, advert("lb-1", {{"web", 300}}, 7, 5)) == true);
    CHECK(demand.take(first_advert + 29s, advert("lb-1", {{"web", 200}}, 7, 6)) == true);
    CHECK(demand.total("web") == 200);
}

TEST_CASE("what is not repeated in time is dropped", "[pools][FN-28]") {
    Demand demand;
    CHECK_FALSE(demand.next_deadline());
    REQUIRE(demand.take(first_advert, advert("lb-1", {{"web", 300}, {"api", 5}})) == true);
    REQUIRE(demand.take(first_advert + 20s, advert("lb-2", {{"web", 100}})) == true);
    REQUIRE(demand.take(first_advert + 25s, advert("lb-1", {{"api", 6}})) == true);
    REQUIRE(demand.next_deadline());
    CHECK(demand.drop_overdue(first_advert + 29s).empty());
    CHECK(demand.total("web") == 400);
    CHECK(demand.drop_overdue(first_advert + 30s) ==
          std::vector{Demand::Dropped{"lb-1", {PoolNeed{"web", 300}}}});
    CHECK(demand.total("web") == 100);
    CHECK(demand.drop_overdue(first_advert + 60s).size() == 2);
    CHECK(demand.pools().empty());
    CHECK_FALSE(demand.next_deadline());
}

// Goal: after its time a reporter may begin anew, for example on another host with another clock.
TEST_CASE("the order of a reporter is forgotten with its demand", "[pools]") {
    Demand demand;
    REQUIRE(demand.take(first_advert, advert("lb-1", {{"web", 300}}, 7, 5)) == true);
    REQUIRE(demand.take(first_advert, advert("lb-1", {{"web", 0}}, 7, 6)) == true);
    CHECK(demand.take(first_advert + 1s, advert("lb-1", {{"web", 300}}, 7, 5)) == false);
    CHECK(demand.drop_overdue(first_advert + 30s).empty());
    CHECK(demand.take(first_advert + 31s, advert("lb-1", {{"web", 9}}, 1, 1)) == true);
}

TEST_CASE("there is room for so many pools, reporters and amounts", "[pools]") {
    Demand demand;
    std::vector<PoolNeed> all;
    for (std::size_t at = 0; at < limits::demand_pools; ++at) {
        all.push_back({"p" + std::to_string(at), 1});
    }
    REQUIRE(demand.take(first_advert, advert("lb-1", all)) == true);
    const auto one_more = demand.take(first_advert, advert("lb-2", {{"more", 1}}));
    REQUIRE_FALSE(one_more);
    CHECK(one_more.error().code == Errc::too_large);
    CHECK_FALSE(demand.pools().contains("more"));
    for (std::size_t at = 2; at <= limits::demand_claims / all.size(); ++at) {
        REQUIRE(demand.take(first_advert, advert("lb-" + std::to_string(at), all)) == true);
    }
    CHECK_FALSE(demand.take(first_advert, advert("another", {{"p1", 1}})));
    CHECK(demand.take(first_advert, advert("lb-1", all)) == true);  // A repetition needs no room.
    CHECK(demand.total("p0") == limits::demand_claims / all.size());
    // Nor does what is taken back, even of a pool that the reporter never named.
    REQUIRE(demand.take(first_advert, advert("lb-2", {{"p7", 0}})) == true);
    REQUIRE(demand.take(first_advert, advert("few", {{"p1", 1}})) == true);
    CHECK(demand.take(first_advert, advert("few", {{"p1", 0}, {"p2", 0}, {"other", 0}})) == true);
}

TEST_CASE("operators see demand, and the pools that it makes", "[pools][FN-D7]") {
    CoordinatorHarness harness;
    harness.join("n1");
    const auto set = harness.read<DemandReply>(need_request("lb-1", {{"web", 300}, {"api", 5}}));
    CHECK(set.newest);
    harness.read<DemandReply>(need_request("lb-2", {{"web", 20}}));
    const auto all = harness.read<DemandListReply>(DemandListRequest{});
    REQUIRE(all.demand.size() == 3);
    CHECK(all.demand[1] == DemandView{"web", "lb-1", 300, 10'000});
    CHECK(harness.read<DemandListReply>(DemandListRequest{"a*"}).demand.size() == 1);
    const auto pools = harness.read<PoolListReply>(PoolListRequest{});
    REQUIRE(pools.pools.size() == 3);
    CHECK(pools.pools[1] == PoolView{.name = "default", .nodes = 1, .serving = 1});
    CHECK(pools.pools[2] == PoolView{.name = "web", .demand = 320, .reporters = 2});
    CHECK(harness.read<PoolForecastReply>(PoolForecastRequest{"web"}).predictors.empty());
    // A read makes no pool.
    CHECK(fault_of_demand(harness, PoolForecastRequest{"other"}) ==
          "nobody has needed any of a pool 'other' in the last hour; see 'muster demand list'");
    CHECK(harness.read<PoolListReply>(PoolListRequest{"other"}).pools.empty());
    CHECK(harness.read<PoolListReply>(PoolListRequest{}).pools.size() == 3);

    harness.pass(12s);
    CHECK(harness.happened("demand.dropped", "lb-1"));
    CHECK(harness.read<DemandListReply>(DemandListRequest{}).demand.empty());
    CHECK(harness.read<PoolListReply>(PoolListRequest{}).pools.size() == 1);
}

TEST_CASE("demand that makes no sense is refused", "[pools]") {
    CoordinatorHarness harness;
    auto sound = need_request("lb-1", {{"web", limits::demand_amount}});
    CHECK(fault_of_demand(harness, sound).empty());
    CHECK(fault_of_demand(harness,
                          need_request("lb-1", {{"api", 1}, {"web", limits::demand_amount + 1}})) ==
          "of pool 'web' 1000000001 is wanted; an amount is a whole number from 0 to 1000000000");
    CHECK(harness.read<DemandListReply>(DemandListRequest{"api"}).demand.empty());
    for (const std::uint64_t ttl_ms : {std::uint64_t{0}, std::uint64_t{999}, ~std::uint64_t{0}}) {
        sound.ttl_ms = ttl_ms;
        CHECK_THAT(fault_of_demand(harness, sound),
                   Catch::Contains("demand lasts from 1000 to 3600000 ms"));
    }
}

// Goal: an operator sees which predictor fits the pool. Method: need that rises each ten seconds.
TEST_CASE("forecasts say what they expected, and how far they were off", "[pools]") {
    CoordinatorHarness harness;
    std::uint64_t need = 1'000;
    const auto go_on = [&](int samples) {
        for (int at = 0; at < samples; ++at, need += 10) {
            harness.read<DemandReply>(need_request("lb-1", {{"web", need}}));
            harness.give(CivilTime{CivilMs{raw(CoordinatorHarness::civil_start) +
                                           to_ms(harness.now - CoordinatorHarness::start)}});
            harness.pass(10s);
        }
    };
    go_on(1);
    go_on(120);
    const auto forecast = harness.read<PoolForecastReply>(PoolForecastRequest{"web"});
    CHECK(forecast.ahead_ms == 120'000);
    REQUIRE(forecast.predictors.size() == 4);
    const ForecastView& conservative = forecast.predictors[0];
    const ForecastView& trend = forecast.predictors[1];
    CHECK(conservative.predictor == "conservative");
    CHECK(conservative.predictions >= 100);
    CHECK(conservative.short_ones == conservative.predictions);
    CHECK(conservative.mean_under == 120);  // Of twelve samples.
    CHECK(trend.mean_under < 20);
    CHECK(trend.predicted > conservative.predicted + 100);
    REQUIRE_FALSE(forecast.recent.empty());
    CHECK(forecast.recent.back().need == need - 10);
}

// Goal: a clock that is set back an hour does not stop the forecasts for as long; one that is
// corrected by some seconds costs them nothing.
TEST_CASE("samples are forgotten when civil time is set back", "[pools]") {
    Demand demand;
    REQUIRE(demand.take(first_advert, advert("lb-1", {{"web", 300}})) == true);
    constexpr std::int64_t day_ms = 1'793'577'600'000;
    const auto samples = [&](const Forecasts& forecasts) {
        return forecasts.find("web")->recent().size();
    };
    Forecasts forecasts;
    const auto sample = [&](CivilMs at) { forecasts.sample(at, demand, {}); };
    sample(CivilMs{day_ms});
    sample(CivilMs{day_ms + 60'000});
    sample(CivilMs{day_ms + 61'000});  // Too early.
    CHECK(samples(forecasts) == 2);
    sample(CivilMs{day_ms + 30'000});
    CHECK(samples(forecasts) == 2);
    sample(CivilMs{day_ms + 120'000});
    CHECK(samples(forecasts) == 3);
    sample(CivilMs{day_ms - 3'600'000});
    CHECK(samples(forecasts) == 1);
    sample(CivilMs{day_ms - 3'570'000});
    CHECK(samples(forecasts) == 2);
}
