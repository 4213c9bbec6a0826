// Which leader an agent obeys, what it reports and when it sends a hello; in virtual time.

#include "agent/core/agent.hpp"

#include <limits>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "tests/unit/agent/core/agent_harness.hpp"

using namespace muster;
using namespace muster::agent;
using namespace muster::agent::testing;

// ---- hello ----

TEST_CASE("an agent begins with a hello that states its memory", "[agent]") {
    const AgentMemory memory{ours, Epoch{4}, {4, 4}, Generation{17}, Incarnation{8}};
    Node node{{.memory = memory}};
    const auto hello = node.last<Hello>();
    REQUIRE(hello);
    CHECK(hello->name == "n1");
    CHECK(hello->cluster == ours);
    CHECK(hello->epoch == Epoch{4});
    CHECK(hello->leader == LeaderId{4, 4});
    CHECK(hello->counter == Generation{17});
    CHECK(hello->incarnation == Incarnation{9});
    CHECK(hello->life == LifeId{3, 3});
}

TEST_CASE("a coordinator that does not know the agent gets a hello at once, but not over and over",
          "[agent]") {
    Node node;
    node.pass(1s);
    CHECK(node.count<Hello>() == 1);
    node.deliver(Refused{Errc::hello_required, "", {}, 0});
    CHECK(node.count<Hello>() == 2);
    for (int i = 0; i < 100; ++i) {
        node.deliver(Refused{Errc::hello_required, "", {}, 0});
    }
    CHECK(node.count<Hello>() == 2);
    node.pass(100ms);
    CHECK(node.count<Hello>() == 3);
}

TEST_CASE("a silent coordinator gets another hello, and no task is stopped", "[agent]") {
    Node node;
    node.join();
    node.start(web0, 1);
    node.messages.clear();
    node.pass(1min);
    CHECK(node.count<Hello>() >= 12);
    CHECK(node.count<Hello>() <= 20);
    CHECK(node.ends.empty());
    CHECK(node.state(web0) == "running");
    CHECK_FALSE(node.agent().led(node.now()));
}

TEST_CASE("an agent whose name is in use asks again when the coordinator says", "[agent]") {
    Node node;
    node.messages.clear();
    node.deliver(Refused{Errc::name_in_use, "", {}, 700});
    node.pass(699ms);
    CHECK(node.count<Hello>() == 0);
    node.pass(1ms);
    CHECK(node.count<Hello>() == 1);
}

// Goal: an agent that lost its disk can return. Method: the refusal has the known incarnation.
TEST_CASE("a stale incarnation is raised above the known one, on disk, before the next hello",
          "[agent]") {
    Node node{{.disk_answers = false}};
    node.messages.clear();
    node.deliver(Refused{Errc::stale_incarnation, "", Incarnation{41}, 0});
    REQUIRE(node.memories.size() == 1);
    CHECK(node.memories[0].incarnation == Incarnation{42});
    node.pass(50ms);
    CHECK(node.count<Hello>() == 0);
    node.input(Remembered{});
    node.pass(50ms);
    REQUIRE(node.last<Hello>());
    CHECK(node.last<Hello>()->incarnation == Incarnation{42});

    node.deliver(Refused{Errc::stale_incarnation, "", Incarnation{41}, 0});  // A duplicate.
    CHECK(node.memories.size() == 1);
}

TEST_CASE("an incarnation that is the largest is not raised", "[agent]") {
    Node node;
    const auto most = Incarnation{std::numeric_limits<std::uint64_t>::max()};
    node.deliver(Refused{Errc::stale_incarnation, "", most, 0});
    CHECK(node.memories.empty());
}

// ---- memory before effect ----

// Goal: after any crash the agent refuses every leader that it refused before. Method: a slow disk;
// neither answer nor effect may precede it.
TEST_CASE("a new epoch is on disk before its first answer", "[agent]") {
    Node node{{.disk_answers = false}};
    node.welcome();
    node.poll();
    REQUIRE(node.memories.size() == 1);
    CHECK(node.memories[0].epoch == Epoch{5});
    CHECK(node.memories[0].leader == LeaderId{5, 5});
    CHECK(node.count<Report>() == 0);
    node.poll();  // Waits behind the first.
    CHECK(node.count<Report>() == 0);
    node.input(Remembered{});
    CHECK(node.count<Report>() == 2);
    CHECK(node.memories.size() == 1);
}

