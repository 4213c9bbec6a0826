#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/membership/proofs_harness.hpp"

// Copies with and without the proof that they were ordered where they are reported.
using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

namespace {

const InstanceId web0{"web", 0};
const InstanceId web1{"web", 1};

/// web.0 runs on n0 and web.1 on n1; "liar" is a node without orders that has been here as long.
struct Story {
    CoordinatorHarness first{CoordinatorHarness::empty_store(), with_key()};
    WantedTask task = CoordinatorHarness::wanted("web", 2);
    Generation generation{};

    Story() {
        join_keeping(first, "n0");
        join_keeping(first, "n1");
        first.pass(2s);
        first.want("web", 2);
        first.pass(2s);
        join_keeping(first, "liar");
        first.pass(2s);
        REQUIRE(first["n0"].instances.contains(web0));
        REQUIRE(first["n1"].instances.contains(web1));
        for (const auto* name : {"n0", "n1"}) {
            for (auto& [id, copy] : first[name].instances) {
                copy.started = CoordinatorHarness::civil_start;
                generation = copy.generation;
            }
        }
    }
    [[nodiscard]] StoreImage image() const {
        return image_after(first, {"liar", "n0", "n1"}, task, generation);
    }
    /// The liar reports that it has run both instances for years.
    void claim(FakeAgent& liar, const Proof& of_web0 = {}, const Proof& of_web1 = {}) const {
        for (const auto& [id, proof] : {std::pair{web0, of_web0}, {web1, of_web1}}) {
            InstanceReport& copy = liar.instances[id];
            copy.id = id;
            copy.generation = generation;
            copy.state = InstanceState::running;
            copy.started = CivilMs{1'000};
            copy.proof = proof;
        }
        liar.revision = next(liar.revision);
    }
};

std::size_t stops_to(const FakeAgent& fake) {
    std::size_t stops = 0;
    for (const Batch& batch : fake.batches) {
        stops += batch.stops.size();
    }
    return stops;
}

}  // namespace

TEST_CASE("each start carries a proof for its node and its life", "[coordinator][proof]") {
    Story story;
    OrderProofs proofs{key_of_orders, CoordinatorHarness::empty_store()};
    for (const auto& [name, id] : {std::pair{"n0", web0}, {"n1", web1}}) {
        const Batch& batch = story.first[name].batches.back();
        REQUIRE(batch.starts.size() == 1);
        CHECK(batch.starts.front().proof ==
              proofs.make(id, story.generation, name, Incarnation{1}));
    }
}

TEST_CASE("without a key a start carries no proof, and a report needs none",
          "[coordinator][proof]") {
    CoordinatorHarness harness;
    FakeAgent& n0 = join_keeping(harness, "n0");
    harness.pass(2s);
    harness.want("web", 1);
    harness.pass(2s);
    REQUIRE_FALSE(n0.batches.empty());
    CHECK(n0.batches.back().starts.front().proof.is_none());
    CHECK(harness.status().converged);
    CHECK(settings_of(harness).empty());
}

// Goal: the next leader believes what this one ordered. Method: the agents report it, with proofs
// of their present life, or of an earlier one that they adopted it from.
TEST_CASE("a copy with its proof stays under the next leader", "[coordinator][proof][S11]") {
    Story story;
    CoordinatorHarness next_leader{story.image(), with_key()};
    SECTION("of the present life") {}
    SECTION("of an earlier life") {
        for (const auto* name : {"n0", "n1"}) {
            story.first[name].incarnation = Incarnation{4};
        }
    }
    for (const auto* name : {"n0", "n1", "liar"}) {
        follow(next_leader, story.first[name]);
    }
    next_leader.pass(5s);
    CHECK(next_leader["n0"].instances.contains(web0));
    CHECK(next_leader["n1"].instances.contains(web1));
    CHECK(next_leader["n0"].batches.empty());
    CHECK(next_leader["n1"].batches.empty());
    CHECK(next_leader.status().converged);
    CHECK(next_leader.status().strays == 0);
    CHECK_FALSE(next_leader.happened("instance.stray", "web.0"));
}

// Goal: a lie stops no copy of another node over a change of leadership (S18). Method: a node of
// the store, which no leader can know by itself, reports all instances in its first report.
TEST_CASE("a copy without its proof is a stray that stops nothing under the next leader",
          "[coordinator][proof][S18]") {
    Story story;
    const Proof of_n0 = story.first["n0"].instances.at(web0).proof;
    const Proof of_n1 = story.first["n1"].instances.at(web1).proof;
    REQUIRE_FALSE(of_n0.is_none());
    FakeAgent& liar = story.first["liar"];
    SECTION("with no proof") { story.claim(liar); }
    SECTION("with forged ones") {
        story.claim(liar, {Incarnation{1}, Digest{1, 1}}, {Incarnation{1}, Digest{2, 2}});
    }
    SECTION("with those of other nodes") { story.claim(liar, of_n0, of_n1); }
    SECTION("with its own ones of an earlier generation") {
        OrderProofs proofs{key_of_orders, CoordinatorHarness::empty_store()};
        const Generation old{raw(story.generation) - 1};
        story.claim(liar, proofs.make(web0, old, "liar", Incarnation{1}),
                    proofs.make(web1, old, "liar", Incarnation{1}));
    }
    SECTION("with a tag for its own life under the number of another") {
        OrderProofs proofs{key_of_orders, CoordinatorHarness::empty_store()};
        Proof proof = proofs.make(web0, story.generation, "liar", Incarnation{1});
        proof.incarnation = Incarnation{2};
        story.claim(liar, proof, proof);
    }
    CoordinatorHarness next_leader{story.image(), with_key()};
    FakeAgent& claims = next_leader.add("liar");
    claims.obeys = false;
    follow(next_leader, liar).obeys = false;
    follow(next_leader, story.first["n0"]);
    follow(next_leader, story.first["n1"]);
    next_leader.pass(5s);
    CHECK(stops_to(next_leader["n0"]) == 0);
    CHECK(stops_to(next_leader["n1"]) == 0);
    CHECK(next_leader.status().running == 2);
    CHECK(next_leader.status().strays == 2);
    const auto shown = next_leader.read<NodeShowReply>(NodeShowRequest{"liar"});
    REQUIRE(shown.instances.size() == 2);
    CHECK(shown.instances[0].stray);
    CHECK(shown.instances[1].stray);
    CHECK(stops_to(next_leader["liar"]) > 0);  // As any copy that nobody ordered.
    CHECK(detail_of(next_leader, "instance.stray", "web.0") ==
          "on liar: its agent shows no proof that it was ordered there");
    CHECK(detail_of(next_leader, "node.faulty", "liar") ==
          "it reports web.0 in generation " + std::to_string(raw(story.generation)) +
              " without the proof of an order to it, and 1 more such instances");
    CHECK(std::ranges::count(next_leader.events, "instance.stray", &Event::topic) == 1);
}

// Goal: a stray occupies no ordinal (L1). Method: the node with the real copy does not return.
TEST_CASE("an instance of which only a stray is reported is placed elsewhere",
          "[coordinator][proof][S18][L1]") {
    Story story;
    story.claim(story.first["liar"]);
    StoreImage image = story.image();
    image.nodes[1].lost = true;  // n0
    CoordinatorHarness next_leader{image, with_key()};
    next_leader.add("liar").obeys = false;
    follow(next_leader, story.first["liar"]).obeys = false;
    follow(next_leader, story.first["n1"]);
    join_keeping(next_leader, "n3");
    next_leader.pass(5s);
    CHECK(next_leader["n3"].instances.contains(web0));
}

// Goal: the proof of an earlier life is not enough to be preferred. Method: the node was ordered to
// start the instance in its first life, and repeats that after the instance went elsewhere.
TEST_CASE("a copy that an earlier life was ordered to start yields to one of the present life",
          "[coordinator][proof][S18]") {
    Story story;
    OrderProofs proofs{key_of_orders, CoordinatorHarness::empty_store()};
    FakeAgent& liar = story.first["liar"];
    story.claim(liar, proofs.make(web0, story.generation, "liar", Incarnation{1}),
                proofs.make(web1, story.generation, "liar", Incarnation{1}));
    liar.incarnation = Incarnation{2};
    CoordinatorHarness next_leader{story.image(), with_key()};
    for (const auto* name : {"n0", "n1", "liar"}) {
        follow(next_leader, story.first[name]);
    }
    next_leader.pass(5s);
    CHECK(stops_to(next_leader["n0"]) == 0);
    CHECK(stops_to(next_leader["n1"]) == 0);
    CHECK(next_leader["liar"].instances.empty());
    CHECK_FALSE(next_leader.happened("instance.stray", "web.0"));  // It was ordered there once.
}

// Goal: nothing is checked twice (the cost of a poll). Method: count the checks of each step.
TEST_CASE("a proof is checked when a copy is new to the leader, or when it changes",
          "[coordinator][proof]") {
    Story story;
    CoordinatorHarness next_leader{story.image(), with_key()};
    FakeAgent& n0 = next_leader.add("n0");
    n0.answers = false;
    follow(next_leader, story.first["n0"]).answers = false;
    FakeAgent& agent = next_leader["n0"];
    const auto report = [&] {
        agent.revision = next(agent.revision);
        Report snapshot = next_leader.report_of(agent, agent.polls.back());
        snapshot.kind = ReportKind::snapshot;
        return next_leader.give(FromAgent{agent.session, snapshot}).proof_checks;
    };
    CHECK(report() == "+");
    next_leader.pass(1s);
    CHECK(report().empty());
    agent.instances.at(web0).restarts = 3;
    next_leader.pass(1s);
    CHECK(report().empty());
    agent.instances.at(web0).proof.tag.low ^= 4U;
    next_leader.pass(1s);
    CHECK(report() == "-");
    CHECK(next_leader.happened("instance.stray", "web.0"));
    next_leader.pass(1s);
    CHECK(report().empty());
}

TEST_CASE("what this leadership ordered is not checked", "[coordinator][proof]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), with_key()};
    FakeAgent& n0 = join_keeping(harness, "n0");
    n0.obeys = false;
    harness.pass(2s);
    harness.want("web", 1);
    harness.pass(1s);
    REQUIRE_FALSE(n0.batches.empty());
    const Start start = n0.batches.back().starts.front();
    InstanceReport& copy = n0.instances[web0];
    copy.id = web0;
    copy.generation = start.generation;
    copy.state = InstanceState::running;
    copy.proof = start.proof;
    Report delta;
    delta.kind = ReportKind::delta;
    delta.epoch = Epoch{3};
    delta.incarnation = n0.incarnation;
    delta.from = n0.revision;
    delta.to = n0.revision = next(n0.revision);
    delta.instances = {copy};
    CHECK(harness.give(FromAgent{n0.session, delta}).proof_checks.empty());
    CHECK(harness.status().running == 1);
}
