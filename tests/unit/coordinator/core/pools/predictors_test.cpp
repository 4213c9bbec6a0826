// What is predicted from what was needed.

#include "coordinator/core/pools/forecast/predictors.hpp"

#include <cstdint>
#include <functional>

#include "tests/catch.hpp"

using namespace muster;
using namespace muster::coordinator;

namespace {

constexpr std::int64_t monday = 1'793'577'600;  // 2026-11-02 00:00 UTC.

CivilMs at(std::int64_t second) { return CivilMs{(monday + second) * 1'000}; }

/// Each ten seconds, from the first up to the last.
void feed(auto& predictor, std::int64_t first, std::int64_t last,
          const std::function<Amount(std::int64_t)>& need) {
    for (std::int64_t second = first; second <= last; second += 10) {
        predictor.observe(NeedSample{at(second), need(second)});
    }
}

/// A day of work: much from eight to eighteen.
Amount need_of_day(std::int64_t second) {
    const std::int64_t hour = second % 86'400 / 3'600;
    return hour >= 8 && hour < 18 ? 1'000 : 200;
}

}  // namespace

TEST_CASE("nothing is predicted from nothing", "[pools]") {
    for (const PredictorKind kind : predictor_kinds) {
        INFO(to_string(kind));
        CHECK(Predictors{2min}.predict(kind, at(0)) == 0);
    }
}

TEST_CASE("every predictor holds to a constant need", "[pools]") {
    Predictors predictors{2min};
    feed(predictors, 0, 8 * 86'400, [](std::int64_t) { return Amount{700}; });
    for (const PredictorKind kind : predictor_kinds) {
        INFO(to_string(kind));
        CHECK(predictors.predict(kind, at(8 * 86'400)) == 700);
    }
}

TEST_CASE("a trend is followed as far ahead as a node takes to come", "[pools]") {
    Trend trend{{.window = 10min, .ahead = 3min}};
    feed(trend, 0, 1'200, [](std::int64_t second) { return static_cast<Amount>(1'000 + second); });
    CHECK(trend.predict(at(1'200)) == 1'000 + 1'200 + 180);
    feed(trend, 1'210, 2'400,
         [](std::int64_t second) { return static_cast<Amount>(4'000 - second); });
    CHECK(trend.predict(at(2'400)) == 4'000 - 2'400 - 180);
}

// Goal: the first two samples of a pool do not ask for a thousand nodes.
TEST_CASE("a trend is not followed farther ahead than it was seen", "[pools]") {
    Trend trend{{.window = 10min, .ahead = 3min}};
    feed(trend, 0, 10, [](std::int64_t second) { return static_cast<Amount>(100 * second); });
    CHECK(trend.predict(at(10)) == 2'000);
}

TEST_CASE("a trend down ends at nothing, and one up at the most", "[pools]") {
    Trend down{{.window = 10min, .ahead = 1h}};
    feed(down, 0, 600, [](std::int64_t second) { return static_cast<Amount>(600 - second); });
    CHECK(down.predict(at(600)) == 0);
    Trend up{{.window = 1h, .ahead = 1h}};
    feed(up, 0, 3'600,
         [](std::int64_t second) { return most_amount * (second > 1'800 ? 1U : 0U); });
    CHECK(up.predict(at(3'600)) == most_amount);
}

// Goal: noise asks for no node. Method: need that jumps by 20 % each time.
TEST_CASE("a trend is steady through noise", "[pools]") {
    Trend trend{{}};
    feed(trend, 0, 600,
         [](std::int64_t second) { return second / 10 % 2 == 0 ? Amount{900} : Amount{1'100}; });
    const Amount predicted = trend.predict(at(600));
    CHECK(predicted >= 980);
    CHECK(predicted <= 1'020);
}

TEST_CASE("the peak of the window counts, a little less with age", "[pools]") {
    Peak peak{{.window = 10min, .decay_percent = 10}};
    const auto need = [](std::int64_t second) { return second == 100 ? Amount{1'000} : Amount{0}; };
    feed(peak, 0, 100, need);
    CHECK(peak.predict(at(100)) == 1'000);
    feed(peak, 110, 400, need);
    CHECK(peak.predict(at(400)) == 950);
    feed(peak, 410, 700, need);
    CHECK(peak.predict(at(700)) == 900);
    feed(peak, 710, 720, need);
    CHECK(peak.predict(at(720)) == 0);
}

// Goal: what happens each morning is expected on the next. Method: two days, and the third up to
// ten minutes before the rise; a trend sees nothing of it.
TEST_CASE("what is usual at a time of the day is expected there", "[pools]") {
    Seasonal seasonal{{.ahead = 15min}};
    Trend trend{{.ahead = 15min}};
    const std::int64_t morning = 2 * 86'400 + 8 * 3'600 - 600;
    feed(seasonal, 0, morning, need_of_day);
    feed(trend, 0, morning, need_of_day);
    CHECK(trend.predict(at(morning)) == 200);
    CHECK(seasonal.predict(at(morning)) > 500);
    const std::int64_t night = 2 * 86'400 + 3 * 3'600;
    Seasonal other{{.ahead = 15min}};
    feed(other, 0, night, need_of_day);
    CHECK(other.predict(at(night)) == 200);
}

// Goal: weekends are quiet although all days before were not. Method: two weeks, then Saturday.
TEST_CASE("what is usual on a day of the week counts before what is usual on any day", "[pools]") {
    Seasonal seasonal{{.ahead = 15min}};
    const auto need = [](std::int64_t second) {
        return second / 86'400 % 7 >= 5 ? Amount{200} : need_of_day(second);
    };
    const std::int64_t saturday = 12 * 86'400 + 8 * 3'600 - 600;
    feed(seasonal, 0, saturday, need);
    CHECK(seasonal.predict(at(saturday)) == 200);
    const std::int64_t next_monday = 14 * 86'400 + 8 * 3'600 - 600;
    feed(seasonal, saturday + 10, next_monday, need);
    CHECK(seasonal.predict(at(next_monday)) > 500);
}

// Goal: a service that has grown keeps its course of the day, from its new level.
TEST_CASE("what is usual is a change from the present level", "[pools]") {
    Seasonal seasonal{{.ahead = 15min}};
    feed(seasonal, 0, 7 * 86'400 - 10, [](std::int64_t) { return Amount{300}; });
    feed(seasonal, 7 * 86'400, 7 * 86'400 + 3'600, [](std::int64_t) { return Amount{900}; });
    CHECK(seasonal.predict(at(7 * 86'400 + 3'600)) >= 895);
}

TEST_CASE("a window keeps few samples of many, up to the newest", "[pools]") {
    Window window{10min};
    for (std::int64_t second = 0; second <= 3'000; ++second) {
        window.add(NeedSample{at(second), static_cast<Amount>(second)});
    }
    const auto& samples = window.samples();
    CHECK(samples.size() <= Window::most);
    CHECK(samples.size() > Window::most / 2);
    CHECK(samples.back().need == 3'000);
    CHECK(samples.front().need >= 2'400);
    CHECK(samples.front().need <= 2'420);
}

// Goal: what took weeks to learn goes on in the next leadership.
TEST_CASE("a season that was stored predicts as before", "[pools]") {
    Seasonal first{{}};
    Seasonal second{{}};
    const auto at = [](std::int64_t minute) {
        return CivilMs{1'793'577'600'000 + minute * 60'000};
    };
    constexpr std::int64_t day = 24 * 60;
    for (std::int64_t minute = 0; minute <= 2 * day; ++minute) {
        first.observe({at(minute), minute % day < 720 ? Amount{100} : Amount{900}});
    }
    REQUIRE(second.take_learned(first.learned()));
    CHECK(second.learned() == first.learned());
    for (std::int64_t minute = 2 * day + 680; minute <= 2 * day + 719; ++minute) {
        second.observe({at(minute), 100});
    }
    CHECK(second.predict(at(2 * day + 719)) > 130);
    CHECK(Seasonal{{}}.learned().empty());
    CHECK(second.take_learned(""));
}

TEST_CASE("a season that makes no sense is refused", "[pools][bad_input]") {
    Seasonal season{{}};
    for (const char* const text : {"1 2 3", "a", "-1", " ", "1000000000001"}) {
        CAPTURE(text);
        CHECK_FALSE(season.take_learned(text));
    }
    CHECK(season.learned().empty());
    CHECK(season.take_learned("7").error().detail ==
          "it has 1 amounts, and a week and a day have 768");
}