TEST_CASE("cluster and counter are on disk before a command has its effect", "[agent]") {
    Node node{{.disk_answers = false}};
    node.start(web0, 7);
    REQUIRE(node.memories.size() == 1);
    CHECK(node.memories[0].cluster == ours);
    CHECK(node.memories[0].counter == Generation{500});
    CHECK(node.spawns.empty());
    CHECK(node.count<Ack>() == 0);
    node.input(Remembered{});
    CHECK(node.spawns.size() == 1);
    CHECK(node.count<Ack>() == 1);
}

TEST_CASE("a change that cannot be persisted has no effect, and the next answer says so",
          "[agent]") {
    Node node{{.disk_answers = false}};
    node.welcome();
    node.poll();
    node.input(Remembered{});
    node.start(web0, 7);
    node.poll();
    node.messages.clear();
    node.input(RememberFailed{"disk full"});
    CHECK(node.spawns.empty());
    CHECK(node.count<Ack>() == 0);
    REQUIRE(node.last<Report>());
    CHECK(node.last<Report>()->host.journal_failing);

    node.start(web0, 7);  // The next command tries again.
    node.input(Remembered{});
    CHECK(node.spawns.size() == 1);
    node.poll();
    CHECK_FALSE(node.last<Report>()->host.journal_failing);
}

TEST_CASE("messages that wait for the disk are bounded", "[agent]") {
    Node node{{.disk_answers = false}};
    node.welcome();
    for (std::size_t i = 0; i < 10 * limits::agent_waiting_messages; ++i) {
        node.poll();
    }
    node.input(Remembered{});
    CHECK(node.count<Report>() == limits::agent_waiting_messages);
}

// ---- the command fence ----

TEST_CASE("a leader of a lower epoch gets reports but no command of it is obeyed", "[agent]") {
    const AgentMemory memory{ours, Epoch{9}, {9, 9}, Generation{1}, Incarnation{}};
    Node node{{.memory = memory}};
    node.welcome();
    node.poll();
    REQUIRE(node.last<Report>());
    CHECK(node.last<Report>()->epoch == Epoch{5});
    CHECK_FALSE(node.agent().led(node.now()));
    node.start(web0, 1);
    CHECK(node.spawns.empty());
    REQUIRE(node.last<Ack>());
    REQUIRE(node.last<Ack>()->refusals.size() == 1);
    CHECK(node.last<Ack>()->refusals[0].id == web0);
    CHECK(node.last<Ack>()->refusals[0].code == Errc::stale_epoch);
    CHECK(node.last<Ack>()->epoch == Epoch{9});
    CHECK(node.memories.empty());
}

TEST_CASE("only one leader of an epoch is obeyed", "[agent]") {
    Node node;
    node.join();
    node.start(web0, 1);
    CHECK(node.spawns.size() == 1);
    node.leader = LeaderId{6, 6};
    node.start(web1, 1);
    CHECK(node.spawns.size() == 1);
    CHECK(node.last<Ack>()->refusals[0].code == Errc::stale_epoch);
}

