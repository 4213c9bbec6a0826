#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/scenarios/checkers/checker_stories.hpp"

// Every checker can fail, here on what agents obey: S5, S6 and S12. See checkers_test.cpp.
namespace muster::sim {
namespace {

Ack ack_of(Epoch epoch, Sequence sequence) { return Ack{epoch, Incarnation{1}, sequence, {}}; }

struct AgentStory {
    Checkers checkers;
    agent::AgentMemory disk = memory_of(Epoch{1});
    std::uint64_t processes = 0;

    AgentStory() { begin({}); }

    /// Begins a life with this recovered state and a correct journal.
    void begin(agent::RecoveredState recovered) {
        recovered.memory = disk;
        checkers.on(origin, AgentBegan{n0, recovered});
    }

    void deliver(const Batch& batch) { checkers.on(origin, BatchDelivered{n0, batch, disk}); }
    void send(const AgentMessage& message) {
        checkers.on(origin, AgentMessageSent{n0, message, disk});
    }
    void obey(const Batch& batch) {
        deliver(batch);
        send(ack_of(batch.epoch, batch.sequence));
    }
    void spawn(Generation generation = Generation{5}, RestartPolicy restart = RestartPolicy::always,
               bool is_journaled = true) {
        checkers.on(origin, SpawnOrdered{n0, ++processes, web0, generation, restart, is_journaled});
        checkers.on(origin, ProcessBegan{n0, web0, generation, processes});
    }
    void end() { checkers.on(origin, EndOrdered{n0, processes}); }
    void gone(std::int32_t exit_code) {
        checkers.on(origin, ProcessGone{n0, processes, web0, Generation{5}, false, exit_code});
    }
};

TEST_CASE("an order of a lower epoch that is obeyed breaks S5", "[checkers][S5]") {
    AgentStory story;
    story.disk = memory_of(Epoch{2});
    story.deliver(start_of(web0));
    story.spawn();
    CHECK(properties(story.checkers) == Found{"S5"});
}

TEST_CASE("an answer before its epoch is on disk breaks S5", "[checkers][S5]") {
    AgentStory story;
    coordinator::StoreImage image = image_with(0);
    image.meta.epoch = Epoch{2};
    story.checkers.on(origin, LeadershipBegan{image, 18s, 3});
    Report report;
    report.epoch = Epoch{2};
    report.incarnation = Incarnation{1};
    story.send(report);
    CHECK(properties(story.checkers) == Found{"S5"});
}

TEST_CASE("a process that the journal does not know breaks S15", "[checkers][S15]") {
    AgentStory story;
    story.obey(start_of(web0));
    story.spawn(Generation{5}, RestartPolicy::always, false);
    CHECK(properties(story.checkers) == Found{"S15"});
}

// Goal: an instance that survives its agent's death is not started a second time.
TEST_CASE("a process that is made while one of an earlier life is alive breaks S6",
          "[checkers][S6][S14]") {
    AgentStory story;
    story.obey(start_of(web0));
    story.spawn();
    agent::InstanceImage image;
    image.report.id = web0;
    image.report.generation = Generation{5};
    agent::RecoveredState recovered;
    recovered.journal.instances = {image};
    SECTION("it is alive") {
        story.begin(recovered);
        story.spawn();
        CHECK(properties(story.checkers) == Found{"S6"});
    }
    SECTION("it ended before") {
        story.gone(1);
        story.begin(recovered);
        story.spawn();
        CHECK(properties(story.checkers).empty());
    }
    SECTION("the host was rebooted, and no order came since") {
        story.gone(-1);
        recovered.is_rebooted = true;
        story.begin(recovered);
        story.spawn();
        CHECK(properties(story.checkers) == Found{"S6"});
    }
}

// Goal: a life without its journal cleans up instances whose lease ended or that were ordered to
// end. A start of any generation is then a new instance.
TEST_CASE("an instance that is ending when a life without its journal finds it is not wanted",
          "[checkers][S6]") {
    AgentStory story;
    story.obey(start_of(web0));
    story.spawn();
    SECTION("its lease is over") { story.checkers.on(origin, LeaseEnded{n0, story.processes}); }
    SECTION("it was ordered to end") {
        story.obey(stop_of(web0, Sequence{2}));
        story.end();
    }
    story.gone(0);
    story.checkers.on(origin, StoreReplaced{image_with(0)});
    agent::FoundProcess found;
    found.process = agent::ProcessId{story.processes};
    found.id = web0;
    found.generation = Generation{5};
    agent::RecoveredState recovered;
    recovered.found = {found};
    story.begin(recovered);
    Batch batch = start_of(web0);
    batch.starts.front().generation = Generation{3};
    story.obey(batch);
    story.spawn(Generation{3});
    CHECK(properties(story.checkers) == Found{});
}

// Goal: a life without its journal adopts an instance whose shim never received an order to end,
// and restarts it.
// Method: lose the order to end on its way to the shim, then the disk, then kill the shim.
TEST_CASE(
    "an instance found by a life without its journal is wanted if its shim received no order to "
    "end",
    "[checkers][S6]") {
    AgentStory story;
    story.obey(start_of(web0));
    story.spawn();
    story.obey(stop_of(web0, Sequence{2}));
    const bool is_lost = GENERATE(true, false);
    story.checkers.on(origin, EndOrdered{n0, story.processes, is_lost});
    agent::FoundProcess found;
    found.process = agent::ProcessId{story.processes};
    found.id = web0;
    found.generation = Generation{5};
    agent::RecoveredState recovered;
    recovered.found = {found};
    story.begin(recovered);
    story.gone(-1);
    story.spawn();
    CHECK(properties(story.checkers) == (is_lost ? Found{} : Found{"S6"}));
}

// Goal: an instance that ended with its agent is gone, even if the journal could not record it.
TEST_CASE("an instance that ended with its agent can be ordered again", "[checkers][S6]") {
    AgentStory story;
    story.obey(start_of(web0));
    story.spawn(Generation{5}, RestartPolicy::never);
    agent::InstanceImage image;
    image.report.id = web0;
    image.report.generation = Generation{5};
    agent::RecoveredState recovered;
    recovered.journal.instances = {image};
    SECTION("by its shutdown") {
        story.checkers.on(origin, ShutDownOrdered{n0});
        story.end();
        story.gone(-1);
        story.begin(recovered);
        story.obey(start_of(web0, Sequence{2}));
        story.spawn(Generation{5}, RestartPolicy::never);
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("by itself") {
        story.gone(0);
        story.begin(recovered);
        story.obey(start_of(web0, Sequence{2}));
        story.spawn(Generation{5}, RestartPolicy::never);
        CHECK(properties(story.checkers) == Found{"S6"});
    }
}

TEST_CASE("orders that are obeyed once break nothing", "[checkers][S5][S6][S12]") {
    AgentStory story;
    story.obey(start_of(web0));
    story.spawn();
    story.gone(1);
    story.spawn();
    story.obey(stop_of(web0, Sequence{2}));
    story.end();
    CHECK(properties(story.checkers) == Found{});
}

TEST_CASE("an order that is obeyed a second time breaks S6", "[checkers][S6]") {
    AgentStory story;
    story.obey(start_of(web0));
    story.spawn();
    story.obey(stop_of(web0, Sequence{2}));
    story.end();
    story.gone(0);
    story.deliver(start_of(web0));
    story.spawn();
    CHECK(properties(story.checkers) == Found{"S6"});
}

// Goal: a command that an agent drops because it could not persist it counts as lost.
// Method: a later command overtakes the first one and waits for a write, or is obeyed.
TEST_CASE("an order that was overtaken can be obeyed if the later one was dropped",
          "[checkers][S6]") {
    AgentStory story;
    story.deliver(start_of({"web", 1}, Sequence{2}));
    story.deliver(start_of(web0, Sequence{1}));
    SECTION("dropped") {
        story.checkers.on(origin, WriteFailed{n0});
        story.spawn();
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("still waiting for its write") {
        story.spawn();
        CHECK(properties(story.checkers) == Found{"S6"});
    }
    SECTION("obeyed before a write fails") {
        story.send(ack_of(Epoch{1}, Sequence{2}));
        story.checkers.on(origin, WriteFailed{n0});
        story.spawn();
        CHECK(properties(story.checkers) == Found{"S6"});
    }
}

TEST_CASE("a second process of an instance breaks S6", "[checkers][S6]") {
    AgentStory story;
    story.obey(start_of(web0));
    story.spawn();
    story.spawn();
    CHECK(properties(story.checkers) == Found{"S6"});
}

TEST_CASE("an older generation after a newer one breaks S6", "[checkers][S6]") {
    AgentStory story;
    story.obey(start_of(web0));
    story.spawn();
    story.gone(1);
    story.spawn(Generation{4});
    CHECK(properties(story.checkers) == Found{"S6", "S6"});
}

TEST_CASE("a restart against the restart policy breaks S6", "[checkers][S6]") {
    AgentStory story;
    story.obey(start_of(web0));
    story.spawn(Generation{5}, RestartPolicy::on_failure);
    story.gone(0);
    story.spawn(Generation{5}, RestartPolicy::on_failure);
    CHECK(properties(story.checkers) == Found{"S6"});
}

// Method: the process exits with 0 by itself between the end of its shim and its own.
TEST_CASE("a process whose shim was killed can restart on failure, however it ended",
          "[checkers][S6]") {
    AgentStory story;
    story.obey(start_of(web0));
    story.spawn(Generation{5}, RestartPolicy::on_failure);
    story.checkers.on(origin, ShimKilled{n0, story.processes});
    story.gone(0);
    story.spawn(Generation{5}, RestartPolicy::on_failure);
    CHECK(properties(story.checkers) == Found{});
    story.gone(0);
    story.spawn(Generation{5}, RestartPolicy::on_failure);
    CHECK(properties(story.checkers) == Found{"S6"});
}

TEST_CASE("an order of another cluster or life that is obeyed breaks S6", "[checkers][S6]") {
    AgentStory story;
    Batch batch = start_of(web0);
    SECTION("another cluster") { batch.cluster = ClusterId{8, 8}; }
    SECTION("another life") { batch.incarnation = Incarnation{3}; }
    story.deliver(batch);
    story.spawn();
    CHECK(properties(story.checkers) == Found{"S6"});
}

TEST_CASE("a process that is ended without an order breaks S12", "[checkers][S12]") {
    AgentStory story;
    story.obey(start_of(web0));
    story.spawn();
    SECTION("no order") {
        story.end();
        CHECK(properties(story.checkers) == Found{"S12"});
    }
    SECTION("the agent is ordered to end") {
        story.checkers.on(origin, ShutDownOrdered{n0});
        story.end();
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("its spawn failed") {
        story.gone(1);
        story.checkers.on(origin,
                          SpawnOrdered{n0, ++story.processes, web0, Generation{5}, {}, true});
        story.end();
        CHECK(properties(story.checkers) == Found{});
    }
}

}  // namespace
}  // namespace muster::sim
