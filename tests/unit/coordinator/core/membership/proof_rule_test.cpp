#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/membership/proofs_harness.hpp"

// From when on copies need proofs: a cluster that has just got its key, agents of an earlier
// version, other keys, and other stores.
using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

namespace {

const InstanceId unproven_id{"web", 0};

/// A node of an earlier version, or before the cluster had its key, runs web.0 without a proof.
struct Unproven {
    CoordinatorHarness first;
    WantedTask task = CoordinatorHarness::wanted("web", 1);
    Generation generation{};

    explicit Unproven(const CoordinatorOptions& options)
        : first{CoordinatorHarness::empty_store(), options} {
        first.join("n0");
        first.pass(2s);
        first.want("web", 1);
        first.pass(2s);
        REQUIRE(first["n0"].instances.contains(unproven_id));
        generation = first["n0"].instances.at(unproven_id).generation;
        REQUIRE(first["n0"].instances.at(unproven_id).proof.is_none());
    }
    [[nodiscard]] StoreImage image() const { return image_after(first, {"n0"}, task, generation); }
};

ProofRule rule_of(const CoordinatorHarness& harness) {
    const auto rows = settings_of(harness);
    REQUIRE(rows.size() == 1);
    CHECK(rows.front().name == ProofRule::setting);
    const auto rule = proof_rule_from(rows.front().value);
    REQUIRE(rule);
    return *rule;
}

bool is_untouched(CoordinatorHarness& harness) {
    return harness["n0"].batches.empty() && harness["n0"].instances.contains(unproven_id) &&
           harness.status().converged && harness.status().strays == 0;
}

}  // namespace

// Goal: the copies of a cluster that gets a key are neither stopped nor doubled, whatever comes
// first, the new agents or the key. Method: they have no proof, and there is a second node.
TEST_CASE("copies from before the rule stay without proofs", "[coordinator][proof][S24]") {
    Unproven story{GENERATE(true, false) ? with_key() : CoordinatorHarness::losing_quickly()};
    CoordinatorHarness next_leader{story.image(), with_key()};
    story.first["n0"].keeps_proofs = GENERATE(true, false);  // Its agent was updated meanwhile.
    follow(next_leader, story.first["n0"]);
    join_keeping(next_leader, "n1");
    next_leader.pass(5s);
    CHECK(is_untouched(next_leader));
    SECTION("also under the leader after that, when the rule holds") {
        CoordinatorHarness third{
            next_leader.fakes.at("n0").keeps_proofs
                ? image_after(next_leader, {"n0"}, story.task, story.generation)
                : story.image(),
            with_key()};
        follow(third, next_leader["n0"]);
        third.pass(5s);
        CHECK(is_untouched(third));
    }
}

TEST_CASE("the rule begins once the agents of all nodes keep proofs", "[coordinator][proof][S24]") {
    Unproven story{with_key()};
    CHECK(settings_of(story.first).empty());
    join_keeping(story.first, "n1");
    story.first.pass(3s);
    CHECK(settings_of(story.first).empty());  // n0 does not.
    SECTION("when the last one is updated") {
        FakeAgent& n0 = story.first["n0"];
        story.first.give(SessionClosed{n0.session});
        n0.session = Session{977};
        n0.incarnation = Incarnation{2};
        n0.life = LifeId{7, 7};
        n0.keeps_proofs = true;
        story.first.send_hello(n0);
        story.first.pass(3s);
        CHECK(rule_of(story.first).after >= story.generation);
        CHECK(story.first.happened("proofs.required", ""));
    }
    SECTION("when it is lost, and not before") {
        story.first["n0"].answers = false;
        story.first.give(SessionClosed{story.first["n0"].session});
        story.first.pass(1s);
        CHECK(settings_of(story.first).empty());
        story.first.pass(40s);
        REQUIRE(story.first.happened("node.lost", "n0"));
        CHECK(rule_of(story.first).after >= story.generation);
    }
}

TEST_CASE("a copy of a generation after the rule needs a proof", "[coordinator][proof][S18]") {
    CoordinatorHarness first{CoordinatorHarness::empty_store(), with_key()};
    FakeAgent& n0 = join_keeping(first, "n0");
    first.pass(2s);
    first.want("web", 1);
    first.pass(2s);
    const Generation generation = n0.instances.at(unproven_id).generation;
    CHECK(rule_of(first).after < generation);
    n0.instances.at(unproven_id).proof = {};
    CoordinatorHarness next_leader{
        image_after(first, {"n0"}, CoordinatorHarness::wanted("web", 1), generation), with_key()};
    follow(next_leader, n0);
    next_leader.pass(5s);
    CHECK(next_leader.happened("instance.stray", "web.0"));
}

