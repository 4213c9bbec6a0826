#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "coordinator/core/events/event_log.hpp"
#include "coordinator/core/queries/matching.hpp"
#include "tests/unit/allocations.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

// Goal: 10,000 nodes that answer `same` cause no memory traffic every round.
// Method: count the allocations of one step.
TEST_CASE("an answer that says same allocates nothing", "[coordinator][bounds]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.join("n2");
    harness.want("web", 2);
    harness.pass(3s);
    n1.answers = false;
    harness["n2"].answers = false;
    harness.pass(1s);
    const Input answer = FromAgent{n1.session, harness.report_of(n1, n1.polls.back())};
    REQUIRE(std::get<Report>(std::get<FromAgent>(answer).message).kind == ReportKind::same);
    const auto bytes =
        allocations::bytes_of([&] { (void)harness.coordinator.step(harness.now, answer); });
    CHECK(bytes == 0);
    CHECK(harness.read<NodeShowReply>(NodeShowRequest{"n1"}).node.note.empty());
}

// Goal: a batch stays within the bounds of a message.
// Method: one node gets more starts than a batch can hold.
TEST_CASE("many orders for one node are sent in several batches", "[coordinator][commands]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    WantedTask task = CoordinatorHarness::wanted("web", limits::batch_commands + 10);
    task.spec.max_per_node = limits::batch_commands + 10;
    harness.ask(ApplyRequest{.tasks = {task}}, harness.fresh_id());
    REQUIRE(n1.batches.size() == 2);
    CHECK(n1.batches[0].starts.size() == limits::batch_commands);
    CHECK(n1.batches[1].starts.size() == 10);
    CHECK(n1.batches[1].sequence == Sequence{2});
    CHECK(n1.batches[0].specs.size() == 1);
    CHECK(n1.batches[1].specs.empty());
}

// Goal: the same for large specs.
// Method: specs whose total exceeds the bound for one batch.
TEST_CASE("large specs are sent in several batches", "[coordinator][commands]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    ApplyRequest request;
    for (int i = 0; i < 20; ++i) {
        WantedTask task = CoordinatorHarness::wanted("t" + std::to_string(i), 1);
        auto& words = i % 2 == 0 ? task.spec.argv : task.spec.post_stop;
        words.emplace_back(limits::spec_text_bytes - 100, 'x');
        task.spec.env["TZ"] = "UTC";
        request.tasks.push_back(task);
    }
    const auto reply = harness.ask(request, harness.fresh_id());
    REQUIRE(reply);
    REQUIRE(reply->result);
    REQUIRE(n1.batches.size() == 2);
    CHECK(n1.batches[0].specs.size() + n1.batches[1].specs.size() == 20);
    CHECK(n1.batches[0].specs.size() <= limits::batch_spec_bytes / (limits::spec_text_bytes - 100));
    CHECK(n1.instances.size() == 20);
}

// Goal: reports of one node cannot exhaust memory.
// Method: an agent that reports ever more instances in deltas.
TEST_CASE("a node that reports without end is asked for a snapshot instead",
          "[coordinator][bounds][S18]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    for (std::uint32_t i = 0; i < 3 * limits::instances_per_node; i += 512) {
        Report delta{ReportKind::delta,
                     Epoch{3},
                     Round{},
                     Incarnation{1},
                     n1.revision,
                     next(n1.revision),
                     {},
                     {},
                     {},
                     {}};
        for (std::uint32_t ordinal = i; ordinal < i + 512; ++ordinal) {
            InstanceReport instance;
            instance.id = {"x", ordinal};
            instance.generation = Generation{1};
            instance.state = InstanceState::running;
            delta.instances.push_back(instance);
        }
        n1.revision = next(n1.revision);
        harness.give(FromAgent{n1.session, delta});
    }
    CHECK(harness.read<NodeShowReply>(NodeShowRequest{"n1"}).node.instances <=
          2 * limits::instances_per_node);
}

