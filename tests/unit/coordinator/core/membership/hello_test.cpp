#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

// Goal: one connection cannot fill the table of nodes.
// Method: an agent sends a hello with a second name on its route.
TEST_CASE("one connection is one agent", "[coordinator][hello][S18]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    Hello other = CoordinatorHarness::hello_of(n1);
    other.name = "n2";
    harness.give(FromAgent{n1.session, other});
    REQUIRE(n1.refusals.size() == 1);
    CHECK(n1.refusals.front().code == Errc::refused);
    CHECK(n1.refusals.front().detail.find("n1") != std::string::npos);
    CHECK(harness.status().nodes == 1);
    CHECK(harness.status().serving == 1);

    harness.give(FromAgent{n1.session, Departure{Incarnation{1}}});
    harness.give(FromAgent{n1.session, other});
    CHECK(harness.status().nodes == 2);
}

// Goal: a byzantine node leaves higher incarnations to the honest agent of the name.
// Method: claims at the end of the range, with a known name and an unknown one.
TEST_CASE("an incarnation that cannot be a count of starts is refused",
          "[coordinator][hello][S18]") {
    CoordinatorHarness harness{
        CoordinatorHarness::store_with({CoordinatorHarness::stored("n1", Incarnation{5})})};
    FakeAgent& n1 = harness.add("n1");
    n1.incarnation = Incarnation{~std::uint64_t{0}};
    SECTION("of a known name") {
        harness.send_hello(n1);
        n1.incarnation = Incarnation{(std::uint64_t{1} << 24U) + 6};
        harness.send_hello(n1);
        CHECK(n1.refusals.size() == 2);
        n1.incarnation = Incarnation{(std::uint64_t{1} << 24U) + 5};
    }
    SECTION("of a new name") {
        n1.name = "n2";
        harness.send_hello(n1);
        CHECK(n1.refusals.size() == 1);
        n1.incarnation = Incarnation{std::uint64_t{1} << 63U};
    }
    CHECK(n1.refusals.front().code == Errc::invalid);
    CHECK(n1.welcomes.empty());
    harness.send_hello(n1);
    CHECK(n1.welcomes.size() == 1);
}

TEST_CASE("an agent with an invalid name is refused with the rule of names",
          "[coordinator][hello][bad_input]") {
    CoordinatorHarness harness;
    FakeAgent& odd = harness.add("No Name!");
    harness.send_hello(odd);
    REQUIRE(odd.refusals.size() == 1);
    CHECK(odd.refusals.front().code == Errc::invalid);
    CHECK_THAT(odd.refusals.front().detail,
               Catch::StartsWith("the name of the node is not valid; "));
    CHECK(harness.status().nodes == 0);
}

// Goal: a hello of the same life moves the session and keeps the record.
// Method: the same agent on a new route.
TEST_CASE("the same life on a new route continues where it was", "[coordinator][hello][SC-03]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    n1.session = Session{777};
    harness.send_hello(n1);
    CHECK(n1.welcomes.size() == 2);
    CHECK(n1.polls.back().seen == n1.revision);
    CHECK(harness.status().nodes == 1);
    CHECK(harness.status().running == 1);
    CHECK(harness.status().serving == 1);
    CHECK(harness.node("n1").incarnation == Incarnation{1});
    CHECK_FALSE(harness.happened("node.restarted", "n1"));
    harness.pass(3s);
    CHECK(n1.batches.size() == 1);
    CHECK(harness.node("n1").instances == 1);
}

// Goal: an agent that lost its disk learns the incarnation to surpass.
// Method: another life sends an incarnation that is not above the known one.
TEST_CASE("another life not above the known incarnation learns the known one",
          "[coordinator][hello][SC-D12]") {
    CoordinatorHarness harness{
        CoordinatorHarness::store_with({CoordinatorHarness::stored("n1", Incarnation{5})})};
    FakeAgent& n1 = harness.add("n1");
    n1.incarnation = Incarnation{1};
    harness.send_hello(n1);
    REQUIRE(n1.refusals.size() == 1);
    CHECK(n1.refusals.front().code == Errc::stale_incarnation);
    CHECK(n1.refusals.front().known == Incarnation{5});
    n1.incarnation = Incarnation{6};
    harness.send_hello(n1);
    CHECK(n1.welcomes.size() == 1);
}

