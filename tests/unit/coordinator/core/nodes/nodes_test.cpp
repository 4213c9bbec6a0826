#include "tests/catch.hpp"

#include "coordinator/core/liveness/loss_rate.hpp"
#include "coordinator/core/liveness/poll_rounds.hpp"
#include "coordinator/core/membership/hello.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/workload/copies.hpp"

using namespace muster;
using namespace muster::coordinator;

namespace {

Hello hello(LifeId life, std::uint64_t incarnation) {
    Hello message;
    message.name = "n1";
    message.life = life;
    message.incarnation = Incarnation{incarnation};
    return message;
}

}  // namespace

// Goal: a session belongs to one node, and a node has one session.
// Method: move sessions between two nodes.
TEST_CASE("a session belongs to the node that sent the last hello on it", "[nodes]") {
    NodeRegistry nodes{{}};
    const NodeIndex a = nodes.add("a");
    const NodeIndex b = nodes.add("b");
    nodes.attach(a, Session{1});
    nodes.attach(b, Session{2});
    nodes.attach(b, Session{1});
    CHECK(nodes.find(Session{1}) == b);
    CHECK_FALSE(nodes.find(Session{2}));
    CHECK_FALSE(nodes[a].session);
    nodes.detach(b);
    CHECK_FALSE(nodes.find(Session{1}));
}

// Goal: indices stay dense.
// Method: remove a node in the middle and add another.
TEST_CASE("the slot of a forgotten node is used again", "[nodes]") {
    NodeRegistry nodes{{}};
    nodes.add("a");
    const NodeIndex b = nodes.add("b");
    nodes.add("c");
    nodes.remove(b);
    CHECK_FALSE(nodes.find("b"));
    CHECK(nodes.add("d") == b);
    CHECK(nodes.count() == 3);
    CHECK_FALSE(nodes[b].lost);
}

// Goal: each changed node is listed once for the step.
// Method: touch one twice, remove another.
TEST_CASE("a touched node is listed once", "[nodes]") {
    NodeRegistry nodes{{}};
    const NodeIndex a = nodes.add("a");
    nodes.touch(a);
    nodes.touch(a);
    CHECK(nodes.take_touched(2) == std::vector{a});
    CHECK(nodes.take_touched(2).empty());
    const NodeIndex b = nodes.add("b");
    nodes.touch(a);
    CHECK(nodes.take_touched(1) == std::vector{b});
    nodes.touch(b);
    nodes.touch(a);
    CHECK(nodes.touched() == 2);
    CHECK(nodes.take_touched(2) == std::vector{a, b});
}

// Goal: a node's roles follow from its facts.
// Method: one fact after the other.
TEST_CASE("serving, commandable and counted are derived from the facts", "[nodes]") {
    Node node;
    CHECK_FALSE(is_serving(node));
    CHECK(is_counted(node));
    node.reported = true;
    CHECK(health_of(node) == Health::unready);
    CHECK_FALSE(is_serving(node));
    node.able = true;
    CHECK(health_of(node) == Health::healthy);
    CHECK(is_serving(node));
    node.suspended_until = Instant{1s};
    CHECK(health_of(node) == Health::flaky);
    CHECK_FALSE(is_serving(node));
    node.suspended_until.reset();
    for (const Intent intent : {Intent::draining, Intent::offline}) {
        node.intent = intent;
        CHECK(health_of(node) == Health::healthy);
        CHECK_FALSE(is_serving(node));
    }
    node.intent = Intent::active;
    CHECK_FALSE(is_commandable(node));
    node.session = Session{1};
    node.incarnation = Incarnation{1};
    node.durable = row_of(node);
    CHECK(is_commandable(node));
    node.lost = true;
    CHECK_FALSE(is_serving(node));
    CHECK_FALSE(is_commandable(node));
    CHECK(is_counted(node));
    node.durable = row_of(node);
    CHECK_FALSE(is_counted(node));
    CHECK(health_of(node) == Health::lost);
    node.suspended_until = Instant{1s};
    CHECK(health_of(node) == Health::lost);
    node.suspended_until.reset();
    node.lost = false;
    CHECK(is_counted(node));
    CHECK_FALSE(is_commandable(node));
    node.ahead = true;
    CHECK_FALSE(is_serving(node));
}

// Goal: every hello has one verdict.
// Method: a table of node, life and incarnation.
TEST_CASE("a hello is judged by its life and its incarnation", "[nodes][hello]") {
    const LifeId old_life{1, 1};
    const LifeId new_life{2, 2};
    Node stranger;
    CHECK(judge(stranger, hello(new_life, 0)) == HelloVerdict::stale_incarnation);
    CHECK(judge(stranger, hello(new_life, 1)) == HelloVerdict::new_life);

    Node from_store;
    from_store.incarnation = Incarnation{5};
    CHECK(judge(from_store, hello(new_life, 4)) == HelloVerdict::stale_incarnation);
    CHECK(judge(from_store, hello(new_life, 5)) == HelloVerdict::new_life);

    Node known = from_store;
    known.life = old_life;
    CHECK(judge(known, hello(old_life, 5)) == HelloVerdict::same_life);
    CHECK(judge(known, hello(old_life, 6)) == HelloVerdict::new_life);
    CHECK(judge(known, hello(new_life, 5)) == HelloVerdict::stale_incarnation);
    CHECK(judge(known, hello(new_life, 6)) == HelloVerdict::new_life);

    known.session = Session{1};
    CHECK(judge(known, hello(old_life, 6)) == HelloVerdict::new_life);
    CHECK(judge(known, hello(new_life, 6)) == HelloVerdict::name_in_use);
    known.connection_misses = 1;
    CHECK(judge(known, hello(new_life, 6)) == HelloVerdict::new_life);
}

