#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/scenarios/checkers/checker_stories.hpp"

// Every checker can fail, here on nodes that operators close: S17. See checkers_test.cpp.
namespace muster::sim {
namespace {

/// web.0 runs on n0, which is closed.
struct LeavingStory {
    Checkers checkers;
    coordinator::StoreImage image = image_with(1);
    agent::AgentMemory disk = memory_of(Epoch{1});

    explicit LeavingStory(coordinator::Intent intent) {
        image.intents.push_back(coordinator::StoredIntent{.name = "n0", .intent = intent});
        checkers.on(origin, StoreReplaced{image});
        checkers.on(origin, LeadershipBegan{image, 0s, 3});
        checkers.on(origin, WelcomeIssued{n0, "n0", Incarnation{1}});
        checkers.on(origin, WelcomeIssued{n1, "n1", Incarnation{1}});
        report(n0, {InstanceState::running});
    }
    static AgentMessage report_of(const std::vector<InstanceState>& web, Generation generation,
                                  Incarnation incarnation) {
        Report report;
        report.kind = ReportKind::snapshot;
        report.epoch = Epoch{1};
        report.incarnation = incarnation;
        report.to = Revision{1};
        for (const InstanceState state : web) {
            InstanceReport instance;
            instance.id = web0;
            instance.generation = generation;
            instance.state = state;
            report.instances.push_back(instance);
        }
        return report;
    }
    void report(HostIndex host, const std::vector<InstanceState>& web,
                Generation generation = Generation{5}, Incarnation incarnation = Incarnation{1}) {
        const AgentMessage message = report_of(web, generation, incarnation);
        checkers.on(origin, AgentMessageSent{host, message, disk});
        checkers.on(origin, AgentMessageReceived{host, message});
    }
    /// A report of n1 that it runs nothing. Its agent does not send it now.
    void report_nothing(Incarnation incarnation) {
        const AgentMessage message = report_of({}, Generation{5}, incarnation);
        checkers.on(origin, AgentMessageReceived{n1, message});
    }
    void stop() {
        const Batch batch = stop_of(web0);
        checkers.on(origin, BatchIssued{n0, batch, image, disk});
    }
};

}  // namespace

TEST_CASE("a start on a node that an operator closed breaks S17", "[checkers][S17]") {
    for (const coordinator::Intent intent :
         {coordinator::Intent::active, coordinator::Intent::draining,
          coordinator::Intent::offline}) {
        LeavingStory story{intent};
        const Batch batch = start_of({"web", 0});
        story.checkers.on(origin, BatchIssued{n0, batch, story.image, story.disk});
        CHECK(properties(story.checkers) ==
              (intent == coordinator::Intent::active ? Found{} : Found{"S17"}));
    }
}

TEST_CASE("a drain that stops what does not run elsewhere breaks S17", "[checkers][S17]") {
    LeavingStory story{coordinator::Intent::draining};
    SECTION("it runs elsewhere") {
        story.report(n1, {InstanceState::running});
        story.stop();
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("it starts elsewhere") {
        story.report(n1, {InstanceState::starting});
        story.stop();
        CHECK(properties(story.checkers) == Found{"S17"});
    }
    SECTION("it has run to its end elsewhere") {
        story.report(n1, {InstanceState::exited});
        story.stop();
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("an instance that ran to its end elsewhere is not of the wanted generation") {
        story.report(n1, {InstanceState::exited}, Generation{4});
        story.stop();
        CHECK(properties(story.checkers) == Found{"S17"});
    }
    SECTION("it is nowhere else") {
        story.stop();
        CHECK(properties(story.checkers) == Found{"S13", "S17"});
    }
    SECTION("the drain is forced") {
        story.image.intents.front().force = true;
        story.stop();
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("the task cannot surge") {
        story.image.tasks.front().wanted.spec.update.max_surge = 0;
        story.stop();
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("it did not run there either") {
        story.report(n1, {InstanceState::starting});
        story.report(n0, {InstanceState::backoff});
        story.stop();
        CHECK(properties(story.checkers) == Found{});
    }
}

// Goal: a message that the coordinator rejects does not hide a copy that runs elsewhere.
TEST_CASE("a late or false report takes no copy away", "[checkers][S17]") {
    LeavingStory story{coordinator::Intent::draining};
    story.checkers.on(origin, WelcomeIssued{n1, "n1", Incarnation{2}});
    story.report(n1, {InstanceState::running}, Generation{5}, Incarnation{2});
    SECTION("it is of a past life") {
        story.report_nothing(Incarnation{1});
        story.stop();
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("it is a lie") {
        const std::string name = "n1";
        story.checkers.on(origin, ByzantineReport{n1, name});
        story.report_nothing(Incarnation{2});
        story.checkers.on(origin, ByzantineReportHandled{});
        story.stop();
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("it is true") {
        story.report(n1, {}, Generation{5}, Incarnation{2});
        story.stop();
        CHECK(properties(story.checkers) == Found{"S13", "S17"});
    }
}

TEST_CASE("a drain that is declared complete while something runs there breaks L5",
          "[checkers][L5]") {
    LeavingStory story{coordinator::Intent::draining};
    const auto drained_event = [&] {
        Event event;
        event.topic = "node.drained";
        event.name = "n0";
        story.checkers.on(origin, EventPublished{event});
        return properties(story.checkers);
    };
    story.checkers.on(origin, ProcessBegan{n0, web0, Generation{5}, 1});
    CHECK(drained_event() == Found{"L5"});
    SECTION("the report of its end is on its way") {
        story.checkers.on(origin, ProcessGone{n0, 1, web0, Generation{5}});
        CHECK(drained_event() == Found{});
    }
    SECTION("a copy that is known to have failed was tried again") {
        story.report(n0, {InstanceState::failed});
        CHECK(drained_event() == Found{});
    }
    SECTION("no report of the agent arrives") {
        story.report(n0, {});
        CHECK(drained_event() == Found{});
    }
}

}  // namespace muster::sim
