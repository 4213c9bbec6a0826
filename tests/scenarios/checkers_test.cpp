#include "sim/checkers/checkers.hpp"

#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "sim/cluster.hpp"
#include "sim/trace.hpp"

// Every checker can fail: each is told a short story in which its promise is broken, and beside it
// the story in which it is kept.
namespace muster::sim {
namespace {

constexpr HostIndex n0{0};
constexpr HostIndex n1{1};
const ClusterId ours{1, 1};
const LeaderId leader{2, 2};
const InstanceId web0{"web", 0};

std::vector<std::string> properties(Checkers& checkers) {
    std::vector<std::string> found;
    for (const Violation& violation : checkers.take_violations()) {
        found.push_back(violation.property);
    }
    return found;
}

using Found = std::vector<std::string>;

WantedTask wanted(const std::string& name, std::uint32_t instances) {
    return WantedTask{name, instances, serving()};
}

StoreImage image_with(std::uint32_t instances) {
    StoreImage image;
    image.meta.cluster = ours;
    image.meta.epoch = Epoch{1};
    image.meta.leader = leader;
    image.meta.counter = Generation{5};
    if (instances > 0) {
        image.tasks.push_back({wanted("web", instances), Generation{5}, Generation{5}});
    }
    return image;
}

Reply changed(const RequestId& id, std::string task = "web") {
    ChangeReply reply;
    reply.counter = Generation{1};
    reply.changes.push_back({std::move(task), "add", 0, 1, {}, Generation{1}});
    return Reply{id, ReplyBody{reply}};
}

AgentMemory memory_of(Epoch epoch) {
    return AgentMemory{ours, epoch, leader, Generation{5}, Incarnation{1}};
}

Batch batch_of(Epoch epoch, Sequence sequence) {
    Batch batch;
    batch.cluster = ours;
    batch.epoch = epoch;
    batch.leader = leader;
    batch.incarnation = Incarnation{1};
    batch.sequence = sequence;
    batch.counter = Generation{5};
    return batch;
}

Batch start_of(const InstanceId& id, Sequence sequence = Sequence{1}) {
    Batch batch = batch_of(Epoch{1}, sequence);
    batch.starts.push_back({id, Generation{5}, {}});
    return batch;
}

Batch stop_of(const InstanceId& id, Sequence sequence = Sequence{1}) {
    Batch batch = batch_of(Epoch{1}, sequence);
    batch.stops.push_back({id, Generation{5}});
    return batch;
}

Ack ack_of(Epoch epoch, Sequence sequence) { return Ack{epoch, Incarnation{1}, sequence, {}}; }

// ---- S1, S2, S3: the store and its requests ----

struct StoreStory {
    Checkers checkers;
    RequestId id{7, 7};
    Request request{id, TaskAddRequest{wanted("web", 1)}};

