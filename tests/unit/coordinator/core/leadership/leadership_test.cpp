// One coordinator in an election; in virtual time.

#include "coordinator/core/leadership/leadership.hpp"

#include <string>

#include "tests/catch.hpp"

using namespace muster;
using namespace muster::coordinator;
namespace election = muster::coordinator::election;

namespace {

constexpr Instant time_of_start = Instant{} + 100s;
constexpr LeaderId us{1, 1};
constexpr LeaderId another{2, 2};
constexpr LeaseId first_lease{7};

/// Plays the store for one coordinator, with leases of 5 s.
struct Voter {
    election::Output give(const election::Input& input) { return core.step(now, input); }
    election::Output pass(Duration time) {
        now += time;
        return give(election::Wake{});
    }
    template <class Wanted>
    bool orders(const election::Output& output) const {
        return std::holds_alternative<Wanted>(output.order);
    }
    /// Wins, with a lease that was asked for now.
    void win() {
        REQUIRE(orders<election::AskLease>(give(election::NobodyLeads{})));
        REQUIRE(orders<election::Campaign>(give(election::LeaseGiven{first_lease, now, 5s})));
        REQUIRE(give(election::Won{Epoch{3}}).leads == Epoch{3});
    }

    Leadership core{us, 5s};
    Instant now = time_of_start;
};

}  // namespace

TEST_CASE("a coordinator takes the lead only where nobody leads", "[leadership]") {
    Voter voter;
    SECTION("somebody leads") {
        CHECK(voter.orders<std::monostate>(voter.give(election::LeaderSeen{another})));
        CHECK(voter.core.leader() == another);
        CHECK(voter.core.next_deadline() == Instant::max());
        CHECK(voter.orders<std::monostate>(voter.pass(1h)));
        CHECK(voter.orders<election::AskLease>(voter.give(election::NobodyLeads{})));
    }
    SECTION("nobody does") {
        voter.win();
        CHECK(voter.core.leader() == us);
    }
    SECTION("another one is faster") {
        REQUIRE(voter.orders<election::AskLease>(voter.give(election::NobodyLeads{})));
        REQUIRE(voter.orders<election::Campaign>(
            voter.give(election::LeaseGiven{first_lease, voter.now, 5s})));
        const election::Output lost = voter.give(election::Lost{});
        REQUIRE(voter.orders<election::Release>(lost));
        CHECK(std::get<election::Release>(lost.order).lease == first_lease);
        CHECK_FALSE(voter.core.leads_until());
        CHECK(voter.core.next_deadline() == Instant::max());
    }
}

// Goal: nobody acts when another may lead already. Method: the request for the lease took 2 s.
TEST_CASE("a lease is counted from the moment it was asked for, and not used to its end [S5]",
          "[leadership][MG-D8][S5]") {
    Voter voter;
    REQUIRE(voter.orders<election::AskLease>(voter.give(election::NobodyLeads{})));
    voter.now = time_of_start + 2s;
    REQUIRE(voter.orders<election::Campaign>(
        voter.give(election::LeaseGiven{first_lease, time_of_start, 5s})));
    REQUIRE(voter.give(election::Won{Epoch{3}}).leads);
    CHECK(voter.core.leads_until() == time_of_start + 5s - 50ms - 100ms);
    REQUIRE(voter.orders<election::Renew>(voter.give(election::Wake{})));
    voter.now = *voter.core.leads_until() - 1ms;
    CHECK_FALSE(voter.give(election::Wake{}).steps_down);
    CHECK(voter.core.next_deadline() == *voter.core.leads_until());
    voter.now = *voter.core.leads_until();
    // An answer that comes at the end comes too late.
    CHECK(voter.give(election::LeaseGiven{first_lease, voter.now - 1ms, 5s}).steps_down);
    CHECK_FALSE(voter.core.leads_until());
    CHECK_FALSE(voter.give(election::Wake{}).steps_down);
}