// Goal: one byzantine node does not delay recovery.
// Method: a known node answers every poll, but never reports its instances.
TEST_CASE("a node that never reports its instances counts as silent",
          "[coordinator][recovery][S18]") {
    StoreImage image = CoordinatorHarness::empty_store();
    image.tasks = {StoredTask{CoordinatorHarness::wanted("web", 1), Generation{8}, Generation{8}}};
    image.nodes = {StoredNode{.name = "liar", .incarnation = Incarnation{1}},
                   StoredNode{.name = "n1", .incarnation = Incarnation{1}}};
    CoordinatorHarness harness{image};
    FakeAgent& byzantine = harness.add("liar");
    byzantine.answers = false;
    harness.send_hello(byzantine);
    harness.join("n1");
    for (int round = 0; round < 30; ++round) {
        harness.pass(1s);
        const Poll& poll = byzantine.polls.back();
        harness.give(FromAgent{byzantine.session, Report{ReportKind::same,
                                                         poll.epoch,
                                                         poll.round,
                                                         Incarnation{1},
                                                         Revision{1},
                                                         Revision{1},
                                                         {},
                                                         {},
                                                         {},
                                                         {}}});
    }
    CHECK(harness.status().phase == "leading");
    CHECK(harness.running("web") == 1);
}

// Goal: the same long after recovery, while all other nodes are well.
// Method: a node joins a cluster that leads, and answers without ever reporting its instances.
TEST_CASE("a node that never reports its instances is lost, also if no other node misses a poll",
          "[coordinator][nodes]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.pass(30s);
    FakeAgent& byzantine = harness.add("liar");
    byzantine.answers = false;
    harness.send_hello(byzantine);
    for (int round = 0; round < 6; ++round) {
        const Poll& poll = byzantine.polls.back();
        Report nothing;
        nothing.epoch = poll.epoch;
        nothing.round = poll.round;
        nothing.incarnation = Incarnation{1};
        harness.give(FromAgent{byzantine.session, nothing});
        harness.pass(1s);
    }
    CHECK(harness.node("liar").health == "lost");
    CHECK(harness.node("n1").health == "healthy");
}

// Goal: a cold start or a crash loop does not push all other events out of the ring.
// Method: more events of instances than a round can publish.
TEST_CASE("events of instances are bounded per round and the rest is counted", "[events]") {
    EventLog log{Epoch{1}};
    for (std::uint32_t i = 0; i < EventLog::instance_events_per_round + 5; ++i) {
        log.add_of_instance(CivilMs{}, "instance.started", {"web", i}, "");
    }
    CHECK(log.take_new().size() == EventLog::instance_events_per_round);
    CHECK(log.round_closed() == 5);
    CHECK(log.round_closed() == 0);
}

// Goal: the ring is bounded and says where it begins.
// Method: more events than are kept.
TEST_CASE("the ring drops the oldest events and reports it", "[events]") {
    EventLog log{Epoch{1}};
    for (std::size_t i = 0; i < limits::events_kept + 7; ++i) {
        log.add(CivilMs{}, "node.joined", "n", "");
    }
    CHECK(log.take_new().size() == limits::events_kept + 7);
    const EventsReply reply = log.since(0, 10);
    CHECK(reply.first_kept == 8);
    REQUIRE(reply.events.size() == 10);
    CHECK(reply.events.front().sequence == 8);
    CHECK(log.since(limits::events_kept + 6, 10).events.size() == 1);
    CHECK(log.since(limits::events_kept + 7, 10).events.empty());
}

