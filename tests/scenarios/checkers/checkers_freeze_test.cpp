#include <string>

#include "tests/catch.hpp"

#include "tests/scenarios/checkers/checker_stories.hpp"

// Every checker can fail, here on mass silence: S9. See checkers_test.cpp.
namespace muster::sim {
namespace {

struct FreezeStory {
    Checkers checkers;
    coordinator::StoreImage image = image_with(0);
    Instant now = origin;
    std::uint64_t sequence = 0;

    explicit FreezeStory(int nodes = 8) {
        for (int node = 0; node < nodes; ++node) {
            image.nodes.push_back({.name = "n" + std::to_string(node)});
        }
        checkers.on(now, StoreReplaced{image});
        checkers.on(now, LeadershipBegan{image, 0s, 3});
    }
    void emit_event(const std::string& topic, const std::string& name, const std::string& detail) {
        const Event event{Epoch{1}, ++sequence, {}, topic, name, detail};
        checkers.on(now, EventPublished{event});
    }
    /// The loss of a node, and a start that replaces its instance.
    void lose(int node) {
        const std::string name = "n" + std::to_string(node);
        const std::string web = "web." + std::to_string(node);
        emit_event("instance.start", web, "ordered on " + name + ": missing");
        emit_event("node.lost", name, "silent for 3 polls");
        emit_event("instance.start", web, "ordered on spare: lost");
    }
};

}  // namespace

TEST_CASE("a start that replaces a lost copy during a freeze breaks S9", "[checkers][S9]") {
    FreezeStory story;
    story.emit_event("node.lost", "n0", "silent for 3 polls");
    story.emit_event("instance.start", "web.0", "ordered on n1: lost");
    CHECK(properties(story.checkers) == Found{});
    story.emit_event("freeze.began", "", "3 of 8 nodes fell silent");
    story.emit_event("instance.start", "web.1", "ordered on n1: missing");
    CHECK(properties(story.checkers) == Found{});
    story.emit_event("instance.start", "web.0", "ordered on n1: lost");
    CHECK(properties(story.checkers) == Found{"S9"});
    story.emit_event("freeze.ended", "", "by ann");
    story.emit_event("instance.start", "web.0", "ordered on n1: lost");
    CHECK(properties(story.checkers) == Found{});
}

TEST_CASE("a node called lost during a freeze breaks S9", "[checkers][S9]") {
    FreezeStory story;
    story.emit_event("freeze.began", "", "by ann@desk: new switches");
    story.emit_event("node.lost", "n0", "silent for 3 polls");
    CHECK(properties(story.checkers) == Found{"S9"});
}

TEST_CASE("losses above their rate break S9", "[checkers][S9]") {
    FreezeStory story{50};
    SECTION("one more than a burst") {
        for (int node = 0; node < 11; ++node) {
            story.lose(node);
        }
        CHECK(properties(story.checkers) == Found{});
        story.lose(11);
        CHECK(properties(story.checkers) == Found{"S9"});
    }
    SECTION("at the rate") {
        for (int node = 0; node < 40; ++node) {
            story.lose(node);
            story.now += 1s;
        }
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("a node without work is not counted") {
        for (int node = 0; node < 40; ++node) {
            story.emit_event("node.lost", "n" + std::to_string(node), "silent for 3 polls");
        }
        CHECK(properties(story.checkers) == Found{});
    }
}

TEST_CASE("a freeze that begins with departures breaks S9", "[checkers][S9]") {
    FreezeStory story;
    for (int node = 0; node < 6; ++node) {
        story.emit_event(node % 2 == 0 ? "node.left" : "node.removed", "n" + std::to_string(node),
                         "");
    }
    story.emit_event("freeze.began", "", "2 of 2 nodes fell silent");
    CHECK(properties(story.checkers) == Found{});
    story.emit_event("freeze.began", "", "3 of 8 nodes fell silent");
    CHECK(properties(story.checkers) == Found{"S9"});
}

TEST_CASE("half of the nodes lost at once without a freeze break S9", "[checkers][S9]") {
    FreezeStory story{6};
    const auto lose_half = [&](Duration after) {
        story.now += after;
        for (int node = 0; node < 3; ++node) {
            story.emit_event("node.lost", "n" + std::to_string(node), "silent for 3 polls");
        }
        return properties(story.checkers);
    };
    const auto give_work = [&] {
        for (int node = 0; node < 6; ++node) {
            const std::string number = std::to_string(node);
            story.emit_event("instance.start", "web." + number,
                             "ordered on n" + number + ": missing");
        }
    };
    SECTION("they had work") {
        give_work();
        CHECK(lose_half(60s) == Found{"S9"});
    }
    SECTION("they had no work") { CHECK(lose_half(60s) == Found{}); }
    SECTION("they had not served for long") {
        give_work();
        CHECK(lose_half(20s) == Found{});
    }
    SECTION("one of them had been closed") {
        give_work();
        story.emit_event("node.offline", "n1", "by ann");
        CHECK(lose_half(60s) == Found{});
    }
    SECTION("an operator gave them up") {
        give_work();
        story.now += 60s;
        story.emit_event("freeze.began", "", "3 of 6 nodes fell silent");
        story.emit_event("freeze.ended", "", "by ann");
        CHECK(lose_half(1s) == Found{});
    }
}

}  // namespace muster::sim
