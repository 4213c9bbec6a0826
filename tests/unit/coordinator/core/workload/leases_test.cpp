#include "coordinator/core/workload/leases.hpp"

#include "tests/catch.hpp"

#include "common/base/limits.hpp"

// Until when nodes may run exclusive instances, from the coordinator's view.
namespace muster::coordinator {

namespace {

constexpr NodeIndex here{1};
constexpr Instant start{1h};
constexpr Duration length = 30s;
constexpr Duration over = 30300ms + limits::lease_grace + limits::lease_kill;
const InstanceId db0{"db", 0};
const LifeId life{1, 1};
const LifeId next_life{2, 2};

struct Counted : Leases {
    explicit Counted(bool has_earlier = false) : Leases{start, length, has_earlier} {}

    /// A stamp arrives; returns the lease that the poll a second later grants for it.
    BootMs round(Instant at, BootMs stamp) {
        on_stamp(at, here, stamp);
        return grant(at + 1s, here);
    }
    std::optional<Instant> held_until(Instant now) {
        const auto hold = hold_of(now, db0);
        return hold ? std::optional{hold->until} : std::nullopt;
    }
};

}  // namespace

TEST_CASE("a node is granted its own stamp plus the length of a lease", "[leases]") {
    Counted leases;
    CHECK(leases.grant(start, here) == BootMs{});
    CHECK(leases.round(start, BootMs{5'000}) == BootMs{35'000});
    CHECK(leases.grant(start + 20s, here) == BootMs{35'000});  // No newer stamp.
    CHECK(leases.round(start + 21s, BootMs{26'000}) == BootMs{56'000});
}

// Goal: a coordinator that was paused between reading its clock and reading a report does not count
// the lease from the earlier time. Method: grant and report have one instant.
TEST_CASE("a stamp is used for grants only after the instant of its arrival", "[leases]") {
    Counted leases;
    leases.on_stamp(start, here, BootMs{5'000});
    CHECK(leases.grant(start, here) == BootMs{});
    CHECK_FALSE(leases.may_start(start, here));
    CHECK(leases.may_start(start + 1ns, here));
    CHECK(leases.grant(start + 1ns, here) == BootMs{35'000});
    leases.on_stamp(start + 1s, here, BootMs{6'000});
    CHECK(leases.grant(start + 1s, here) == BootMs{35'000});
}

TEST_CASE("an instance of a node is held until all leases granted there are over", "[leases]") {
    Counted leases;
    leases.hold(here, "here", life, db0);
    CHECK_FALSE(leases.held_until(start));  // It was granted nothing.
    leases.round(start, BootMs{5'000});
    leases.hold(here, "here", life, db0);
    CHECK(leases.held_until(start + 10s) == start + 1s + over);
    CHECK(leases.hold_of(start + 10s, db0)->node == "here");
    CHECK_FALSE(leases.held_until(start + 1s + over));
    CHECK_FALSE(leases.hold_of(start + 10s, {"db", 1}));
}

TEST_CASE("only the life that ran it can report that it is gone", "[leases]") {
    Counted leases;
    leases.round(start, BootMs{5'000});
    leases.hold(here, "here", life, db0);
    leases.begin_life(here);
    CHECK(leases.grant(start + 5s, here) == BootMs{});  // Perhaps of another boot.
    leases.release(next_life);
    CHECK(leases.held_until(start + 10s));
    leases.release(life);
    CHECK_FALSE(leases.held_until(start + 10s));
}

TEST_CASE("a stamp that is half a lease old is too old for a start", "[leases]") {
    Counted leases;
    leases.round(start, BootMs{5'000});
    CHECK(leases.may_start(start + 14s, here));
    CHECK_FALSE(leases.may_start(start + 15s, here));
    leases.forget(here);
    CHECK_FALSE(leases.may_start(start + 1s, here));
}

TEST_CASE("a new leader holds what no node reports, and the first leader of a store nothing",
          "[leases]") {
    CHECK_FALSE(Counted{}.held_until(start));
    Counted leases{true};
    CHECK(leases.held_until(start + 5s) == start + over);
    CHECK(leases.hold_of(start + 5s, db0)->node.empty());
    leases.on_reported(start + 6s, db0);
    CHECK_FALSE(leases.held_until(start + 7s));
    CHECK(leases.hold_of(start + 7s, {"db", 1}));
    leases.expect_earlier(start + 8s);
    CHECK(leases.held_until(start + 9s) == start + 8s + over);
    leases.drop_ended(start + 8s + over);
    CHECK_FALSE(leases.held_until(start + 9s));
}

TEST_CASE("tokens grow, also from leader to leader", "[leases]") {
    Leases first{start, length, false};
    const auto one = first.next_token(Epoch{3});
    CHECK(first.next_token(Epoch{3}) > one);
    Leases second{start, length, true};
    CHECK(second.next_token(Epoch{4}) > first.next_token(Epoch{3}));
}

// Goal: an instance that a node has reported can continue on an earlier leader's lease when that
// node is lost before this leader granted anything.
TEST_CASE("an instance on an earlier leader's lease is held when its node is lost",
          "[leases][S8][S11]") {
    Counted leases{true};
    leases.on_reported(start + 1s, db0);
    CHECK_FALSE(leases.held_until(start + 1s));
    leases.hold(here, "n1", life, db0);
    CHECK(leases.held_until(start + 2s) == start + over);
    leases.release(life);
    CHECK_FALSE(leases.held_until(start + 3s));
}

}  // namespace muster::coordinator