    void ask() { checkers.see(origin, RequestMade{request}); }
    void commit(const StoredTask& task) {
        const std::vector<Persist> persists{{1, {task, StoredRequest{id, changed(id)}}}};
        StoreImage after = image_with(0);
        after.tasks = {task};
        checkers.see(origin, Committed{persists, after});
    }
    void answer() {
        const Reply reply = changed(id);
        checkers.see(origin, ReplyGiven{reply});
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

TEST_CASE("a store that holds another value than was asked for breaks S1", "[checkers][S1]") {
    StoreStory story;
    story.ask();
    story.commit({wanted("web", 2), Generation{1}, Generation{1}});
    CHECK(properties(story.checkers) == Found{"S1"});
}

TEST_CASE("a new leadership that lacks an acknowledged task breaks S1", "[checkers][S1]") {
    StoreStory story;
    story.ask();
    story.commit({wanted("web", 1), Generation{1}, Generation{1}});
    story.checkers.see(origin, LeadershipBegan{image_with(0), 18s, 3});
    CHECK(properties(story.checkers) == Found{"S1"});
}

TEST_CASE("a task or a request that nobody made breaks S2", "[checkers][S2]") {
    Checkers checkers;
    SECTION("a task") {
        const std::vector<Persist> persists{
            {1, {StoredTask{wanted("web", 1), Generation{1}, Generation{1}}}}};
        const StoreImage after = image_with(1);
        checkers.see(origin, Committed{persists, after});
    }
    SECTION("a request") {
        const std::vector<Persist> persists{{1, {StoredRequest{{9, 9}, changed({9, 9})}}}};
        const StoreImage after = image_with(0);
        checkers.see(origin, Committed{persists, after});
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
    story.checkers.see(origin, ReplyHeard{first});
    story.checkers.see(origin, ReplyHeard{first});
    CHECK(properties(story.checkers) == Found{});
    story.checkers.see(origin, ReplyHeard{second});
    CHECK(properties(story.checkers) == Found{"S3"});
}

// ---- S5, S6, S12: what agents obey ----

struct AgentStory {
    Checkers checkers;
    AgentMemory disk = memory_of(Epoch{1});
    std::uint64_t processes = 0;

    AgentStory() { checkers.see(origin, AgentBegan{n0, disk}); }

    void deliver(const Batch& batch) { checkers.see(origin, BatchDelivered{n0, batch, disk}); }
    void say(const AgentMessage& message) { checkers.see(origin, AgentSaid{n0, message, disk}); }
    void obey(const Batch& batch) {
        deliver(batch);
        say(ack_of(batch.epoch, batch.sequence));
    }
    void spawn(Generation generation = Generation{5},
               RestartPolicy restart = RestartPolicy::always) {
        checkers.see(origin, SpawnOrdered{n0, ++processes, web0, generation, restart});
        checkers.see(origin, ProcessBegan{n0, web0, generation});
    }
    void end() { checkers.see(origin, EndOrdered{n0, processes}); }
    void gone(std::int32_t exit_code) {
        checkers.see(origin, ProcessGone{n0, processes, web0, Generation{5}, true, exit_code});
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
    StoreImage image = image_with(0);
    image.meta.epoch = Epoch{2};
    story.checkers.see(origin, LeadershipBegan{image, 18s, 3});
    Report report;
    report.epoch = Epoch{2};
    report.incarnation = Incarnation{1};
    story.say(report);
    CHECK(properties(story.checkers) == Found{"S5"});
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
    SECTION("the agent is told to end") {
        story.checkers.see(origin, ShutDownOrdered{n0});
        story.end();
        CHECK(properties(story.checkers) == Found{});
    }
}

// ---- S7: how many copies ----

struct BoundStory {
    Checkers checkers;
    StoreImage image = image_with(1);
    AgentMemory disk = memory_of(Epoch{1});
    std::uint64_t sequence = 0;
    std::uint64_t term = 0;

    BoundStory() {
        checkers.see(origin, StoreReplaced{image});
        checkers.see(origin, LeadershipBegan{image, 0s, 3});
        int number = 0;
        for (const HostIndex host : {n0, n1, HostIndex{2}}) {
            const std::string name = "n" + std::to_string(number++);
            checkers.see(origin, WelcomeIssued{host, name, Incarnation{1}});
            report(host, {});
        }
    }
    void report(HostIndex host, std::vector<InstanceId> running) {
        Report report;
        report.kind = ReportKind::snapshot;
        report.epoch = Epoch{1};
        report.incarnation = Incarnation{1};
        report.term = Term{++term};
        report.to = Revision{term};
        for (const InstanceId& id : running) {
            InstanceReport instance;
            instance.id = id;
            instance.generation = Generation{5};
            instance.state = InstanceState::running;
            report.instances.push_back(instance);
        }
        Poll poll;
        poll.epoch = Epoch{1};
        poll.term = Term{term};
        poll.issued = Sequence{sequence};
        checkers.see(origin, PollIssued{host, poll});
        const AgentMessage message = report;
        checkers.see(origin, AgentSaid{host, message, disk});
        checkers.see(origin, AgentHeard{host, message});
    }
    void start(HostIndex host, const InstanceId& id = web0) {
        const Batch batch = start_of(id, Sequence{++sequence});
        checkers.see(origin, BatchIssued{host, batch, image, disk});
    }
    void lose(const std::string& name) {
        Event event;
        event.topic = "node.lost";
        event.name = name;
        checkers.see(origin, EventPublished{event});
    }
};

TEST_CASE("a start above instances and surge breaks S7", "[checkers][S7]") {
    BoundStory story;
    story.start(n0);
    story.start(n1);  // The surge.
    CHECK(properties(story.checkers) == Found{});
    SECTION("ordered copies count") {
        story.start(HostIndex{2});
        CHECK(properties(story.checkers) == Found{"S7"});
    }
    SECTION("reported copies count") {
        story.report(n0, {web0});
        story.report(n1, {web0});
        story.start(HostIndex{2});
        CHECK(properties(story.checkers) == Found{"S7"});
    }
    SECTION("what an answer shows as not done does not count") {
        story.report(n1, {});
        story.start(HostIndex{2});
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("a lost node's copies do not count") {
        for (int poll = 0; poll < 3; ++poll) {
            story.report(n1, {web0});
        }
        story.lose("n1");
        story.start(HostIndex{2});
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("a process counts that no report shows") {
        story.checkers.see(origin, ProcessBegan{n1, web0, Generation{5}});
        story.report(n1, {});
        story.start(HostIndex{2});
        CHECK(properties(story.checkers) == Found{"S7"});
    }
}

// ---- S11: a new leadership ----

struct RecoveryStory {
    Checkers checkers;
    StoreImage image = image_with(0);
    std::string name = "n0";
    AgentMemory disk = memory_of(Epoch{1});

    RecoveryStory() {
        StoredNode node;
        node.name = name;
        image.nodes.push_back(node);
        checkers.see(origin, LeadershipBegan{image, 18s, 3});
    }
    void lose(Instant now) {
        Event event;
        event.topic = "node.lost";
        event.name = name;
        checkers.see(now, EventPublished{event});
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
    story.checkers.see(origin, WelcomeIssued{n0, story.name, Incarnation{1}});
    const Poll poll;
    story.checkers.see(origin, PollIssued{n0, poll});
    story.checkers.see(origin, PollIssued{n0, poll});
    SECTION("it has a route") {
        story.lose(origin + 20s);
        CHECK(properties(story.checkers) == Found{"S11"});
    }
    SECTION("it has none any more") {
        story.checkers.see(origin, RouteClosed{n0});
        story.lose(origin + 20s);
        CHECK(properties(story.checkers) == Found{});
    }
}

TEST_CASE("an order for an older generation in recovery breaks S11", "[checkers][S11]") {
    RecoveryStory story;
    const Batch batch = start_of(web0);
    SECTION("in recovery") {
        story.checkers.see(origin + 5s, BatchIssued{n0, batch, story.image, story.disk});
        CHECK(properties(story.checkers) == Found{"S11"});
    }
    SECTION("when the awaited node has reported") {
        story.checkers.see(origin, WelcomeIssued{n0, story.name, Incarnation{1}});
        Report report;
        report.kind = ReportKind::snapshot;
        report.epoch = Epoch{1};
        report.incarnation = Incarnation{1};
        const AgentMessage message = report;
        story.checkers.see(origin, AgentHeard{n0, message});
        story.checkers.see(origin + 5s, BatchIssued{n0, batch, story.image, story.disk});
        CHECK(properties(story.checkers) == Found{});
    }
}

// ---- S13: stops need an intent ----

TEST_CASE("a stop without an intent breaks S13", "[checkers][S13]") {
    Checkers checkers;
    StoreImage image = image_with(1);
    Batch batch = stop_of(web0);
    AgentMemory disk = memory_of(Epoch{1});
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
    checkers.see(origin, BatchIssued{n0, batch, image, disk});
    CHECK(properties(checkers) == Found{"S13"});
}

TEST_CASE("a stop of what is no longer wanted keeps S13", "[checkers][S13]") {
    Checkers checkers;
    const StoreImage image = image_with(0);
    const AgentMemory disk = memory_of(Epoch{1});
    const Batch batch = stop_of(web0);
    checkers.see(origin, BatchIssued{n0, batch, image, disk});
    CHECK(properties(checkers) == Found{});
}

}  // namespace
}  // namespace muster::sim
