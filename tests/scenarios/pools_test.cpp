// A pool sized by each predictor through a history of its need.

#include <string>

#include "tests/catch.hpp"

#include "sim/pools/history.hpp"
#include "sim/pools/trial.hpp"

using namespace muster;
using namespace muster::sim;

namespace {

Score score_of(const std::vector<Score>& all, const std::string& name) {
    for (const Score& score : all) {
        if (score.name == name) {
            return score;
        }
    }
    throw std::runtime_error{"no score of " + name};
}

History history_of(const std::string& csv) {
    auto history = read_history(csv);
    REQUIRE(history);
    return *std::move(history);
}

std::string fault_of(const std::string& csv) {
    const auto history = read_history(csv);
    return history ? "" : history.error().detail;
}

}  // namespace

// Goal: the figures of the docs. Method: three generated months; what is better on one of them by
// chance is not on all.
TEST_CASE("a trend and a season are better than reacting, in time and in nodes", "[pools]") {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        INFO(seed);
        const auto scores = try_all(generated_month(seed), {});
        const Score reactive = score_of(scores, "reactive");
        for (const auto* const name : {"trend", "seasonal"}) {
            const Score score = score_of(scores, name);
            CHECK(score.under < reactive.under);
            CHECK(score.nodes < reactive.nodes);
        }
        CHECK(score_of(scores, "peak").under < reactive.under / 5);
    }
}

TEST_CASE("a generated month is the same for a seed, and another for another", "[pools]") {
    CHECK(generated_month(1) == generated_month(1));
    CHECK(generated_month(1) != generated_month(2));
    CHECK(generated_month(1).size() == 28 * 8'640);
}

// Method: by hand. A node comes 60 s after it was asked for, and goes 10 s after it drains.
TEST_CASE("the times of a trial are those of its nodes", "[pools]") {
    const TrialOptions options{.of_node = 100, .boot = 60s, .drain = 10s};
    const History history = history_of("0,50\n100,150\n200,150\n300,50\n400,50\n");
    const Score score = score_of(try_all(history, options), "conservative");
    CHECK(score.asked == 2);
    CHECK(score.under == 120s);  // From 0 and from 100, until a node has come.
    CHECK(score.nodes == 400s + 200s + 10s);
}

TEST_CASE("a node that drains comes back before one is asked for", "[pools]") {
    const TrialOptions options{.of_node = 100, .boot = 10s, .drain = 50s};
    const History history = history_of("0,200\n100,100\n120,200\n200,200\n");
    CHECK(score_of(try_all(history, options), "conservative").asked == 2);
}

// Method: by hand, on a Thursday. The table rises at 00:10, so nodes come when they are needed; it
// falls at 00:20.
TEST_CASE("a schedule is tried beside the predictors", "[pools]") {
    const std::vector<std::string> lines{"daily 00:00 50", "thu 00:10 150", "thu 00:20 50"};
    std::string csv;
    for (int second = 0; second <= 1'500; second += 10) {
        csv += std::to_string(second) + (second >= 600 && second < 1'200 ? ",150\n" : ",50\n");
    }
    TrialOptions options{.of_node = 100, .boot = 60s, .drain = 10s};
    CHECK(try_all(history_of(csv), options).back().name != "schedule");
    options.schedule = coordinator::Schedule::parse(lines).value_or(coordinator::Schedule{});
    const Score score = try_all(history_of(csv), options).back();
    CHECK(score.name == "schedule");
    CHECK(score.under == 60s);  // At the beginning.
    CHECK(score.asked == 2);
    CHECK(score.nodes == 1'500s + 660s + 10s);

    options.utc_offset = [](CivilMs /*at*/) { return -600; };  // The table is ten minutes late.
    CHECK(try_all(history_of(csv), options).back().under == 60s + 600s);
}

TEST_CASE("a history is read with seconds and with dates", "[pools]") {
    const History history =
        history_of("time,amount\n2026-11-02T00:00:00Z,5\r\n\n1793577610,7\n2026-11-02T00:00:20Z,0");
    REQUIRE(history.size() == 3);
    CHECK(history[0] == coordinator::NeedSample{CivilMs{1'793'577'600'000}, 5});
    CHECK(history[1] == coordinator::NeedSample{CivilMs{1'793'577'610'000}, 7});
    CHECK(history[2] == coordinator::NeedSample{CivilMs{1'793'577'620'000}, 0});
}

TEST_CASE("what is no history is refused with its line", "[pools]") {
    CHECK(fault_of("") == "there are fewer than two samples, so nothing can be tried");
    CHECK(fault_of("0,1\n10\n") == "line 2: it is not TIME,AMOUNT");
    CHECK(fault_of("0,1\nsoon,1\n") ==
          "line 2: 'soon' is no time; a time is a number of seconds since 1970, or like "
          "2026-11-02T10:00:00Z");
    CHECK(fault_of("0,1\n-5,1\n").starts_with("line 2: '-5' is no time"));
    CHECK(fault_of("0,1\n10,-1\n") ==
          "line 2: '-1' is no amount; an amount is a whole number from 0 to 1000000000");
    CHECK(fault_of("0,1\n10,1000000001\n").starts_with("line 2: '1000000001' is no amount"));
    CHECK(fault_of("0,1\n10,99999999999999999999\n").starts_with("line 2:"));
    CHECK(fault_of("0,1\n0,1\n") == "line 2: its time is not later than the one before");
}
