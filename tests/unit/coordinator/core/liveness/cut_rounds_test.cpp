// A round that has not closed is a partial view, and no plan is made from it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

/// The number of messages of one type in the output.
template <class Message>
std::size_t count(const Output& output) {
    std::size_t found = 0;
    for (const ToAgent& message : output.messages) {
        found += std::holds_alternative<Message>(message.message) ? 1U : 0U;
    }
    return found;
}

FakeAgent fake(const std::string& name, std::uint64_t number) {
    FakeAgent made;
    made.name = name;
    made.session = Session{number};
    made.life = LifeId{1, number};
    return made;
}

Report empty_report(const Poll& poll) {
    return {.kind = ReportKind::snapshot,
            .epoch = poll.epoch,
            .round = poll.round,
            .incarnation = poll.incarnation,
            .from = Revision{1},
            .to = Revision{1},
            .obeyed = {},
            .host = {},
            .instances = {},
            .gone = {}};
}

/// An open round: n1 has answered its poll, and would get `web.0` again, because it did not obey.
/// n2 has not answered.
struct HalfAnswered : CoordinatorHarness {
    FakeAgent& n1{join("n1")};
    FakeAgent& n2{join("n2")};

    HalfAnswered() {
        pass(1500ms);
        n2.answers = n2.obeys = n1.obeys = false;
        want("web", 1);
        REQUIRE(n1.batches.size() == 1);
        REQUIRE(n2.batches.empty());
        pass(1s);
        REQUIRE(n1.batches.size() == 1);
        REQUIRE(n1.polls.back().issued == Sequence{1});
    }
};

}  // namespace

// Goal: a leadership plans nothing before all agents had a round's time to answer.
// Method: the store wants a task; two agents join while the first round is open, and one is silent.
TEST_CASE("no plan is made before the first round of a leadership has closed",
          "[coordinator][rounds][GO-D13]") {
    StoreImage image = CoordinatorHarness::empty_store();
    image.tasks.push_back({CoordinatorHarness::wanted("web", 1), Generation{5}, Generation{5}});
    Coordinator coordinator{CoordinatorHarness::start, {}, image};
    Instant now = CoordinatorHarness::start;
    Output output;
    const auto give = [&](const Input& input) {
        output = coordinator.step(now, input);
        while (!output.persist.empty()) {
            Output next = coordinator.step(now, Persisted{output.persist.back().number});
            next.polls.insert(next.polls.end(), output.polls.begin(), output.polls.end());
            next.messages.insert(next.messages.end(), output.messages.begin(),
                                 output.messages.end());
            output = std::move(next);
        }
    };
    FakeAgent n1 = fake("n1", 1);
    FakeAgent n2 = fake("n2", 2);
    give(FromAgent{n1.session, CoordinatorHarness::hello_of(n1)});
    REQUIRE(output.polls.size() == 1);
    const Poll poll = output.polls.front().poll;
    give(FromAgent{n2.session, CoordinatorHarness::hello_of(n2)});
    REQUIRE(output.polls.size() == 1);
    give(FromAgent{n1.session, empty_report(poll)});
    CHECK(count<Batch>(output) == 0);
    now += 500ms;
    give(FromOperator{
        Ticket{1}, CoreRequest{CoordinatorHarness::id_made_at(CoordinatorHarness::civil_start, 1),
                               TaskScaleRequest{"web", 2}}});
    CHECK(count<Batch>(output) == 0);
    now += 500ms;
    give(Wake{});
    CHECK(count<Batch>(output) == 1);
}

// Goal: no order is based on reports from before an acceptance.
// Method: an operator accepts a third node's store in the middle of a round; then a whole round of
// the new epoch passes.
TEST_CASE("a round that an acceptance ends early gives no orders and counts no miss",
          "[coordinator][rounds][GO-D13]") {
    HalfAnswered harness;
    FakeAgent& n3 = harness.add("n3");
    n3.counter = Generation{40};
    harness.send_hello(n3);
    harness.pass(100ms);
    REQUIRE(harness.status().ahead == 1);
    const std::uint32_t missed = harness.node("n2").missed;
    REQUIRE(harness.ask(StoreAcceptRequest{}, harness.fresh_id())->result);
    CHECK(harness.n1.batches.size() == 1);
    CHECK(harness.node("n2").missed == missed);
    CHECK(harness.n1.polls.back().epoch == Epoch{4});  // Polled again at once.
    CHECK(harness.n2.polls.back().epoch == Epoch{4});

    harness.pass(900ms);
    CHECK(harness.n1.batches.size() == 1);
    harness.pass(100ms);
    REQUIRE(harness.n1.batches.size() == 2);
    CHECK(harness.n1.batches.back().epoch == Epoch{4});
    CHECK(harness.node("n2").missed == missed + 1);
}

// Goal: a coordinator whose leadership is over orders nothing, whatever reports it has.
// Method: the store fails in the middle of a round; time passes, and agents continue to report.
TEST_CASE("a leadership that ends in the middle of a round makes no plan from it",
          "[coordinator][rounds][GO-D13]") {
    HalfAnswered harness;
    const Output last = harness.give(StoreFailed{"the disk is full"});
    CHECK(harness.resigned);
    CHECK(last.messages.empty());
    const std::size_t polls = harness.n1.polls.size();
    for (int seconds = 0; seconds < 5; ++seconds) {
        harness.now += 1s;
        harness.give(Wake{});
        harness.give(FromAgent{harness.n2.session, empty_report(harness.n2.polls.back())});
        harness.send_hello(harness.n2);
    }
    CHECK(harness.n1.batches.size() == 1);
    CHECK(harness.n2.batches.empty());
    CHECK(harness.n1.polls.size() == polls);
}
