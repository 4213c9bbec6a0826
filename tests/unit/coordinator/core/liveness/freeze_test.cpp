#include "coordinator/core/liveness/freeze.hpp"

#include "tests/catch.hpp"

using namespace muster;
using namespace muster::coordinator;

namespace {

constexpr NodeIndex only_node{0};

/// True if this number of silent nodes begins a freeze.
bool begins(std::uint32_t silent, std::uint32_t counted) {
    Freeze freeze;
    return freeze.judge({.counted = counted, .silent = silent}, true) == Freeze::Change::began;
}

}  // namespace

// Goal: the promised thresholds, to the node.
// Method: fleets with 10, 24, 25, 26, 55 and 100 % silent, and small ones.
TEST_CASE("a quarter of the counted nodes and at least three, or all, begin a freeze",
          "[freeze][S9]") {
    for (const std::uint32_t silent : {0U, 1U, 10U, 24U}) {
        CHECK_FALSE(begins(silent, 100));
    }
    for (const std::uint32_t silent : {25U, 26U, 55U, 100U}) {
        CHECK(begins(silent, 100));
    }
    CHECK_FALSE(begins(0, 0));
    CHECK(begins(1, 1));
    CHECK_FALSE(begins(1, 2));
    CHECK(begins(2, 2));
    CHECK_FALSE(begins(2, 3));
    CHECK(begins(3, 3));
    CHECK_FALSE(begins(2, 8));
    CHECK(begins(3, 8));
    CHECK(begins(3, 12));
    CHECK_FALSE(begins(3, 13));
    CHECK(begins(4, 13));
}

// Goal: a freeze ends by itself, but not at the first good round.
// Method: of 20 counted nodes fewer than 3 must be silent, for five rounds in a row.
TEST_CASE("a freeze ends when few are silent and some node answers for five rounds", "[freeze]") {
    Freeze freeze;
    REQUIRE(freeze.judge({20, 5}, true) == Freeze::Change::began);
    for (int round = 0; round < 20; ++round) {
        CHECK(freeze.judge({20, 3}, true) == Freeze::Change::none);
        CHECK(freeze.judge({20, 0}, false) == Freeze::Change::none);
    }
    for (int round = 0; round < 4; ++round) {
        CHECK(freeze.judge({20, 2}, true) == Freeze::Change::none);
    }
    CHECK(freeze.calm() == 4);
    CHECK(freeze.judge({20, 3}, true) == Freeze::Change::none);
    CHECK(freeze.calm() == 0);
    for (int round = 0; round < 4; ++round) {
        CHECK(freeze.judge({20, 2}, true) == Freeze::Change::none);
    }
    CHECK(freeze.judge({20, 2}, true) == Freeze::Change::ended);
    CHECK_FALSE(freeze.is_on());
    CHECK(leaves_below({.counted = 100, .silent = 0}) == 15);
    CHECK(leaves_below({.counted = 101, .silent = 0}) == 16);
    CHECK(leaves_below({.counted = 1, .silent = 0}) == 3);
}

TEST_CASE("a freeze that an operator began ends only by an operator", "[freeze]") {
    Freeze freeze;
    const bool was_on = GENERATE(false, true);
    if (was_on) {
        REQUIRE(freeze.judge({4, 4}, false) == Freeze::Change::began);
    }
    freeze.begin_by_operator();
    for (int round = 0; round < 20; ++round) {
        CHECK(freeze.judge({4, 0}, true) == Freeze::Change::none);
    }
    CHECK(freeze.is_on());
    freeze.end_by_operator();
    CHECK_FALSE(freeze.is_on());
    CHECK(freeze.judge({4, 1}, true) == Freeze::Change::none);
}

// Goal: a node is counted if it served ten rounds ago, whatever it has done since.
// Method: it begins to serve, ends it, begins again; check each round of the window.
TEST_CASE("a node is counted by its state when the window began", "[freeze]") {
    Freeze freeze;
    freeze.add(only_node, Round{5}, false);
    freeze.serves(only_node, Round{6}, true);
    CHECK_FALSE(freeze.is_counted(only_node, Round{15}));
    CHECK(freeze.is_counted(only_node, Round{16}));
    CHECK(freeze.is_counted(only_node, Round{1'000}));
    freeze.serves(only_node, Round{20}, false);
    CHECK(freeze.is_counted(only_node, Round{20}));
    CHECK(freeze.is_counted(only_node, Round{29}));
    CHECK_FALSE(freeze.is_counted(only_node, Round{30}));
    freeze.serves(only_node, Round{22}, true);
    freeze.serves(only_node, Round{22}, true);
    CHECK(freeze.is_counted(only_node, Round{29}));
    CHECK_FALSE(freeze.is_counted(only_node, Round{30}));
    CHECK_FALSE(freeze.is_counted(only_node, Round{31}));
    CHECK(freeze.is_counted(only_node, Round{32}));
    freeze.serves(only_node, Round{1'000'000}, false);
    CHECK(freeze.is_counted(only_node, Round{1'000'009}));
    CHECK_FALSE(freeze.is_counted(only_node, Round{1'000'010}));
}

TEST_CASE("knowledge from before a leadership counts in its first window", "[freeze]") {
    Freeze freeze;
    freeze.add(only_node, Round{0}, true);
    freeze.serves(only_node, Round{3}, false);
    CHECK(freeze.is_counted(only_node, Round{9}));
    CHECK(freeze.is_counted(only_node, Round{12}));
    CHECK_FALSE(freeze.is_counted(only_node, Round{13}));
    freeze.keep(only_node);
    CHECK(freeze.is_counted(only_node, Round{13}));
    freeze.keep_nobody();
    CHECK_FALSE(freeze.is_counted(only_node, Round{13}));
    freeze.exclude(only_node, Round{20});
    CHECK(freeze.is_excluded(only_node, Round{18}));
    CHECK_FALSE(freeze.is_excluded(only_node, Round{21}));
    freeze.add(only_node, Round{22}, false);  // Another node in its slot.
    CHECK_FALSE(freeze.is_excluded(only_node, Round{0}));
}