// Goal: the rate of losses is bounded, with a burst after a quiet time.
// Method: take tokens round by round for a small and a large fleet.
TEST_CASE("losses are limited: one percent a round, at least one, ten after a quiet time",
          "[nodes][S9]") {
    const auto taken = [](LossRate& rate) {
        int count = 0;
        while (rate.take()) {
            ++count;
        }
        return count;
    };
    LossRate small{1, 10};
    small.round_closed(50);
    CHECK(taken(small) == 10);
    small.round_closed(50);
    CHECK(taken(small) == 1);
    small.round_closed(50);
    small.round_closed(50);
    CHECK(taken(small) == 2);
    LossRate large{1, 10};
    large.round_closed(10'000);
    CHECK(taken(large) == 100);
    large.round_closed(10'000);
    CHECK(taken(large) == 100);
}

// Goal: an answer counts once, in its own round.
// Method: answers of the right round twice, and of an older one.
TEST_CASE("an answer counts once and only in its round", "[nodes][rounds]") {
    NodeRegistry nodes{{}};
    const NodeIndex index = nodes.add("a");
    nodes.attach(index, Session{1});
    PollRounds rounds{nodes, Instant{1s}, 1s};
    std::vector<PollTo> polls;
    rounds.open_if_due(Instant{1s}, Epoch{1}, polls);
    REQUIRE(polls.size() == 1);
    CHECK(polls.front().poll.round == Round{1});
    Report answer;
    answer.round = Round{1};
    CHECK(rounds.answered(index, answer));
    CHECK_FALSE(rounds.answered(index, answer));
    const auto closed = rounds.close_if_due(Instant{1s}, false);
    REQUIRE(closed);
    CHECK(closed->answered == 1);
    CHECK(closed->missed == 0);
    rounds.open_if_due(Instant{2s}, Epoch{1}, polls);
    CHECK_FALSE(rounds.answered(index, answer));
    CHECK_FALSE(rounds.close_if_due(Instant{3s}, false));
    const auto missed = rounds.close_if_due(Instant{3s}, true);
    REQUIRE(missed);
    CHECK(missed->missed == 1);
    CHECK(nodes[index].misses == 1);
}

// Goal: a round costs nothing for lost nodes without a connection.
// Method: one of two nodes loses its route, misses a round, is lost, and returns on a new route.
TEST_CASE("a lost node without a route is not polled and misses nothing", "[nodes][rounds]") {
    NodeRegistry nodes{{}};
    const NodeIndex away = nodes.add("a");
    const NodeIndex here = nodes.add("b");
    nodes.attach(here, Session{1});
    PollRounds rounds{nodes, Instant{1s}, 1s};
    const auto silent_round = [&](Instant begin) {
        std::vector<PollTo> polls;
        rounds.open_if_due(begin, Epoch{1}, polls);
        return rounds.close_if_due(begin + 1s, true).value();
    };
    const ClosedRound missed = silent_round(Instant{1s});
    CHECK(missed.missed == 2);
    CHECK(missed.silent == std::vector{here});
    CHECK(missed.away == std::vector{away, here});

    CivilClock clock;
    EventLog events{Epoch{1}};
    StepContext step{Instant{2s}, clock, events};
    nodes.transition(step, away, NodeChange::lost, "silent");
    CHECK(silent_round(Instant{2s}).away == std::vector{here});
    CHECK(silent_round(Instant{3s}).missed == 1);
    CHECK(nodes[away].misses == 1);
    CHECK_FALSE(nodes.poll_set().test(raw(away)));

    nodes.attach(away, Session{2});
    CHECK(silent_round(Instant{4s}).missed == 2);
    nodes.remove(here);
    nodes.detach(away);
    CHECK(silent_round(Instant{5s}).missed == 0);
    CHECK(nodes.poll_set().empty());
}

// Goal: anti-entropy: each node sends a complete report from time to time.
// Method: count the polls that ask for a snapshot over a whole period.
TEST_CASE("each node is asked for a snapshot once in a period, not all at once",
          "[nodes][rounds]") {
    NodeRegistry nodes{{}};
    Copies copies{Instant{0s}, CoordinatorOptions{}, StoreImage{}, nodes};
    Report report;
    report.kind = ReportKind::snapshot;
    report.to = Revision{5};
    for (int i = 0; i < 8; ++i) {
        const NodeIndex index = nodes.add("n" + std::to_string(i));
        copies.placements.add_node(index, nodes[index].name);
        nodes.attach(index, Session{static_cast<std::uint64_t>(i) + 1});
        REQUIRE(copies.apply(index, report, {}).is_first);
    }
    PollRounds rounds{nodes, Instant{0s}, 1s};
    std::size_t asked = 0;
    std::size_t most_in_a_round = 0;
    for (std::uint64_t round = 0; round < PollRounds::snapshot_rounds; ++round) {
        std::vector<PollTo> polls;
        rounds.open_if_due(Instant{std::chrono::seconds{round}}, Epoch{1}, polls);
        std::size_t in_this = 0;
        for (const PollTo& poll : polls) {
            in_this += poll.poll.seen == Revision{} ? 1U : 0U;
        }
        asked += in_this;
        most_in_a_round = std::max(most_in_a_round, in_this);
        rounds.cut_short(Instant{std::chrono::seconds{round}});
    }
    CHECK(asked == 8);
    CHECK(most_in_a_round == 1);
}
