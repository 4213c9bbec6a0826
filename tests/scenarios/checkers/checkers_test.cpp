#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "tests/scenarios/checkers/checker_stories.hpp"

// Every checker can fail: each gets a short story that breaks its promise, and beside it the story
// that keeps it.
namespace muster::sim {
namespace {

Reply changed(const RequestId& id, std::string task = "web") {
    ChangeReply reply;
    reply.counter = Generation{1};
    reply.changes.push_back({std::move(task), "add", 0, 1, {}, Generation{1}});
    return Reply{id, ReplyBody{reply}};
}

// ---- S1, S2, S3: the store and its requests ----

struct StoreStory {
    Checkers checkers;
    RequestId id{7, 7};
    Request request{id, TaskAddRequest{wanted("web", 1)}};

    void ask() { checkers.on(origin, RequestMade{request}); }
    void commit(const coordinator::StoredTask& task) {
        const std::vector<coordinator::Persist> persists{
            {1, {task, coordinator::StoredRequest{id, changed(id)}}}};
        coordinator::StoreImage after = image_with(0);
        after.tasks = {task};
        checkers.on(origin, Committed{persists, after});
    }
    void answer() {
        const Reply reply = changed(id);
        checkers.on(origin, ReplyGiven{reply});
    }
};

TEST_CASE("an acknowledgement before the commit breaks S1", "[checkers][S1]") {
    StoreStory story;
    story.ask();
    SECTION("before") {
        story.answer();
        CHECK(properties(story.checkers) == Found{"S1"});
    }
    SECTION("after") {
        story.commit({wanted("web", 1), Generation{1}, Generation{1}});
        story.answer();
        CHECK(properties(story.checkers) == Found{});
    }
}

TEST_CASE("a store that holds a value other than requested breaks S1", "[checkers][S1]") {
    StoreStory story;
    story.ask();
    story.commit({wanted("web", 2), Generation{1}, Generation{1}});
    CHECK(properties(story.checkers) == Found{"S1"});
}

TEST_CASE("a new leadership that lacks an acknowledged task breaks S1", "[checkers][S1]") {
    StoreStory story;
    story.ask();
    story.commit({wanted("web", 1), Generation{1}, Generation{1}});
    story.checkers.on(origin, LeadershipBegan{image_with(0), 18s, 3});
    CHECK(properties(story.checkers) == Found{"S1"});
}

TEST_CASE("a task or a request that no client made breaks S2", "[checkers][S2]") {
    Checkers checkers;
    SECTION("a task") {
        const std::vector<coordinator::Persist> persists{
            {1, {coordinator::StoredTask{wanted("web", 1), Generation{1}, Generation{1}}}}};
        const coordinator::StoreImage after = image_with(1);
        checkers.on(origin, Committed{persists, after});
    }
    SECTION("a request") {
        const std::vector<coordinator::Persist> persists{
            {1, {coordinator::StoredRequest{{9, 9}, changed({9, 9})}}}};
        const coordinator::StoreImage after = image_with(0);
        checkers.on(origin, Committed{persists, after});
    }
    CHECK(properties(checkers) == Found{"S2"});
}

TEST_CASE("a request that takes effect twice breaks S3", "[checkers][S3]") {
    StoreStory story;
    story.ask();
    story.commit({wanted("web", 1), Generation{1}, Generation{1}});
    story.commit({wanted("web", 1), Generation{1}, Generation{1}});
    CHECK(properties(story.checkers) == Found{"S3"});
}

TEST_CASE("two different answers to one request break S3", "[checkers][S3]") {
    StoreStory story;
    story.ask();
    const Reply first = changed(story.id);
    const Reply second = changed(story.id, "api");
    story.checkers.on(origin, ReplyReceived{first});
    story.checkers.on(origin, ReplyReceived{first});
    CHECK(properties(story.checkers) == Found{});
    story.checkers.on(origin, ReplyReceived{second});
    CHECK(properties(story.checkers) == Found{"S3"});
}

// Goal: whether a key may ask now says nothing about the request. Method: a denial comes before and
// after the answer to a request.
TEST_CASE("a denial is not a second answer to a request", "[checkers][S3]") {
    StoreStory story;
    story.ask();
    const Reply denied{story.id, fail(Errc::denied, "the key was revoked")};
    const Reply answer = changed(story.id);
    story.checkers.on(origin, ReplyReceived{denied});
    story.checkers.on(origin, ReplyReceived{answer});
    story.checkers.on(origin, ReplyReceived{denied});
    CHECK(properties(story.checkers) == Found{});
}

// ---- S11: a new leadership ----

struct RecoveryStory {
    Checkers checkers;
    coordinator::StoreImage image = image_with(0);
    std::string name = "n0";
    agent::AgentMemory disk = memory_of(Epoch{1});

