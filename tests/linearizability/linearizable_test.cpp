// The judge of histories has a judge: histories whose verdict a person sees.

#include "tests/linearizability/linearizable.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/catch.hpp"

using namespace muster::linearizability;

namespace {

Operation wrote(Value value, Moment called, std::optional<Moment> answered) {
    return {.is_write = true, .value = value, .called = called, .answered = answered};
}
Operation found(Value value, Moment called, std::optional<Moment> answered) {
    return {.is_write = false, .value = value, .called = called, .answered = answered};
}

/// The definition itself: some order of all operations fits. Only for few of them.
bool fits_some_order(const std::vector<Operation>& history, Value initial) {
    std::vector<std::size_t> order(history.size());
    std::iota(order.begin(), order.end(), 0U);
    do {
        Value value = initial;
        Moment latest_call = 0;
        const bool fits = std::ranges::all_of(order, [&](std::size_t at) {
            const Operation& one = history[at];
            const bool is_in_time = !one.answered || *one.answered >= latest_call;
            latest_call = std::max(latest_call, one.called);
            if (!one.is_write) {
                return is_in_time && (!one.answered || one.value == value);
            }
            value = one.value;
            return is_in_time;
        });
        if (fits) {
            return true;
        }
    } while (std::ranges::next_permutation(order).found);
    return false;
}

}  // namespace

TEST_CASE("a history in which each read finds the last write is linearizable", "[histories]") {
    CHECK(is_linearizable({}, 0));
    CHECK(is_linearizable({found(0, 1, 2), wrote(1, 3, 4), found(1, 5, 6)}, 0));
    CHECK(is_linearizable({wrote(1, 1, 4), wrote(2, 5, 6), found(2, 7, 8)}, 0));
}

TEST_CASE("a read during a write finds the old or the new value, and later ones no older",
          "[histories]") {
    const auto during = wrote(1, 1, 10);
    CHECK(is_linearizable({during, found(0, 2, 3), found(1, 4, 5), found(1, 6, 7)}, 0));
    CHECK_FALSE(is_linearizable({during, found(1, 2, 3), found(0, 4, 5)}, 0));
    CHECK(is_linearizable({during, found(1, 2, 5), found(0, 4, 6)}, 0));
}

TEST_CASE("a read of an old value after a write was answered is not linearizable", "[histories]") {
    CHECK_FALSE(is_linearizable({wrote(1, 1, 2), found(0, 3, 4)}, 0));
    CHECK_FALSE(is_linearizable({wrote(1, 1, 2), wrote(2, 3, 4), found(1, 5, 6)}, 0));
    CHECK_FALSE(is_linearizable({found(1, 1, 2), wrote(1, 3, 4)}, 0));
    CHECK_FALSE(is_linearizable({wrote(1, 1, 2), found(7, 3, 4)}, 0));
    CHECK(is_linearizable({wrote(1, 1, 2), found(0, 2, 4)}, 0));  // They touch.
}

TEST_CASE("a write without an answer may have happened at any later time, or never",
          "[histories]") {
    const auto pending = wrote(1, 1, std::nullopt);
    CHECK(is_linearizable({pending, found(0, 2, 3), found(0, 4, 5)}, 0));
    CHECK(is_linearizable({pending, found(0, 2, 3), found(1, 4, 5)}, 0));
    CHECK(is_linearizable({pending, wrote(2, 2, 3), found(2, 4, 5), found(1, 6, 7)}, 0));
    CHECK_FALSE(is_linearizable({pending, found(1, 2, 3), found(0, 4, 5)}, 0));
    CHECK_FALSE(is_linearizable({found(1, 0, 0), pending}, 0));
    CHECK(is_linearizable({pending, found(7, 2, std::nullopt), found(0, 3, 4)}, 0));
}

TEST_CASE("two writes at once have one order for all readers", "[histories]") {
    const std::vector<Operation> writes{wrote(1, 1, 10), wrote(2, 1, 10)};
    auto same = writes;
    same.insert(same.end(), {found(1, 11, 12), found(1, 13, 14)});
    CHECK(is_linearizable(same, 0));
    auto both = writes;
    both.insert(both.end(), {found(1, 11, 12), found(2, 13, 14)});
    CHECK_FALSE(is_linearizable(both, 0));
}

// Goal: the search errs in neither direction. Method: short random histories, judged by trying all
// orders, too.
TEST_CASE("random short histories are judged as by all their orders", "[histories]") {
    std::mt19937 random{7};
    int linearizable = 0;
    constexpr int histories = 3'000;
    for (int round = 0; round < histories; ++round) {
        std::vector<Operation> history;
        for (int at = 0; at < 6; ++at) {
            const auto called = static_cast<Moment>(random() % 12);
            history.push_back(
                {.is_write = random() % 2 == 0,
                 .value = static_cast<Value>(random() % 3),
                 .called = called,
                 .answered = random() % 6 == 0
                                 ? std::nullopt
                                 : std::optional{called + static_cast<Moment>(random() % 5)}});
        }
        const bool expected = fits_some_order(history, 0);
        linearizable += expected ? 1 : 0;
        CHECK(is_linearizable(history, 0) == expected);
    }
    CHECK(linearizable > histories / 10);
    CHECK(linearizable < histories * 9 / 10);
}

// Goal: a long history takes no long search. Method: 2,000 operations of five clients, and writes
// of unknown outcome, which stay possible to the end.
TEST_CASE("a long history is judged in time", "[histories]") {
    std::vector<Operation> history;
    for (Moment at = 0; at < 2'000; ++at) {
        const Moment called = 10 * at;
        history.push_back(at % 5 == 0
                              ? wrote(at, called, called + 35)
                              : found(at - at % 5, called + 36 - 10 * (at % 5), called + 45));
        if (at % 400 == 0) {
            history.push_back(wrote(-at - 1, called, std::nullopt));
        }
    }
    CHECK(is_linearizable(history, 0));
    history.push_back(found(5, 30'000, 30'001));
    CHECK_FALSE(is_linearizable(history, 0));
}