TEST_CASE("a coordinator of another cluster gets reports but no command of it is obeyed",
          "[agent]") {
    Node node;
    node.join();
    node.start(web0, 1);
    node.cluster = theirs;
    node.epoch = Epoch{1'000};
    node.welcome();
    node.poll();
    CHECK(node.last<Report>()->instances.size() == 1);
    node.stop(web0, 1'000);
    CHECK(node.last<Ack>()->refusals[0].code == Errc::foreign_cluster);
    CHECK(node.state(web0) == "running");
    CHECK(node.agent().memory().epoch == Epoch{5});
    CHECK(node.agent().memory().cluster == ours);
}

TEST_CASE("commands for another life of the node are refused", "[agent]") {
    Node node;
    node.join();
    Batch batch = node.start_batch(web0, 1);
    batch.incarnation = Incarnation{77};
    node.deliver(batch);
    CHECK(node.spawns.empty());
    CHECK(node.last<Ack>()->refusals[0].code == Errc::stale_incarnation);
}

TEST_CASE("a duplicate or reordered batch has no effect", "[agent]") {
    Node node;
    node.join();
    const Batch first = node.start_batch(web0, 1);
    const Batch second = node.stop_batch(web0, 1);
    node.deliver(second);
    node.deliver(first);
    CHECK(node.spawns.empty());
    CHECK(node.last<Ack>()->obeyed == second.sequence);
    const Batch third = node.start_batch(web0, 1);
    node.deliver(third);
    node.deliver(third);
    CHECK(node.spawns.size() == 1);
    CHECK(node.last<Ack>()->obeyed == third.sequence);
    CHECK(node.last<Ack>()->refusals.empty());
}

// Goal: a command that the coordinator has given up cannot take effect later. Method: the poll that
// counts the command as issued overtakes it.
TEST_CASE("a command that arrives after the poll that counts it is refused", "[agent]") {
    Node node;
    node.join();
    const Batch late = node.start_batch(web0, 1);
    node.poll({}, late.sequence);
    node.deliver(late);
    CHECK(node.spawns.empty());
    CHECK(node.last<Ack>()->obeyed == Sequence{});
    node.start(web0, 1);
    CHECK(node.spawns.size() == 1);
}

TEST_CASE("sequences begin again with each epoch", "[agent]") {
    Node node;
    node.join();
    node.start(web0, 1);
    const Batch late = node.stop_batch(web0, 1);
    node.epoch = Epoch{6};
    node.leader = LeaderId{6, 6};
    node.welcome();
    node.poll();
    CHECK(node.last<Report>()->obeyed == Sequence{});
    Batch batch = node.start_batch(web1, 1);
    batch.sequence = Sequence{1};
    node.deliver(batch);
    CHECK(node.spawns.size() == 2);
    CHECK(node.last<Ack>()->obeyed == Sequence{1});
    node.deliver(late);  // From the previous epoch.
    CHECK(node.state(web0) == "running");
}

// ---- reports ----

TEST_CASE(
    "a poll is answered with same, delta or snapshot, depending on the revision that it has seen",
    "[agent]") {
    Node node;
    node.welcome();
    node.poll();
    auto report = *node.last<Report>();
    CHECK(report.kind == ReportKind::snapshot);
    CHECK(report.instances.empty());
    const Revision empty = report.to;
    CHECK(raw(empty) > 0);

    node.poll(empty);
    CHECK(node.last<Report>()->kind == ReportKind::same);
    CHECK(node.last<Report>()->to == empty);

    node.start(web0, 1);
    node.start(web1, 1);
    node.poll(empty);
    report = *node.last<Report>();
    CHECK(report.kind == ReportKind::delta);
    CHECK(report.from == empty);
    REQUIRE(report.instances.size() == 2);
    CHECK(report.instances[0].id == web0);
    CHECK(report.instances[0].started == CivilMs{1'000});

    const Revision both = report.to;
    node.stop(web0, 1);
    node.ended(ProcessId{1}, -1, 15);
    node.poll(both);
    report = *node.last<Report>();
    CHECK(report.kind == ReportKind::delta);
    CHECK(report.instances.empty());
    CHECK(report.gone == std::vector<InstanceId>{web0});

    node.poll(Revision{raw(report.to) + 1});  // A revision that was never reported.
    CHECK(node.last<Report>()->kind == ReportKind::snapshot);
    CHECK(node.last<Report>()->instances.size() == 1);
}

TEST_CASE("an instance that returned is reported as changed, not as gone", "[agent]") {
    Node node;
    node.join();
    node.start(web0, 1);
    node.poll();
    const Revision before = node.last<Report>()->to;
    node.stop(web0, 1);
    node.ended(node.last_process(), 0);
    node.start(web0, 2);
    node.poll(before);
    const auto report = *node.last<Report>();
    CHECK(report.kind == ReportKind::delta);
    CHECK(report.gone.empty());
    REQUIRE(report.instances.size() == 1);
    CHECK(report.instances[0].generation == Generation{2});
}

TEST_CASE("a delta that reaches back too far is sent as a snapshot", "[agent]") {
    Node node;
    node.join();
    node.poll();
    const Revision before = node.last<Report>()->to;
    for (std::uint64_t i = 1; i < 1'100; ++i) {
        node.start(web0, i);
        node.ended(node.last_process(), 0);
        node.stop(web0, i);
    }
    node.poll(before);
    CHECK(node.last<Report>()->kind == ReportKind::snapshot);
}

TEST_CASE("a change is reported without a poll, soon and together with others", "[agent]") {
    Node node;
    node.join();
    node.start(web0, 1);
    node.start(web1, 1);
    CHECK(node.count<Report>() == 0);
    node.pass(30ms);
    REQUIRE(node.count<Report>() == 1);
    const auto report = *node.last<Report>();
    CHECK(report.kind == ReportKind::delta);
    CHECK(report.round == Round{});
    CHECK(report.instances.size() == 2);
    node.pass(500ms);
    CHECK(node.count<Report>() == 1);
}

TEST_CASE("nothing is reported without a poll before the leader has polled", "[agent]") {
    Node node;
    node.join();
    node.welcome();  // A new route, which has received no report.
    node.start(web0, 1);
    node.pass(500ms);
    CHECK(node.count<Report>() == 0);
}

TEST_CASE("an answer carries the load, rounded, outside the revision", "[agent]") {
    Node node;
    node.join();
    node.input(HostObserved{.load_milli = 1'234});
    node.poll();
    const Revision before = node.last<Report>()->to;
    CHECK(node.last<Report>()->host.load_milli == 1'000);
    node.input(HostObserved{.load_milli = 9'876});
    node.poll(before);
    CHECK(node.last<Report>()->kind == ReportKind::same);
    CHECK(node.last<Report>()->host.load_milli == 9'750);
}

TEST_CASE(
    "a poll for another life, or from a coordinator without a welcome, is answered by a hello",
    "[agent]") {
    Node node;
    node.pass(1s);
    node.messages.clear();
    node.poll();
    CHECK(node.count<Report>() == 0);
    CHECK(node.count<Hello>() == 1);
    node.pass(1s);
    node.join();
    node.deliver(Poll{Epoch{5}, Round{1}, Incarnation{99}, {}, {}});
    CHECK(node.count<Report>() == 0);
    CHECK(node.count<Hello>() == 1);
}

// ---- the end ----

TEST_CASE(
    "an agent that is ordered to end stops its tasks, reports them gone and announces its "
    "departure",
    "[agent]") {
    Node node;
    node.join();
    node.start(web0, 1);
    node.pass(100ms);
    node.messages.clear();
    node.input(ShutDown{});
    CHECK_FALSE(node.finished);
    node.pass(1s);  // It does not report each one while it shuts down.
    CHECK(node.count<Report>() == 0);
    REQUIRE(node.ends.size() == 1);
    CHECK(node.state(web0) == "stopping");
    node.start(web1, 1);
    CHECK(node.last<Ack>()->refusals[0].code == Errc::refused);
    node.ended(node.last_process(), 0);
    CHECK(node.finished);
    REQUIRE(node.messages.size() == 3);
    CHECK(std::get<Report>(node.messages[1]).gone == std::vector<InstanceId>{web0});
    CHECK(std::holds_alternative<Departure>(node.messages[2]));

    node.messages.clear();
    node.poll();
    node.deliver(Refused{Errc::hello_required, "", {}, 0});
    CHECK(node.messages.empty());
}

TEST_CASE("a hello says which limits of tasks the host enforces", "[agent]") {
    const std::vector<LimitFact> limits{{"cpu", true, "cgroup v2"}, {"pids", false, "no such"}};
    const Node node{{.limits = limits}};
    REQUIRE(node.last<Hello>());
    CHECK(node.last<Hello>()->limits == limits);
}

// Goal: what a host's rules forbid is not begun, and the coordinator can tell why.
TEST_CASE("a start to which the host objects is refused with its reason", "[agent]") {
    Node node;
    node.join();
    Batch batch = node.start_batch(web0, 3);
    batch.starts.at(0).objection = "its policy does not allow user root";
    node.deliver(batch);
    REQUIRE(node.last<Ack>()->refusals.size() == 1);
    CHECK(node.last<Ack>()->refusals[0].code == Errc::spec_unsupported);
    CHECK(node.last<Ack>()->refusals[0].detail == batch.starts.at(0).objection);
    CHECK(node.state(web0) == "unknown");
    CHECK(node.spawns.empty());
    node.start(web0, 4);
    CHECK(node.spawns.size() == 1);
    // A start that changes nothing is no reason to refuse.
    Batch again = node.start_batch(web0, 4);
    again.starts.at(0).objection = "its policy does not allow user root";
    node.deliver(again);
    CHECK(node.last<Ack>()->refusals.empty());
}

// Goal: a task with a user, in a field that this agent is too old for, never runs as root. Method:
// a spec with such a field, and the same task without it.
TEST_CASE("a start whose spec has a field that the agent does not know is refused", "[agent]") {
    Node node;
    node.join();
    Batch batch = node.start_batch(web0, 3);
    batch.specs.at(0).unknown_key = "seccomp";
    node.deliver(batch);
    REQUIRE(node.last<Ack>()->refusals.size() == 1);
    CHECK(node.last<Ack>()->refusals[0].code == Errc::spec_unsupported);
    CHECK_THAT(node.last<Ack>()->refusals[0].detail, Catch::Contains("'seccomp'"));
    CHECK(node.state(web0) == "unknown");
    CHECK(node.spawns.empty());
    node.start(web0, 4);
    CHECK(node.spawns.size() == 1);
}