    RecoveryStory() {
        coordinator::StoredNode node;
        node.name = name;
        image.nodes.push_back(node);
        checkers.on(origin, LeadershipBegan{image, 18s, 3});
    }
    void lose(Instant now) {
        Event event;
        event.topic = "node.lost";
        event.name = name;
        checkers.on(now, EventPublished{event});
    }
};

TEST_CASE("a loss within the grace breaks S11", "[checkers][S11]") {
    RecoveryStory story;
    SECTION("within") {
        story.lose(origin + 17s);
        CHECK(properties(story.checkers) == Found{"S11"});
    }
    SECTION("after") {
        story.lose(origin + 18s);
        CHECK(properties(story.checkers) == Found{});
    }
}

TEST_CASE("a loss before enough polls breaks S11", "[checkers][S11]") {
    RecoveryStory story;
    story.checkers.on(origin, WelcomeIssued{n0, story.name, Incarnation{1}});
    const Poll poll;
    story.checkers.on(origin, PollIssued{n0, poll});
    story.checkers.on(origin, PollIssued{n0, poll});
    SECTION("it has a connection") {
        story.lose(origin + 20s);
        CHECK(properties(story.checkers) == Found{"S11"});
    }
    SECTION("it has no connection any more") {
        story.checkers.on(origin, RouteClosed{n0});
        story.lose(origin + 20s);
        CHECK(properties(story.checkers) == Found{});
    }
}

TEST_CASE("an order for an older generation in recovery breaks S11", "[checkers][S11]") {
    RecoveryStory story;
    const Batch batch = start_of(web0);
    SECTION("in recovery") {
        story.checkers.on(origin + 5s, BatchIssued{n0, batch, story.image, story.disk});
        CHECK(properties(story.checkers) == Found{"S11"});
    }
    SECTION("when the awaited node has reported") {
        story.checkers.on(origin, WelcomeIssued{n0, story.name, Incarnation{1}});
        Report report;
        report.kind = ReportKind::snapshot;
        report.epoch = Epoch{1};
        report.incarnation = Incarnation{1};
        const AgentMessage message = report;
        story.checkers.on(origin, AgentMessageReceived{n0, message});
        story.checkers.on(origin + 5s, BatchIssued{n0, batch, story.image, story.disk});
        CHECK(properties(story.checkers) == Found{});
    }
}

// ---- S13: stops need an intent ----

TEST_CASE("a stop without an intent breaks S13", "[checkers][S13]") {
    Checkers checkers;
    coordinator::StoreImage image = image_with(1);
    Batch batch = stop_of(web0);
    agent::AgentMemory disk = memory_of(Epoch{1});
    SECTION("of the only copy that is wanted") {}
    SECTION("of a generation that this store never gave") {
        batch.stops.front().generation = Generation{6};
    }
    SECTION("to an agent of another cluster") {
        image = image_with(0);
        disk.cluster = ClusterId{8, 8};
    }
    SECTION("to an agent that saw a later store") {
        image = image_with(0);
        disk.counter = Generation{6};
    }
    SECTION("to an agent that saw a later epoch") {
        image = image_with(0);
        disk.epoch = Epoch{2};
    }
    checkers.on(origin, BatchIssued{n0, batch, image, disk});
    CHECK(properties(checkers) == Found{"S13"});
}

TEST_CASE("a start from a store that is not the agent's breaks S25", "[checkers][S25]") {
    Checkers checkers;
    const coordinator::StoreImage image = image_with(1);
    const Batch batch = start_of(web0);
    agent::AgentMemory disk = memory_of(Epoch{1});
    SECTION("of another cluster") { disk.cluster = ClusterId{8, 8}; }
    SECTION("that is older than the agent saw") { disk.counter = Generation{6}; }
    SECTION("of the same epoch under another leader") { disk.leader = LeaderId{8, 8}; }
    checkers.on(origin, BatchIssued{n0, batch, image, disk});
    CHECK(properties(checkers) == Found{"S25"});
}

TEST_CASE("a stop of an instance that is no longer wanted keeps S13", "[checkers][S13]") {
    Checkers checkers;
    const coordinator::StoreImage image = image_with(0);
    const agent::AgentMemory disk = memory_of(Epoch{1});
    const Batch batch = stop_of(web0);
    checkers.on(origin, BatchIssued{n0, batch, image, disk});
    CHECK(properties(checkers) == Found{});
}

}  // namespace
}  // namespace muster::sim