// Goal: a life without a welcome gets no order meant for its previous life.
// Method: an agent starts again on an empty disk, over the connection of its last life.
TEST_CASE("another life on the connection of a node gets no order before its welcome",
          "[coordinator][hello][SC-D12]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    n1.life = LifeId{7, 7};
    harness.send_hello(n1);
    REQUIRE(n1.refusals.size() == 1);
    CHECK(n1.refusals.front().code == Errc::stale_incarnation);
    harness.want("web", 1);
    harness.pass(1s);
    CHECK(n1.batches.empty());
    n1.incarnation = Incarnation{2};
    harness.send_hello(n1);
    harness.pass(2s);
    CHECK(n1.instances.size() == 1);
}

// Goal: of two agents with one name, the second is refused and the first unaffected.
// Method: a second life of a higher incarnation while the first answers, and when it does not.
TEST_CASE("a name is in use while its old life answers, and free after one missed answer",
          "[coordinator][hello][S18]") {
    CoordinatorHarness harness;
    FakeAgent& first = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    FakeAgent second = first;
    second.life = LifeId{0xbad, 1};
    second.incarnation = Incarnation{2};
    second.session = Session{900};

    const std::size_t polls = first.polls.size();
    const Output refused =
        harness.give(FromAgent{second.session, CoordinatorHarness::hello_of(second)});
    REQUIRE(refused.messages.size() == 1);
    CHECK(std::get<Refused>(refused.messages.front().message).code == Errc::name_in_use);
    CHECK(first.polls.size() == polls + 1);
    harness.pass(3s);
    CHECK(harness.node("n1").incarnation == Incarnation{1});
    CHECK(harness.status().running == 1);

    first.answers = false;
    harness.give(FromAgent{second.session, CoordinatorHarness::hello_of(second)});
    harness.pass(1s);
    const Output welcomed =
        harness.give(FromAgent{second.session, CoordinatorHarness::hello_of(second)});
    REQUIRE(welcomed.messages.size() == 1);
    CHECK(std::holds_alternative<Welcome>(welcomed.messages.front().message));
    CHECK(harness.node("n1").incarnation == Incarnation{2});
}

// Goal: acknowledgements and departures of an older life change nothing.
// Method: a new life has an order in flight; the old life refuses a similar one, and announces its
// departure.
TEST_CASE("acknowledgements and departures of an older life are dropped",
          "[coordinator][hello][SC-D12]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    FakeAgent& n2 = harness.join("n2");
    harness.pass(1s);
    harness.give(SessionClosed{n1.session});
    n1.life = LifeId{2, 2};
    n1.incarnation = Incarnation{2};
    n1.session = Session{901};
    n1.obeys = false;
    harness.send_hello(n1);
    harness.pass(1s);
    harness.want("web", 2);
    REQUIRE(n1.batches.size() == 1);
    const Start ordered = n1.batches.front().starts.at(0);
    const auto before = harness.read<NodeShowReply>(NodeShowRequest{"n1"});
    Ack ack{n1.batches.front().epoch, Incarnation{1}, n1.batches.front().sequence, {}};
    ack.refusals.push_back({ordered.id, ordered.generation, Errc::refused, "no"});
    harness.give(FromAgent{n1.session, ack});
    CHECK_FALSE(harness.happened("instance.refused", to_string(ordered.id)));
    const auto shown = harness.read<NodeShowReply>(NodeShowRequest{"n1"});
    REQUIRE(shown.instances.size() == 1);
    CHECK(shown.instances.front().state == "ordered");
    CHECK(shown.flap_score == before.flap_score);
    harness.give(FromAgent{n1.session, Departure{Incarnation{1}}});
    CHECK(harness.node("n1").health == "healthy");
    CHECK(harness.status().serving == 2);
    CHECK(n2.batches.size() == 1);

    ack.incarnation = Incarnation{2};  // The same from the present life counts.
    harness.give(FromAgent{n1.session, ack});
    CHECK(harness.happened("instance.refused", to_string(ordered.id)));
}

