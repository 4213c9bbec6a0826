#include "tests/catch.hpp"

#include "tests/scenarios/checkers/checker_stories.hpp"
#include "tests/scenarios/support.hpp"

// L10: hosts that answer but cannot do their work.
namespace muster::sim {
namespace {

/// The coordinator polls n0 and receives the state of its host.
struct UnfitStory {
    Checkers checkers;
    coordinator::StoreImage image = image_with(1);
    agent::AgentMemory disk = memory_of(Epoch{1});
    Round round{};

    UnfitStory() {
        checkers.on(origin, StoreReplaced{image});
        checkers.on(origin, LeadershipBegan{image, 0s, 3});
        checkers.on(origin, WelcomeIssued{n0, "n0", Incarnation{1}});
    }
    Report answer(const HostFacts& host) {
        round = next(round);
        checkers.on(origin, PollIssued{n0, Poll{Epoch{1}, round, Incarnation{1}, {}, {}}});
        Report report;
        report.kind = ReportKind::snapshot;
        report.epoch = Epoch{1};
        report.round = round;
        report.incarnation = Incarnation{1};
        report.to = Revision{1};
        report.host = host;
        deliver(report);
        return report;
    }
    void deliver(const AgentMessage& message) {
        checkers.on(origin, AgentMessageSent{n0, message, disk});
        checkers.on(origin, AgentMessageReceived{n0, message});
    }
    void emit_event(const std::string& topic) {
        Event event;
        event.topic = topic;
        event.name = "n0";
        checkers.on(origin, EventPublished{event});
    }
    Found start() {
        const Batch batch = start_of(web0);
        checkers.on(origin, BatchIssued{n0, batch, image, disk});
        return properties(checkers);
    }
};

}  // namespace

// Goal: a host without space reports it and gets no work, what runs continues, and later it gets
// work again.
TEST_CASE("a host with a full disk gets no work until there is room again", "[scenario][L10]") {
    Cluster cluster{{.nodes = 2}};
    cluster.want("web", 2);
    require_convergence(cluster, 10s);
    cluster.set_full("n1", true);
    cluster.run(3s);
    CHECK(cluster.trace().contains("floors.disk) -> unready"));
    cluster.want("api", 2);
    cluster.run(10s);
    CHECK(cluster.running_on("n0") == 2);
    CHECK(cluster.running_on("n1") == 1);
    cluster.set_full("n1", false);
    require_convergence(cluster, 10s);
    CHECK(cluster.running_on("n1") == 2);
    require_no_violations(cluster);
}

// Goal: a node that answers but cannot work is suspended soon, and returns when it can.
// Method: the host cannot create processes, then the agent's disk cannot be written.
TEST_CASE("a host that cannot work is suspended within five rounds", "[scenario][L10]") {
    const bool by_disk = GENERATE(false, true);
    CAPTURE(by_disk);
    Cluster cluster{{.nodes = 2}};
    cluster.want("web", 2);
    require_convergence(cluster, 10s);
    const auto set_broken = [&](bool broken) {
        by_disk ? cluster.break_disk("n1", broken) : cluster.break_spawns("n1", broken);
    };
    set_broken(true);
    cluster.restart("web");
    cluster.run(25s);  // The roll-out first waits for the copy on the other host.
    CHECK(cluster.trace().contains("c1 > n1 for 30 s: its flap score reached the threshold with"));
    set_broken(false);
    require_convergence(cluster, 90s);
    require_no_violations(cluster);
}

TEST_CASE("a start where the host asks for no work breaks L10", "[checkers][L10]") {
    UnfitStory story;
    HostFacts unable;
    unable.unable = true;
    SECTION("as it reported") {
        story.answer(unable);
        CHECK(story.start() == Found{"L10"});
    }
    SECTION("a late answer reported it, too") {
        const Report late = story.answer(unable);
        story.answer({});
        story.deliver(late);
        CHECK(story.start() == Found{});
    }
}

TEST_CASE("a host that fails for more than five answers and is not suspended breaks L10",
          "[checkers][L10]") {
    UnfitStory story;
    HostFacts failing;
    failing.journal_failing = true;
    const bool is_suspended = GENERATE(false, true);
    for (int answers = 0; answers < 5; ++answers) {
        story.answer(failing);
    }
    CHECK(properties(story.checkers) == Found{});
    if (is_suspended) {
        story.emit_event("node.suspended");
    }
    story.answer(failing);
    CHECK(properties(story.checkers) == (is_suspended ? Found{} : Found{"L10"}));
}

}  // namespace muster::sim
