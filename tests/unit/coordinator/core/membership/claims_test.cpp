#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

// Instances that an agent reports and that were never ordered there.
using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

InstanceReport running_copy(const std::string& task, Ordinal ordinal, Generation generation,
                            CivilMs started) {
    InstanceReport copy;
    copy.id = {task, ordinal};
    copy.generation = generation;
    copy.state = InstanceState::running;
    copy.started = started;
    return copy;
}

/// web.0 to web.2 have just started on three nodes.
struct ThreeCopies {
    CoordinatorHarness harness;
    std::vector<std::string> honest{"n0", "n1", "n2"};
    Generation generation{};

    explicit ThreeCopies(const StoreImage& image = CoordinatorHarness::empty_store())
        : harness{image} {
        for (const std::string& name : honest) {
            harness.join(name);
        }
        harness.want("web", 3);
        harness.pass(2s);
        for (const std::string& name : honest) {
            REQUIRE(harness[name].instances.size() == 1);
            InstanceReport& copy = harness[name].instances.begin()->second;
            copy.started = CoordinatorHarness::civil_start;
            generation = copy.generation;
            harness[name].revision = next(harness[name].revision);
        }
        harness.pass(2s);
        REQUIRE(harness.status().converged);
    }
    /// Reports that it runs all three, for longer than the other nodes.
    void claim(FakeAgent& fake) const {
        for (Ordinal ordinal = 0; ordinal < 3; ++ordinal) {
            fake.instances[{"web", ordinal}] =
                running_copy("web", ordinal, generation, CivilMs{1'000});
        }
        fake.revision = next(fake.revision);
    }
    std::size_t running_on_honest() {
        std::size_t count = 0;
        for (const std::string& name : honest) {
            count += harness[name].instances.size();
        }
        return count;
    }
    std::string event_detail(const std::string& topic, const std::string& name) const {
        for (const Event& event : harness.events) {
            if (event.topic == topic && event.name == name) {
                return event.detail;
            }
        }
        return "";
    }
    std::uint32_t times_counted(const std::string& name, const std::string& what) {
        const auto shown = harness.read<NodeShowReply>(NodeShowRequest{name});
        for (const auto& contribution : shown.flap_score.contributions) {
            if (contribution.cause == what) {
                return contribution.times;
            }
        }
        return 0;
    }
};

}  // namespace

// Goal: a lie ends no process of another node (S18). Method: an agent without orders reports that
// it runs all instances of the others, for years, in the right generation.
TEST_CASE("a copy that was ordered never yields to one that is only claimed",
          "[coordinator][S18]") {
    ThreeCopies story;
    CoordinatorHarness& harness = story.harness;
    FakeAgent& byzantine = harness.add("liar");
    SECTION("in its first report") {
        story.claim(byzantine);
        harness.send_hello(byzantine);
    }
    SECTION("later") {
        harness.send_hello(byzantine);
        harness.pass(2s);
        story.claim(byzantine);
    }
    SECTION("and neither serves") {
        harness.send_hello(byzantine);
        harness.pass(2s);
        harness.ask(NodeOfflineRequest{"*", {}}, harness.fresh_id());
        story.claim(byzantine);
    }
    harness.pass(3s);
    CHECK(story.running_on_honest() == 3);
    CHECK(byzantine.instances.empty());
    CHECK(story.times_counted("liar", "claimed_instance") == 1);
    CHECK(story.event_detail("node.faulty", "liar") ==
          "it reports web.0 in generation " + std::to_string(raw(story.generation)) +
              ", which was never ordered there, and 2 more such instances");
    CHECK(harness.status().converged);
}

// Goal: the same during a roll-out, where the latest generation stays. Method: the byzantine node
// reports the next generation already.
TEST_CASE("a claim in the latest generation replaces nothing", "[coordinator][S18]") {
    ThreeCopies story;
    CoordinatorHarness& harness = story.harness;
    FakeAgent& byzantine = harness.join("liar");
    harness.pass(2s);
    harness.ask(NodeOfflineRequest{"liar", {}}, harness.fresh_id());  // It gets no orders.
    for (const std::string& name : story.honest) {
        harness[name].obeys = false;
    }
    harness.want("web", 3, "/bin/true");
    story.generation = next(story.generation);
    byzantine.obeys = false;
    story.claim(byzantine);
    harness.pass(3s);
    CHECK(story.running_on_honest() == 3);
    for (const std::string& name : story.honest) {
        for (const Batch& batch : harness[name].batches) {
            CHECK(batch.stops.empty());
        }
    }
}

// Goal: a repeated lie suspends the node. Method: it claims in each round.
TEST_CASE("a node that claims again and again is suspended", "[coordinator][S18]") {
    ThreeCopies story;
    FakeAgent& byzantine = story.harness.join("liar");
    story.harness.pass(2s);
    for (int round = 0; round < 8; ++round) {
        story.claim(byzantine);
        story.harness.pass(1s);
    }
    CHECK(story.running_on_honest() == 3);
    CHECK(story.harness.happened("node.suspended", "liar"));
}

// Goal: an order for one task is not an order for another (S18). Method: one change adds both, so
// they have the same generation; the byzantine node lets its own start expire and claims the other.
TEST_CASE("a start that expired makes no claim of another task true", "[coordinator][S18]") {
    CoordinatorHarness harness;
    FakeAgent& byzantine = harness.join("a");
    FakeAgent& honest = harness.join("b");
    harness.pass(2s);
    byzantine.obeys = false;
    const ApplyRequest both{
        .tasks = {CoordinatorHarness::wanted("api", 1), CoordinatorHarness::wanted("web", 1)}};
    REQUIRE(harness.ask(both, harness.fresh_id()).has_value());
    harness.pass(2s);
    REQUIRE(honest.instances.contains({"web", 0}));
    const Generation generation = honest.instances.at({"web", 0}).generation;
    byzantine.instances[{"web", 0}] = running_copy("web", 0, generation, CivilMs{1'000});
    byzantine.revision = next(byzantine.revision);
    harness.pass(2s);
    CHECK(honest.instances.contains({"web", 0}));
    CHECK(harness.happened("node.faulty", "a"));
}

// Goal: a claim does not keep others from running an instance (L1). Method: in its first report,
// which may be true, the byzantine node has all instances, and it stops none; then a real node
// dies.
TEST_CASE("a node that stops nothing of what it claims takes no instance away",
          "[coordinator][S18][L1]") {
    ThreeCopies story;
    CoordinatorHarness& harness = story.harness;
    FakeAgent& byzantine = harness.add("liar");
    byzantine.obeys = false;
    story.claim(byzantine);
    harness.send_hello(byzantine);
    SECTION("in its first life") {}
    SECTION("in each of its lives") {
        for (std::uint64_t life = 2; life < 12; ++life) {
            harness.pass(4s);
            byzantine.incarnation = Incarnation{life};
            byzantine.life = LifeId{7, life};
            harness.send_hello(byzantine);
        }
    }
    harness.pass(3s);
    CHECK(story.running_on_honest() == 3);
    harness.join("n3");
    harness["n0"].answers = harness["n0"].reports_changes = false;
    harness["n0"].instances.clear();
    harness.pass(10s);
    CHECK(harness["n3"].instances.contains({"web", 0}));
}

// Goal: a claim reserves no place (L1). Method: the byzantine node claims everything while a real
// node dies; a free one is left.
TEST_CASE("an instance of a lost node is placed even if another node claims it",
          "[coordinator][S18][L1]") {
    ThreeCopies story;
    CoordinatorHarness& harness = story.harness;
    harness.join("n3");
    FakeAgent& byzantine = harness.join("liar");
    harness.pass(2s);
    byzantine.obeys = false;
    story.claim(byzantine);
    harness["n0"].answers = harness["n0"].reports_changes = false;
    harness.pass(5s);
    REQUIRE(harness.happened("node.lost", "n0"));
    CHECK(harness["n3"].instances.contains({"web", 0}));
}

// Goal: a node that obeys a stop and still reports the copy is at fault once. Method: one node does
// so.
TEST_CASE("a copy that is still reported after its stop was obeyed is only claimed",
          "[coordinator][S18]") {
    ThreeCopies story;
    CoordinatorHarness& harness = story.harness;
    FakeAgent& n2 = harness["n2"];
    const auto kept = n2.instances;
    n2.reports_changes = false;
    harness.want("web", 2);
    REQUIRE(n2.instances.empty());
    n2.instances = kept;
    harness.pass(2s);
    CHECK(story.event_detail("node.faulty", "n2") ==
          "it confirmed the stop of web.2 and still reports it");
    CHECK(story.times_counted("n2", "claimed_instance") == 1);
}

// Goal: an instance that may have been ordered is not a lie. Method: each way in which an honest
// agent runs what this leadership did not order there, or has forgotten.
TEST_CASE("a node that may have been ordered an instance does not claim it",
          "[coordinator][S18][S11]") {
    SECTION("under the previous leadership, from which this one recovers") {
        StoreImage image = CoordinatorHarness::store_with(
            {CoordinatorHarness::stored("n0"), CoordinatorHarness::stored("n1")});
        image.tasks.push_back({CoordinatorHarness::wanted("web", 1), Generation{5}, Generation{5}});
        CoordinatorHarness harness{image};
        FakeAgent& first = harness.add("n0");
        first.instances[{"web", 0}] = running_copy("web", 0, Generation{5}, CivilMs{1'000});
        FakeAgent& second = harness.add("n1");
        second.instances[{"web", 0}] = running_copy("web", 0, Generation{5}, CivilMs{500});
        harness.send_hello(first);
        harness.send_hello(second);
        harness.pass(4s);
        CHECK(first.instances.empty());
        CHECK(second.instances.size() == 1);  // It has run for longer.
        CHECK_FALSE(harness.happened("node.faulty", "n0"));
        CHECK_FALSE(harness.happened("node.faulty", "n1"));
    }
    SECTION("and its node was lost, and forgotten") {
        ThreeCopies story;
        FakeAgent& back = story.harness.add("back");
        back.cluster = CoordinatorHarness::cluster;
        back.epoch = Epoch{2};
        story.claim(back);
        story.harness.send_hello(back);
        story.harness.pass(3s);
        CHECK(story.running_on_honest() == 3);
        CHECK(back.instances.empty());
        CHECK_FALSE(story.harness.happened("node.faulty", "back"));
        CHECK(story.times_counted("back", "claimed_instance") == 0);
    }
    SECTION("the node was lost before it could report that it obeyed") {
        CoordinatorHarness harness;
        FakeAgent& n0 = harness.join("n0");
        harness.pass(2s);
        n0.reports_changes = false;
        n0.answers = false;
        harness.want("web", 1);
        harness.pass(10s);
        REQUIRE(harness.happened("node.lost", "n0"));
        n0.answers = true;
        harness.pass(5s);
        CHECK(n0.instances.size() == 1);
        CHECK(harness.status().converged);
        CHECK_FALSE(harness.happened("node.faulty", "n0"));
    }
    SECTION("its agent began a new life before it could") {
        CoordinatorHarness harness;
        FakeAgent& n0 = harness.join("n0");
        harness.pass(2s);
        n0.reports_changes = false;
        harness.want("web", 1);
        n0.answers = false;
        harness.pass(1500ms);
        n0.cluster = CoordinatorHarness::cluster;
        n0.epoch = Epoch{3};
        n0.leader = CoordinatorHarness::leader;
        n0.incarnation = Incarnation{2};
        n0.life = LifeId{7, 7};
        harness.give(SessionClosed{n0.session});
        n0.session = Session{977};
        n0.answers = true;
        harness.send_hello(n0);
        harness.pass(3s);
        CHECK(n0.instances.size() == 1);
        CHECK(harness.status().converged);
        CHECK_FALSE(harness.happened("node.faulty", "n0"));
    }
}