// Goal: reports of an older life change nothing.
// Method: a report of the old incarnation after a new life was welcomed.
TEST_CASE("reports of an older life are dropped", "[coordinator][hello][SC-D12]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    const Session old_session = n1.session;
    harness.give(SessionClosed{old_session});
    n1.life = LifeId{2, 2};
    n1.incarnation = Incarnation{2};
    n1.revision = Revision{1};
    n1.session = Session{901};
    harness.send_hello(n1);
    REQUIRE(harness.status().running == 1);
    // It fits the held state, except for the incarnation.
    Report late;
    late.kind = ReportKind::delta;
    late.epoch = Epoch{3};
    late.incarnation = Incarnation{1};
    late.from = Revision{1};
    late.to = Revision{2};
    late.gone = {{"web", 0}};
    harness.give(FromAgent{n1.session, late});
    CHECK(harness.status().running == 1);
}

// Goal: a new life is never taken for the old one.
// Method: an agent restarts with nothing running.
TEST_CASE("an agent that returns empty gets its work again", "[coordinator][hello]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    harness.give(SessionClosed{n1.session});
    n1.life = LifeId{2, 2};
    n1.incarnation = Incarnation{2};
    n1.revision = Revision{1};
    n1.session = Session{902};
    n1.instances.clear();
    harness.send_hello(n1);
    harness.pass(1s);
    CHECK(harness.running("web") == 1);
    CHECK(n1.batches.back().specs.size() == 1);
    CHECK(n1.batches.back().incarnation == Incarnation{2});
}

// Goal: a host's resources come from its agent, and a lie about them has no effect.
// Method: a node reports resources, other ones in a new life, and then impossible ones.
TEST_CASE("a node's resources are those of its last hello", "[coordinator][hello]") {
    CoordinatorHarness harness;
    const auto offer = [&] { return harness.read<NodeShowReply>(NodeShowRequest{"n1"}).offer; };
    FakeAgent& n1 = harness.join("n1");
    CHECK(offer() == Offer{});

    Hello hello = CoordinatorHarness::hello_of(n1);
    hello.offer.pool = "fast";
    hello.offer.labels = {{"rack", "r7"}};
    hello.offer.capacity.slots = 3;
    hello.offer.reserved.slots = 1;
    harness.give(FromAgent{n1.session, hello});
    CHECK(offer() == hello.offer);

    Hello wrong = hello;
    wrong.offer.labels["node"] = "n9";
    harness.give(FromAgent{n1.session, wrong});
    REQUIRE(n1.refusals.size() == 1);
    CHECK(n1.refusals.back().code == Errc::invalid);
    CHECK(n1.refusals.back().detail.find("labels have the key 'node'") != std::string::npos);
    wrong = hello;
    wrong.offer.reserved.slots = 4;
    harness.give(FromAgent{n1.session, wrong});
    CHECK(n1.refusals.size() == 2);
    CHECK(offer() == hello.offer);

    harness.give(FromAgent{n1.session, CoordinatorHarness::hello_of(n1)});
    CHECK(offer() == Offer{});
}

TEST_CASE("the enforced limits of a node are those of its last hello", "[coordinator][hello]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    const auto limits = [&] { return harness.read<NodeShowReply>(NodeShowRequest{"n1"}).limits; };
    CHECK(limits().empty());
    Hello hello = CoordinatorHarness::hello_of(n1);
    hello.limits = {{"cpu", true, "cgroup v2"}, {"pids", false, "no such controller"}};
    harness.give(FromAgent{n1.session, hello});
    CHECK(limits() == hello.limits);
}