// Goal: a node that flaps while the store is slow costs one pending row in total.
// Method: many lives of one agent before the store confirms the first.
TEST_CASE("a node has one pending row at a time", "[coordinator][bounds][durable]") {
    CoordinatorHarness harness;
    harness.store_works = false;
    FakeAgent& n1 = harness.add("n1");
    for (std::uint64_t life = 1; life <= 10; ++life) {
        n1.life = LifeId{life, life};
        n1.incarnation = Incarnation{life};
        n1.session = Session{1'000 + life};
        harness.give(SessionClosed{Session{999 + life}});
        harness.send_hello(n1);
    }
    CHECK(harness.persisted.size() == 1);
    harness.store_works = true;
    harness.confirm();
    REQUIRE(harness.persisted.size() == 2);
    CHECK(std::get<StoredNode>(harness.persisted.back().writes.front()).incarnation ==
          Incarnation{10});
    harness.want("web", 1);
    harness.pass(1s);
    CHECK(harness.running("web") == 1);
}

// Goal: a node that returns while it is being forgotten is kept.
// Method: it sends a hello between the decision and the store's answer.
TEST_CASE("a node that returns while it is forgotten is on record again",
          "[coordinator][nodes][durable]") {
    CoordinatorHarness harness{
        CoordinatorHarness::empty_store(),
        {.loss = {.after = 3, .silent_after = 2, .max_lost = 60s}, .version = "1.0"}};
    FakeAgent& n1 = harness.join("n1");
    harness.pass(2s);
    n1.answers = false;
    harness.pass(30s);
    harness.store_works = false;
    harness.pass(40s);
    REQUIRE(std::holds_alternative<Erase<StoredNode>>(harness.persisted.back().writes.front()));
    n1.answers = true;
    harness.send_hello(n1);
    harness.store_works = true;
    harness.confirm();
    CHECK(harness.status().nodes == 1);
    const auto& row = std::get<StoredNode>(harness.persisted.back().writes.front());
    CHECK(row.name == "n1");
    CHECK_FALSE(row.lost);
    harness.want("web", 1);
    harness.pass(1s);
    CHECK(harness.running("web") == 1);
}

// Goal: a round reports how many events it omitted. Method: more starts in one round than it can
// publish.
TEST_CASE("a closed round counts the events of instances that it omitted", "[events]") {
    constexpr std::uint32_t starts = EventLog::instance_events_per_round + 5;
    CoordinatorHarness harness;
    harness.join("n1");
    harness.pass(1s);
    WantedTask task = CoordinatorHarness::wanted("web", starts);
    task.spec.max_per_node = starts;
    harness.ask(ApplyRequest{.tasks = {task}}, harness.fresh_id());
    harness.pass(2s);
    CHECK(harness.running("web") == starts);
    CHECK(std::ranges::any_of(harness.events, [](const Event& event) {
        return event.topic == "round.closed" &&
               event.detail.ends_with(" events of instances left out");
    }));
}

// Goal: names that must not join again cost memory, and so have a bound.
// Method: remove one more than are kept; then the same where only the list decides.
TEST_CASE("removed names are kept up to a bound", "[coordinator][bounds][inventory]") {
    NodeAddRequest all;
    for (std::size_t i = 0; i <= limits::removed_names; ++i) {
        all.nodes.push_back({.name = "m" + std::to_string(i)});
    }
    CoordinatorOptions options;
    options.listed_only = GENERATE(false, true);
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), options};
    REQUIRE(harness.ask(all)->result);
    const auto reply = harness.ask(NodeRemoveRequest{.pattern = "m*"});
    REQUIRE(reply);
    if (options.listed_only) {
        CHECK(reply->result);
        CHECK(harness.status().nodes == 0);
    } else {
        REQUIRE_FALSE(reply->result);
        CHECK(reply->result.error().detail ==
              "10001 removed names would have to be kept; at most 10000 are kept; "
              "with nodes.mode = \"listed\" none is needed");
        CHECK(harness.status().nodes == all.nodes.size());
    }
}

// Goal: one client that lists by pattern does not delay the others. Method: many stars and the
// longest names, all of which match almost to their end.
TEST_CASE("a pattern that takes too long to compare with all names is refused",
          "[coordinator][bounds][bad_input]") {
    const std::string selector = "*" + std::string(30, 'a') + "b";
    const std::vector<std::string> some(100, std::string(limits::name_bytes, 'a'));
    CHECK(names_matching(selector, some).value().empty());
    const std::vector<std::string> all(50'000, some.front());
    const auto refused = names_matching(selector, all);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::too_large);
    CHECK_THAT(refused.error().detail, Catch::StartsWith("these patterns take too long"));
}

// Goal: no step does two long jobs. Method: one of many nodes makes a round last to its deadline;
// then check the two wakes. In a small fleet one wake does both.
TEST_CASE("a large fleet's round ends in one wake, and the next begins in another",
          "[coordinator][bounds]") {
    const std::size_t nodes = GENERATE(10U, 2'100U);
    CAPTURE(nodes);
    CoordinatorHarness harness;
    for (std::size_t node = 0; node < nodes; ++node) {
        harness.join("n" + std::to_string(node));
    }
    harness.pass(3s);
    harness["n0"].answers = false;
    Output ends;
    while (!ends.closed_round) {
        harness.now = std::max(harness.now, harness.coordinator.next_deadline());
        ends = harness.give(Wake{});
    }
    if (nodes > 10) {
        REQUIRE(ends.polls.empty());
        ends = harness.give(Wake{});
    }
    CHECK(ends.polls.size() == nodes);
}
