#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "coordinator/http/metrics_text.hpp"
#include "tests/scenarios/checkers/checker_stories.hpp"

// Every checker can fail, here on where starts go, on drains (L5) and on displayed numbers. See
// checkers_test.cpp.
namespace muster::sim {
namespace {

/// web has one wanted instance; n0 has sent a hello with this offer.
struct PlacingStory {
    Checkers checkers;
    coordinator::StoreImage image = image_with(1);
    agent::AgentMemory disk = memory_of(Epoch{1});
    Sequence sequence{};

    explicit PlacingStory(const Offer& offer = {}) {
        image.tasks.front().wanted.instances = 3;
        checkers.on(origin, StoreReplaced{image});
        checkers.on(origin, LeadershipBegan{image, 0s, 3});
        Hello hello;
        hello.name = "n0";
        hello.offer = offer;
        const AgentMessage message = hello;
        checkers.on(origin, AgentMessageReceived{n0, message});
        checkers.on(origin, WelcomeIssued{n0, "n0", Incarnation{1}});
        const Poll poll;
        for (int time = 0; time < 3; ++time) {
            checkers.on(origin, PollIssued{n0, poll});
        }
    }
    PlacementRule& rule() { return image.tasks.front().wanted.place; }
    void emit_event(const std::string& topic) {
        Event event;
        event.topic = topic;
        event.name = "n0";
        checkers.on(origin, EventPublished{event});
    }
    Found start(Ordinal ordinal = 0) {
        sequence = next(sequence);
        const Batch batch = start_of({"web", ordinal}, sequence);
        checkers.on(origin, BatchIssued{n0, batch, image, disk});
        return properties(checkers);
    }
};

const Found placing{"placing"};

}  // namespace

TEST_CASE("a start on a node of another pool or other labels is found", "[checkers][placement]") {
    Offer offer;
    offer.pool = "edge";
    offer.labels = {{"rack", "r1"}};
    PlacingStory story{offer};
    CHECK(story.start() == placing);
    story.rule().pool = "edge";
    CHECK(story.start() == Found{});
    story.rule().constraints = {*parse_constraint("rack = r2")};
    CHECK(story.start() == placing);
    story.rule().constraints = {*parse_constraint("rack = r1"), *parse_constraint("node = n0")};
    CHECK(story.start() == Found{});
    story.image.intents = {coordinator::StoredIntent{.name = "n0", .pool = "other"}};
    CHECK(story.start() == placing);
    story.rule().pool = "other";
    CHECK(story.start() == Found{});
}

TEST_CASE("a start above max_per_node is found, a replacement in its place is not",
          "[checkers][placement]") {
    PlacingStory story;
    CHECK(story.start(0) == Found{});
    CHECK(story.start(0) == Found{});
    CHECK(story.start(1) == placing);
}

// Goal: a start is not judged by what runs on a byzantine host, because its leader cannot know
// that.
TEST_CASE("instances on a byzantine host are not counted", "[checkers][placement]") {
    const bool is_byzantine = GENERATE(false, true);
    const auto falsify = [&](PlacingStory& story) {
        if (is_byzantine) {
            story.checkers.on(origin, ByzantineReport{n0, "n0"});
            story.checkers.on(origin, ByzantineReportHandled{});
        }
    };
    SECTION("by max_per_node") {
        PlacingStory story;
        CHECK(story.start(0) == Found{});
        falsify(story);
        CHECK(story.start(1) == (is_byzantine ? Found{} : placing));
    }
    SECTION("by capacity") {
        Offer offer;
        offer.capacity.slots = 1;
        PlacingStory story{offer};
        story.image.tasks.front().wanted.spec.max_per_node = 9;
        CHECK(story.start(0) == Found{});
        falsify(story);
        CHECK(story.start(1) == (is_byzantine ? Found{} : placing));
    }
    SECTION("its pool is judged") {
        PlacingStory story;
        story.rule().pool = "edge";
        falsify(story);
        CHECK(story.start() == placing);
    }
}

TEST_CASE("a start above a node's capacity is found", "[checkers][placement]") {
    Offer offer;
    offer.capacity = {.cpu_milli = 1'000, .memory_bytes = 1'000, .slots = 3};
    offer.reserved.slots = 1;
    for (const auto& [request, fits] : std::vector<std::pair<Resources, std::uint64_t>>{
             {{.slots = 1}, 2}, {{.cpu_milli = 400}, 2}, {{.memory_bytes = 334}, 2}, {{}, 3}}) {
        PlacingStory story{offer};
        story.image.tasks.front().wanted.spec.max_per_node = 9;
        story.rule().request = request;
        std::uint64_t placed = 0;
        while (placed < 3 && story.start(static_cast<Ordinal>(placed)).empty()) {
            ++placed;
        }
        CHECK(placed == fits);
    }
}

TEST_CASE("a start on a node that does not serve is found", "[checkers][placement]") {
    for (const auto& [topic, ended_by] : std::vector<std::pair<std::string, std::string>>{
             {"node.lost", "node.returned"},
             {"node.left", "node.returned"},
             {"node.unready", "node.ready"},
             {"node.restarted", "node.ready"},
             {"node.suspension_ended", "node.ready"}}) {
        CAPTURE(topic);
        PlacingStory story;
        story.emit_event(topic);
        CHECK(story.start() == placing);
        story.emit_event(ended_by);
        CHECK(story.start() == Found{});
    }
    PlacingStory story;
    story.emit_event("node.suspended");
    CHECK(story.start() == placing);
    story.emit_event("node.released");
    CHECK(story.start() == placing);  // It must become ready again.
    story.emit_event("node.ready");
    CHECK(story.start() == Found{});
}

TEST_CASE("a drain that neither ends nor reports its blocker by its deadline breaks L5",
          "[checkers][L5]") {
    const std::vector<coordinator::Persist> nothing;
    Checkers checkers;
    coordinator::StoreImage image = image_with(1);
    image.intents = {coordinator::StoredIntent{
        .name = "n0", .intent = coordinator::Intent::draining, .deadline = civil(origin + 10s)}};
    checkers.on(origin, StoreReplaced{image});
    checkers.on(origin, LeadershipBegan{image, 0s, 3});
    const auto emit_event = [&](Duration at, const std::string& topic,
                                const std::string& detail = {}) {
        Event event;
        event.topic = topic;
        event.name = "n0";
        event.detail = detail;
        checkers.on(origin + at, EventPublished{event});
        return properties(checkers);
    };
    CHECK(emit_event(9s, "round.closed") == Found{});
    CHECK(emit_event(11s, "round.closed") == Found{});
    SECTION("it reports nothing") {
        CHECK(emit_event(12s, "round.closed") == Found{});
        CHECK(emit_event(13s, "round.closed") == Found{});
        CHECK(emit_event(14s, "round.closed") == Found{"L5"});
    }
    SECTION("after a pause it reports in the instant in which rounds close") {
        for (int round = 0; round < 5; ++round) {
            CHECK(emit_event(12s, "round.closed") == Found{});
        }
        CHECK(emit_event(12s, "node.drain_overdue", "not empty by its deadline: web.0 slots") ==
              Found{});
        CHECK(emit_event(13s, "round.closed") == Found{});
        CHECK(emit_event(14s, "round.closed") == Found{});
    }
    SECTION("it names its blocker") {
        CHECK(emit_event(11s, "node.drain_overdue", "not empty by its deadline: web.0 slots") ==
              Found{});
        CHECK(emit_event(12s, "round.closed") == Found{});
    }
    SECTION("it names nothing") {
        CHECK(emit_event(11s, "node.drain_overdue", "not empty by its deadline") == Found{"L5"});
    }
    SECTION("it has ended") {
        image.intents.front().intent = coordinator::Intent::offline;
        checkers.on(origin + 11s, Committed{nothing, image});
        CHECK(emit_event(12s, "round.closed") == Found{});
    }
    SECTION("another leadership has just begun") {
        checkers.on(origin + 11s, LeadershipBegan{image, 0s, 3});
        for (const Duration at : {Duration{12s}, Duration{13s}, Duration{14s}}) {
            CHECK(emit_event(at, "round.closed") == Found{});
        }
        CHECK(emit_event(15s, "round.closed") == Found{"L5"});
    }
}

// Goal: a wrong number in one of the three forms is found. Method: take correct numbers of a real
// coordinator and change one.
TEST_CASE("numbers that differ or do not add up are found", "[checkers][counts]") {
    coordinator::Coordinator coordinator{origin, {}, image_with(2)};
    const auto ask = [&](CoreRequestBody body) {
        const coordinator::Output output = coordinator.step(
            origin + 2s,
            coordinator::FromOperator{coordinator::Ticket{1}, CoreRequest{{}, std::move(body)}});
        return *output.replies.front().reply->result;
    };
    for (int round = 0; round < 3; ++round) {
        (void)coordinator.step(origin + round * 1s, coordinator::Wake{});
    }
    const auto status = std::get<StatusReply>(ask(StatusRequest{}));
    const auto stats = std::get<StatsReply>(ask(StatsRequest{}));
    Checkers checkers;
    const auto judge = [&](const StatusReply& one, const StatsReply& two, const std::string& text) {
        checkers.on(origin, NumbersShown{one, two, text});
        const auto found = checkers.take_violations();
        for (const Violation& violation : found) {
            UNSCOPED_INFO(violation.what);
        }
        return !found.empty();
    };
    const std::string text = coordinator::metrics_text(stats);
    CHECK_FALSE(judge(status, stats, text));

    const std::vector<std::function<void(StatusReply&)>> changes{
        [](auto& s) { ++s.nodes; },
        [](auto& s) { ++s.serving; },
        [](auto& s) { ++s.lost; },
        [](auto& s) { --s.free; },
        [](auto& s) { ++s.busy; },
        [](auto& s) { ++s.health.flaky; },
        [](auto& s) { ++s.intent.offline; },
        [](auto& s) { ++s.tasks; },
        [](auto& s) { --s.wanted; },
        [](auto& s) { ++s.running; },
        [](auto& s) { ++s.unplaced; },
        [](auto& s) { ++s.moving; },
        [](auto& s) { ++s.strays; },
        [](auto& s) { s.converged = !s.converged; },
        [](auto& s) {
            s.unplaced_reasons.push_back({"slots", 1, "", "", {}});
        },
        [](auto& s) {
            --s.free;  // Below zero and back in the sum.
            ++s.busy;
        }};
    for (std::size_t at = 0; at < changes.size(); ++at) {
        CAPTURE(at);
        StatusReply other = status;
        changes[at](other);
        CHECK(judge(other, stats, text));
    }
    for (std::size_t at = 0; at < stats.samples.size(); ++at) {
        StatsReply other = stats;
        ++other.samples[at].value;
        CHECK(judge(status, other, text));
    }
    StatsReply fewer = stats;
    std::erase_if(fewer.samples, [](const Sample& one) { return one.name == "muster_nodes_busy"; });
    CHECK(judge(status, fewer, coordinator::metrics_text(fewer)));
    CHECK(judge(status, stats, text.substr(text.find('\n', text.find("muster_nodes ")) + 1)));
}

}  // namespace muster::sim
