#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "coordinator/core/workload/order_proofs.hpp"
#include "tests/scenarios/checkers/checker_stories.hpp"

// Every checker can fail, here on the number of copies: S7. See checkers_test.cpp.
namespace muster::sim {
namespace {

struct BoundStory {
    Checkers checkers;
    coordinator::StoreImage image = image_with(1);
    agent::AgentMemory disk = memory_of(Epoch{1});
    std::uint64_t sequence = 0;
    std::uint64_t round = 0;

    BoundStory() {
        checkers.on(origin, StoreReplaced{image});
        checkers.on(origin, LeadershipBegan{image, 0s, 3});
        int number = 0;
        for (const HostIndex host : {n0, n1, HostIndex{2}}) {
            const std::string name = "n" + std::to_string(number++);
            checkers.on(origin, WelcomeIssued{host, name, Incarnation{1}});
            report(host, {});
        }
    }
    static std::vector<InstanceReport> in_state(const std::vector<InstanceId>& listed,
                                                InstanceState state) {
        std::vector<InstanceReport> instances;
        for (const InstanceId& id : listed) {
            InstanceReport instance;
            instance.id = id;
            instance.generation = Generation{5};
            instance.state = state;
            instances.push_back(instance);
        }
        return instances;
    }
    void report(HostIndex host, const std::vector<InstanceId>& listed,
                InstanceState state = InstanceState::running) {
        Report report;
        report.kind = ReportKind::snapshot;
        report.epoch = Epoch{1};
        report.incarnation = Incarnation{1};
        report.round = Round{++round};
        report.to = Revision{round};
        report.instances = in_state(listed, state);
        Poll poll;
        poll.epoch = Epoch{1};
        poll.round = Round{round};
        poll.issued = Sequence{sequence};
        checkers.on(origin, PollIssued{host, poll});
        const AgentMessage message = report;
        checkers.on(origin, AgentMessageSent{host, message, disk});
        checkers.on(origin, AgentMessageReceived{host, message});
    }
    /// Reports that everything is gone, as a delta since `from`.
    void end_all(HostIndex host, Revision from) { report_delta(host, {}, from, {web0}); }
    /// Reports that these run, as a delta since `from`.
    void change(HostIndex host, const std::vector<InstanceId>& listed, Revision from) {
        report_delta(host, listed, from, {});
    }
    void report_delta(HostIndex host, const std::vector<InstanceId>& listed, Revision from,
                      const std::vector<InstanceId>& gone) {
        Report report;
        report.kind = ReportKind::delta;
        report.epoch = Epoch{1};
        report.incarnation = Incarnation{1};
        report.from = from;
        report.to = Revision{raw(from) + 1};
        report.instances = in_state(listed, InstanceState::running);
        report.gone = gone;
        const AgentMessage message = report;
        checkers.on(origin, AgentMessageSent{host, message, disk});
        checkers.on(origin, AgentMessageReceived{host, message});
    }
    void start(HostIndex host, const InstanceId& id = web0) {
        const Batch batch = start_of(id, Sequence{++sequence});
        checkers.on(origin, BatchIssued{host, batch, image, disk});
    }
    void lose(const std::string& name) { emit_event("node.lost", name); }
    void return_of(const std::string& name) { emit_event("node.returned", name); }
    void emit_event(const std::string& topic, const std::string& name) {
        Event event;
        event.topic = topic;
        event.name = name;
        checkers.on(origin, EventPublished{event});
    }
};

TEST_CASE("a start above instances and surge breaks S7", "[checkers][S7]") {
    BoundStory story;
    story.start(n0);
    story.start(n1);  // Uses the surge.
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
    SECTION("an instance that an answer no longer shows does not count") {
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
    SECTION("a process that no report shows counts") {
        story.checkers.on(origin, ProcessBegan{n1, web0, Generation{5}});
        story.report(n1, {});
        story.start(HostIndex{2});
        CHECK(properties(story.checkers) == Found{"S7"});
    }
}

// Method: web has a copy on each of two nodes and no surge; the copy that ended is started again.
TEST_CASE("a copy whose end its leader may not know is replaced in place under S7",
          "[checkers][S7]") {
    BoundStory story;
    story.start(n0);
    story.start(n1);
    story.report(n0, {web0});
    story.report(n1, {web0});
    const Revision held{story.round};
    story.image.tasks.front().wanted.spec.update.max_surge = 0;
    SECTION("a report before the one of its end was lost") {
        story.end_all(n1, Revision{raw(held) + 1});
        story.start(n1);
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("it was reported once more") {
        story.end_all(n1, Revision{raw(held) + 1});
        story.report(n1, {});
        story.start(n1);
        CHECK(properties(story.checkers) == Found{"S7"});
    }
    SECTION("nothing was lost") {
        story.end_all(n1, held);
        story.start(n1);
        CHECK(properties(story.checkers) == Found{"S7"});
    }
}

TEST_CASE("a copy made under another store counts for S7 once it is reported", "[checkers][S7]") {
    BoundStory story;
    story.start(n0);
    story.report(n0, {web0});
    story.image.nodes = {{.name = "n0"}, {.name = "n1"}, {.name = "n2"}};
    story.checkers.on(origin, StoreReplaced{story.image});
    story.checkers.on(origin, LeadershipBegan{story.image, 0s, 3});
    for (const auto* name : {"n0", "n1", "n2"}) {
        story.return_of(name);
    }
    SECTION("it is not reported") {
        story.start(n1);
        story.start(HostIndex{2});
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("a delta since a lost report says it") {
        const std::string name = "n0";
        story.checkers.on(origin, WelcomeIssued{n0, name, Incarnation{1}});
        story.change(n0, {web0}, Revision{story.round});
        story.start(n1);
        story.start(HostIndex{2});
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("a node that was not welcomed says it") {
        story.report(n0, {web0});
        story.start(n1);
        story.start(HostIndex{2});
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("it is reported") {
        const std::string name = "n0";
        story.checkers.on(origin, WelcomeIssued{n0, name, Incarnation{1}});
        story.report(n0, {web0});
        story.start(n1);
        story.start(HostIndex{2});
        CHECK(properties(story.checkers) == Found{"S7"});
    }
}

TEST_CASE("an instance that ran to its end is not a copy for S7, and counts as placed for S13",
          "[checkers][S7][S13]") {
    BoundStory story;
    story.start(n0);
    story.start(n1);
    story.report(n0, {web0}, InstanceState::exited);
    story.report(n1, {web0});
    SECTION("another can be started") {
        story.start(HostIndex{2});
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("the other can be stopped") {
        const Batch batch = stop_of(web0, Sequence{9});
        story.checkers.on(origin, BatchIssued{n1, batch, story.image, story.disk});
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("not if it is not there any more") {
        story.report(n0, {});
        const Batch batch = stop_of(web0, Sequence{9});
        story.checkers.on(origin, BatchIssued{n1, batch, story.image, story.disk});
        CHECK(properties(story.checkers) == Found{"S13"});
    }
}

// A failed copy can be replaced in place or elsewhere; a copy that ran to its end stays as it
// ended.
TEST_CASE("a stop of the only copy that ran to its end breaks S13, a stop of a failed one does not",
          "[checkers][S13]") {
    for (const InstanceState state :
         {InstanceState::running, InstanceState::exited, InstanceState::failed}) {
        BoundStory story;
        story.start(n0);
        story.report(n0, {web0}, state);
        const Batch batch = stop_of(web0, Sequence{9});
        story.checkers.on(origin, BatchIssued{n0, batch, story.image, story.disk});
        CHECK(properties(story.checkers) ==
              (state == InstanceState::failed ? Found{} : Found{"S13"}));
    }
}

// Goal: a copy whose stop was obeyed and then lost with its agent's disk is a copy for S13.
// Method: the agent reports that it obeyed, its next life reports that the copy runs; then the
// other copy is stopped.
TEST_CASE("a copy that survived its stop is another copy for S13 once its node reports it",
          "[checkers][S13]") {
    BoundStory story;
    story.start(n0);
    story.start(n1);
    story.report(n0, {web0});
    story.report(n1, {web0});
    const Batch batch = stop_of(web0, Sequence{9});
    story.checkers.on(origin, BatchIssued{n0, batch, story.image, story.disk});
    const AgentMessage ack = Ack{Epoch{1}, Incarnation{1}, Sequence{9}, {}};
    story.checkers.on(origin, AgentMessageSent{n0, ack, story.disk});
    story.checkers.on(origin, AgentMessageReceived{n0, ack});
    const bool runs = GENERATE(true, false);
    story.report(n0, {web0}, runs ? InstanceState::running : InstanceState::stopping);
    const Batch other = stop_of(web0, Sequence{10});
    story.checkers.on(origin, BatchIssued{n1, other, story.image, story.disk});
    CHECK(properties(story.checkers) == (runs ? Found{} : Found{"S13"}));
}

// Goal: a stray is stopped on purpose. Method: one host runs what a store ordered; the store of the
// same or another cluster stops it, with and without the rule that requires proofs.
TEST_CASE("a stop of what another cluster ordered does not break S13 where proofs are required",
          "[checkers][S13]") {
    BoundStory story;
    story.start(n0);
    story.report(n0, {web0});
    const bool is_ours = GENERATE(false, true);
    const bool is_required = GENERATE(false, true);
    if (!is_ours) {
        story.image.meta.cluster = ClusterId{8, 8};
    }
    if (is_required) {
        story.image.settings.push_back(
            {std::string{coordinator::ProofRule::setting},
             coordinator::proof_rule_text(coordinator::ProofRule{Generation{1}, Digest{1, 1}})});
    }
    story.disk.cluster = ClusterId{};
    const Batch batch = stop_of(web0, Sequence{9});
    story.checkers.on(origin, BatchIssued{n0, batch, story.image, story.disk});
    CHECK(properties(story.checkers) == (!is_ours && is_required ? Found{} : Found{"S13"}));
}

TEST_CASE("a stop on a byzantine host is not judged by S13", "[checkers][S13]") {
    BoundStory story;
    story.start(n0);
    story.report(n0, {web0});
    const bool is_byzantine = GENERATE(false, true);
    if (is_byzantine) {
        const std::string name = "n0";
        story.checkers.on(origin, ByzantineReport{n0, name});
        story.checkers.on(origin, ByzantineReportHandled{});
    }
    const Batch batch = stop_of(web0, Sequence{9});
    story.checkers.on(origin, BatchIssued{n0, batch, story.image, story.disk});
    CHECK(properties(story.checkers) == (is_byzantine ? Found{} : Found{"S13"}));
}

// Goal: a start that replaces what a byzantine host reports adds no copy that its leader could know
// of.
TEST_CASE("a start where a byzantine host already reports the instance adds no copy for S7",
          "[checkers][S7]") {
    BoundStory story;
    story.start(n0);
    story.start(n1);
    story.report(n0, {web0});
    story.report(n1, {web0});
    const HostIndex byzantine{2};
    const std::string name = "n2";
    const bool claims = GENERATE(true, false);
    story.checkers.on(origin, ByzantineReport{byzantine, name});
    Report report;
    report.kind = ReportKind::snapshot;
    if (claims) {
        report.instances = BoundStory::in_state({web0}, InstanceState::running);
    }
    const AgentMessage message = report;
    story.checkers.on(origin, AgentMessageReceived{byzantine, message});
    story.checkers.on(origin, ByzantineReportHandled{});
    story.image.tasks.front().wanted.instances = 0;
    story.start(byzantine);
    CHECK(properties(story.checkers) == (claims ? Found{} : Found{"S7"}));
}

TEST_CASE("instances on a removed node count for S7 once it reports again", "[checkers][S7]") {
    BoundStory story;
    story.start(n0);
    story.report(n0, {web0});
    story.emit_event("node.removed", "n0");
    story.start(n1);
    story.start(HostIndex{2});  // Uses the surge.
    CHECK(properties(story.checkers) == Found{});
    story.emit_event("node.joined", "n0");
    story.checkers.on(origin, WelcomeIssued{n0, "n0", Incarnation{1}});
    story.start(n1);
    CHECK(properties(story.checkers) == Found{});
    story.report(n0, {web0});
    story.report(n1, {});
    story.start(n1);
    CHECK(properties(story.checkers) == Found{"S7"});
}

// Goal: S7 judges a start by what its leader can know of a node that joins again.
// Method: a removed node joins again and its snapshot is lost; its next report is a delta since
// that snapshot.
TEST_CASE("a delta since a lost report makes no copy of a removed node count for S7",
          "[checkers][S7]") {
    BoundStory story;
    story.start(n0);
    story.report(n0, {web0});
    const Revision known{story.round};
    story.emit_event("node.removed", "n0");
    story.emit_event("node.joined", "n0");
    story.checkers.on(origin, WelcomeIssued{n0, "n0", Incarnation{1}});
    SECTION("the delta follows what the earlier record had") { story.change(n0, {web0}, known); }
    SECTION("the delta follows a report that no leader received") {
        story.change(n0, {web0}, Revision{raw(known) + 1});
    }
    story.start(n1);
    story.start(HostIndex{2});  // Uses the surge.
    CHECK(properties(story.checkers) == Found{});
    story.report(n0, {web0});
    story.report(n1, {});
    story.start(n1);
    CHECK(properties(story.checkers) == Found{"S7"});
}

TEST_CASE(
    "what runs on a node counts the same for S7 when a leader was killed before it published the "
    "removal",
    "[checkers][S7]") {
    BoundStory story;
    story.start(n0);
    story.report(n0, {web0});
    story.image.nodes = {{.name = "n1"}, {.name = "n2"}};
    story.checkers.on(origin, LeadershipBegan{story.image, 0s, 3});
    story.checkers.on(origin, WelcomeIssued{n1, "n1", Incarnation{1}});
    story.checkers.on(origin, WelcomeIssued{HostIndex{2}, "n2", Incarnation{1}});
    story.emit_event("node.joined", "n0");
    story.checkers.on(origin, WelcomeIssued{n0, "n0", Incarnation{1}});
    story.start(n1);
    story.start(HostIndex{2});  // Uses the surge.
    CHECK(properties(story.checkers) == Found{});
    story.report(n0, {web0});
    story.report(n1, {});
    story.start(n1);
    CHECK(properties(story.checkers) == Found{"S7"});
}

TEST_CASE("a start of what ended successfully breaks S26", "[checkers][S26]") {
    BoundStory story;
    story.image.ends = {{.name = "web", .generation = Generation{5}, .ordinals = {}}};
    story.image.ends.front().ordinals.add(1);
    SECTION("in its generation") {
        story.start(n0, {"web", 1});
        CHECK(properties(story.checkers) == Found{"S26"});
    }
    SECTION("but not of another instance") {
        story.start(n0);
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("nor of a task that now runs on every node") {
        story.image.tasks.front().wanted.place.every_node = true;
        story.start(n0, {"web", 1});
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("nor in a later generation") {
        story.image.ends.front().generation = Generation{4};
        story.start(n0, {"web", 1});
        CHECK(properties(story.checkers) == Found{});
    }
}

}  // namespace
}  // namespace muster::sim
