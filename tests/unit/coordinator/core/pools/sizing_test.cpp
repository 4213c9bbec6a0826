// How many nodes a pool gets or loses.

#include "coordinator/core/pools/sizing.hpp"

#include "tests/catch.hpp"

using namespace muster;
using namespace muster::coordinator;

namespace {

constexpr Instant start{1'000s};

Holding nodes(std::uint32_t count) {
    return {.nodes = count, .capacity = Amount{count} * 100, .of_new_node = 100};
}

Resize resize(Amount wanted, const Holding& has, const SizeLimits& limits = {}) {
    return Sizing{limits}.resize(start, wanted, has);
}

Resize up(std::uint32_t count, SizeReason reason = SizeReason::need) {
    return {.up = count, .reason = reason};
}
Resize down(std::uint32_t count, SizeReason reason = SizeReason::need) {
    return {.down = count, .reason = reason};
}
Resize none(SizeReason reason = SizeReason::enough) { return {.reason = reason}; }

}  // namespace

TEST_CASE("one unit more than there is asks for one more node", "[pools]") {
    CHECK(resize(0, nodes(0)) == none());
    CHECK(resize(1, nodes(0)) == up(1));
    CHECK(resize(100, nodes(1)) == none());
    CHECK(resize(101, nodes(1)) == up(1));
    CHECK(resize(700, nodes(1)) == up(6));
}

TEST_CASE("what is too much stays until a whole node is", "[pools]") {
    CHECK(resize(101, nodes(2)) == none());
    CHECK(resize(100, nodes(2)) == down(1));
    CHECK(resize(0, nodes(7)) == down(7));
}

TEST_CASE("a step bounds what is asked for and drained at once", "[pools]") {
    CHECK(resize(10'000, nodes(0)) == up(20));
    CHECK(resize(0, nodes(100)) == down(20));
    CHECK(resize(10'000, nodes(95), {.step = 3}) == up(3));
}

TEST_CASE("a pool stays within its limits, whatever is wanted", "[pools]") {
    const SizeLimits limits{.min = 3, .max = 5};
    CHECK(resize(10'000, nodes(4), limits) == up(1));
    CHECK(resize(10'000, nodes(5), limits) == none(SizeReason::at_max));
    CHECK(resize(0, nodes(4), limits) == down(1));
    CHECK(resize(0, nodes(3), limits) == none(SizeReason::at_min));
    CHECK(resize(0, nodes(1), limits) == up(2, SizeReason::below_min));
    CHECK(resize(10'000, nodes(8), limits) == down(3, SizeReason::above_max));
}

// Goal: a node that is larger or smaller than the others counts as it is.
TEST_CASE("capacity is the sum over the nodes, not their number", "[pools]") {
    const Holding uneven{.nodes = 2, .capacity = 1'000, .of_new_node = 100};
    CHECK(resize(950, uneven) == none());
    CHECK(resize(1'001, uneven) == up(1));
    CHECK(resize(0, uneven) == down(2));
}

TEST_CASE("after a growth the next one waits, and after any change a shrinking", "[pools]") {
    Sizing sizing{{.up_cooldown = 60s, .down_cooldown = 300s}};
    sizing.on_resized(start, 0, 0);  // A wish that was not carried out begins none.
    CHECK(sizing.resize(start, 100, nodes(0)) == up(1));
    sizing.on_resized(start, 1, 0);
    CHECK(sizing.resize(start + 59s, 200, nodes(1)) == none(SizeReason::up_cooldown));
    CHECK(sizing.resize(start + 60s, 200, nodes(1)) == up(1));
    sizing.on_resized(start + 60s, 1, 0);
    CHECK(sizing.resize(start + 359s, 100, nodes(2)) == none(SizeReason::down_cooldown));
    CHECK(sizing.resize(start + 360s, 100, nodes(2)) == down(1));
    sizing.on_resized(start + 360s, 0, 1);
    CHECK(sizing.resize(start + 361s, 200, nodes(1)) == up(1));
}

// Goal: an operator who changes the limits does not wait for a cooldown of the need.
TEST_CASE("the limits hold at once", "[pools]") {
    Sizing sizing{{.min = 3, .up_cooldown = 60s, .down_cooldown = 60s}};
    CHECK(sizing.resize(start, 0, nodes(0)) == up(3, SizeReason::below_min));
    sizing.on_resized(start, 3, 0);
    CHECK(sizing.resize(start + 1s, 0, nodes(1)) == up(2, SizeReason::below_min));
}