// Goal: nothing is started that the next leader would take for a stray. Method: an agent of an
// earlier version joins when the rule holds.
TEST_CASE("once proofs are required, an agent without them gets no starts",
          "[coordinator][proof][S24]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), with_key()};
    join_keeping(harness, "n1");
    harness.pass(2s);
    REQUIRE_FALSE(settings_of(harness).empty());
    harness.ask(NodeOfflineRequest{"n1", {}}, harness.fresh_id());
    FakeAgent& old = harness.join("old");
    harness.pass(2s);
    harness.want("web", 1);
    harness.pass(3s);
    CHECK(old.batches.empty());
    CHECK(harness.node("old").note == "its agent keeps no proofs of orders; update the agent");
    harness.give(SessionClosed{old.session});
    old.session = Session{977};
    old.keeps_proofs = true;
    old.incarnation = Incarnation{2};
    old.life = LifeId{7, 7};
    harness.send_hello(old);
    harness.pass(3s);
    CHECK(old.instances.contains(unproven_id));
}

// Goal: a key that was exchanged or lost kills nothing. Method: the next leader has another one, or
// none, and the one after it has the first key again.
TEST_CASE("a rule holds for its key, and not across a leader without a key",
          "[coordinator][proof]") {
    CoordinatorHarness first{CoordinatorHarness::empty_store(), with_key()};
    join_keeping(first, "n0");
    first.pass(2s);
    first.want("web", 1);
    first.pass(2s);
    const Generation generation = first["n0"].instances.at(unproven_id).generation;
    const WantedTask task = CoordinatorHarness::wanted("web", 1);
    SECTION("another key") {
        CoordinatorHarness next_leader{image_after(first, {"n0"}, task, generation),
                                       with_key(SecretKey{{9, 9}})};
        follow(next_leader, first["n0"]);
        next_leader.pass(5s);
        CHECK(is_untouched(next_leader));
        CHECK(rule_of(next_leader).after >= generation);  // It began again.
    }
    SECTION("no key") {
        CoordinatorHarness keyless{image_after(first, {"n0"}, task, generation)};
        REQUIRE(settings_of(keyless).size() == 1);
        CHECK(settings_of(keyless).front().value == "none");
        follow(keyless, first["n0"]);
        keyless.pass(5s);
        CHECK(is_untouched(keyless));
        keyless.want("web", 1, "/bin/true");  // A new generation, without a proof.
        keyless.pass(5s);
        const Generation later = keyless["n0"].instances.at(unproven_id).generation;
        REQUIRE(later > generation);
        REQUIRE(keyless["n0"].instances.at(unproven_id).proof.is_none());
        CoordinatorHarness third{
            image_after(keyless, {"n0"}, CoordinatorHarness::wanted("web", 1, "/bin/true"), later),
            with_key()};
        follow(third, keyless["n0"]);
        third.pass(5s);
        CHECK(is_untouched(third));
    }
}

// Goal: what another store's leader ordered stays adopted (ADR 7). Method: a node of another
// cluster, with another key; an operator accepts its store; then another leader follows.
TEST_CASE("copies of an accepted store stay, though another key made their proofs",
          "[coordinator][proof][ahead][S13]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), with_key()};
    join_keeping(harness, "n1");
    harness.pass(2s);
    REQUIRE_FALSE(settings_of(harness).empty());
    harness.ask(NodeOfflineRequest{"n1", {}}, harness.fresh_id());
    harness.want("web", 1);
    FakeAgent& n0 = harness.add("n0");
    n0.keeps_proofs = true;
    n0.cluster = ClusterId{7, 7};
    n0.epoch = Epoch{9};
    n0.leader = LeaderId{5, 5};
    n0.counter = Generation{30};
    InstanceReport& copy = n0.instances[unproven_id];
    copy.id = unproven_id;
    copy.generation = Generation{20};
    copy.state = InstanceState::running;
    copy.proof = {Incarnation{1}, Digest{6, 6}};
    harness.send_hello(n0);
    harness.pass(3s);
    CHECK(harness.status().ahead == 1);
    CHECK(harness.status().running == 1);  // As without keys.
    CHECK_FALSE(harness.happened("instance.stray", "web.0"));

    REQUIRE(harness.ask(StoreAcceptRequest{}, harness.fresh_id()));
    CHECK(rule_of(harness).after == Generation{31});
    n0.obeys = false;  // The roll-out to the new generation takes a while.
    harness.send_hello(n0);
    harness.pass(3s);
    CHECK(harness.status().running == 1);
    CHECK(harness.status().strays == 0);
    SECTION("under the next leader, too") {
        StoreImage image =
            image_after(harness, {"n0"}, CoordinatorHarness::wanted("web", 1), Generation{31});
        image.meta.cluster = ClusterId{7, 7};
        image.meta.epoch = Epoch{11};
        CoordinatorHarness next_leader{image, with_key()};
        FakeAgent& again = next_leader.add("n0");
        again.keeps_proofs = true;
        again.cluster = ClusterId{7, 7};
        again.epoch = Epoch{10};
        again.counter = Generation{31};
        again.instances = n0.instances;
        again.obeys = false;
        next_leader.send_hello(again);
        next_leader.pass(3s);
        CHECK(next_leader.status().running == 1);
        CHECK(next_leader.status().strays == 0);
        CHECK_FALSE(next_leader.happened("instance.stray", "web.0"));
    }
}