TEST_CASE("a lead that is won after its lease is not taken", "[leadership][S5]") {
    Voter voter;
    REQUIRE(voter.orders<election::AskLease>(voter.give(election::NobodyLeads{})));
    REQUIRE(voter.orders<election::Campaign>(
        voter.give(election::LeaseGiven{first_lease, voter.now, 5s})));
    voter.now += 4850ms;
    const election::Output late = voter.give(election::Won{Epoch{3}});
    CHECK_FALSE(late.leads);
    CHECK(late.steps_down);
    CHECK(voter.orders<election::Release>(late));
}

TEST_CASE("a leader renews its lease in time, and tries again when it fails",
          "[leadership][MG-D25]") {
    Voter voter;
    voter.win();
    REQUIRE(voter.core.next_deadline() == voter.now);
    REQUIRE(voter.orders<election::Renew>(voter.give(election::Wake{})));
    CHECK(voter.orders<std::monostate>(voter.pass(1s)));  // One order at a time.
    voter.give(election::LeaseGiven{first_lease, time_of_start, 5s});
    CHECK(voter.core.leads_until() == time_of_start + 4850ms);  // The answer came after 1 s.
    CHECK(voter.core.next_deadline() == time_of_start + Duration{5s} / 3);
    voter.now = voter.core.next_deadline();
    REQUIRE(voter.orders<election::Renew>(voter.give(election::Wake{})));
    CHECK(voter.orders<std::monostate>(voter.give(election::Failed{"no answer"})));
    CHECK(voter.core.next_deadline() == voter.now + 500ms);
    REQUIRE(voter.orders<election::Renew>(voter.pass(500ms)));
    voter.give(election::LeaseGiven{first_lease, voter.now, 5s});
    CHECK(voter.core.leads_until() == voter.now + 4850ms);
}

TEST_CASE("a leader steps down at once when the store has another leader or none",
          "[leadership][S5]") {
    Voter voter;
    voter.win();
    SECTION("another") { CHECK(voter.give(election::LeaderSeen{another}).steps_down); }
    SECTION("none") { CHECK(voter.give(election::NobodyLeads{}).steps_down); }
    SECTION("no lease") { CHECK(voter.give(election::LeaseUnknown{}).steps_down); }
    SECTION("itself") {
        CHECK_FALSE(voter.give(election::LeaderSeen{us}).steps_down);
        return;
    }
    CHECK_FALSE(voter.core.leader());
    CHECK(voter.core.next_deadline() == Instant::max());
}

TEST_CASE("a leader that resigns ends its lease, so that the next one need not wait for it",
          "[leadership]") {
    Voter voter;
    voter.win();
    const election::Output output = voter.give(election::Resign{"an operator wants it"});
    CHECK(output.steps_down == "an operator wants it");
    REQUIRE(voter.orders<election::Release>(output));
    CHECK(std::get<election::Release>(output.order).lease == first_lease);
}

// Goal: a candidate whose request had no clear answer asks again, with the lease that it has.
TEST_CASE("a candidate tries again, and asks for another lease once its own may have ended",
          "[leadership][MG-D4]") {
    Voter voter;
    REQUIRE(voter.orders<election::AskLease>(voter.give(election::NobodyLeads{})));
    voter.give(election::Failed{"unreachable"});
    CHECK(voter.core.next_deadline() == voter.now + 500ms);
    CHECK(voter.orders<std::monostate>(voter.pass(499ms)));
    REQUIRE(voter.orders<election::AskLease>(voter.pass(1ms)));
    REQUIRE(voter.orders<election::Campaign>(
        voter.give(election::LeaseGiven{first_lease, voter.now, 5s})));
    voter.give(election::Failed{"unclear"});
    const election::Output again = voter.pass(500ms);
    REQUIRE(voter.orders<election::Campaign>(again));
    CHECK(std::get<election::Campaign>(again.order).lease == first_lease);
    voter.give(election::Failed{"unclear"});
    CHECK(voter.orders<election::AskLease>(voter.pass(5s)));
}
