// Agent calls of operators, which the leader passes to an agent; in virtual time.

#include <csignal>

#include "tests/catch.hpp"

#include "tests/unit/agent/core/agent_harness.hpp"

using namespace muster;
using namespace muster::agent;
using namespace muster::agent::testing;

namespace {

AgentCallStamp stamp(Node& node, std::uint64_t number) {
    return {node.epoch, node.agent().memory().incarnation, AgentCallNumber{number}};
}

}  // namespace

TEST_CASE("a signal goes to running instances, and the answer lists those without a process",
          "[agent][agent_calls]") {
    Node node;
    node.join();
    node.start(web0, 3);
    node.start(web1, 3);
    node.ended(node.last_process(), 1);
    node.deliver(SendSignal{stamp(node, 1), "HUP", {web0, web1, {"db", 7}}});
    REQUIRE(node.signals.size() == 1);
    CHECK(node.signals[0].process == ProcessId{1});
    CHECK(node.signals[0].number == SIGHUP);
    const auto answer = node.last<Signalled>().value();
    REQUIRE(answer.faults.size() == 2);
    CHECK(answer.faults[0] == SignalFault{web1, "it has no process, it is backoff"});
    CHECK(answer.faults[1] == SignalFault{{"db", 7}, "it is no longer on this node"});
}

TEST_CASE("a signal that does not exist is refused", "[agent][agent_calls][bad_input]") {
    Node node;
    node.join();
    node.deliver(SendSignal{stamp(node, 1), "FOO", {web0}});
    CHECK(node.last<AgentCallFailed>().value().code == Errc::invalid);
    CHECK(node.signals.empty());
}

// Goal: a frame that arrives twice, late, or for an earlier life does nothing.
TEST_CASE("an agent call is done once, and only for the leader of this life",
          "[agent][agent_calls][S3]") {
    Node node;
    node.join();
    node.start(web0, 3);
    node.messages.clear();
    node.deliver(SendSignal{stamp(node, 2), "HUP", {web0}});
    node.deliver(SendSignal{stamp(node, 2), "HUP", {web0}});
    node.deliver(SendSignal{stamp(node, 1), "HUP", {web0}});
    CHECK(node.signals.size() == 1);
    CHECK(node.count<Signalled>() == 1);

    auto other = stamp(node, 9);
    other.epoch = Epoch{4};
    node.deliver(SendSignal{other, "HUP", {web0}});
    other = stamp(node, 10);
    other.incarnation = next(other.incarnation);
    node.deliver(SendSignal{other, "HUP", {web0}});
    CHECK(node.signals.size() == 1);
    CHECK(node.count<Signalled>() == 1);
}

// A newer leadership numbers its agent calls from the start.
TEST_CASE("a new leader's first agent call is done", "[agent][agent_calls]") {
    Node node;
    node.join();
    node.start(web0, 3);
    node.deliver(SendSignal{stamp(node, 7), "HUP", {web0}});
    node.epoch = Epoch{6};
    node.leader = {6, 6};
    node.join();
    node.deliver(SendSignal{stamp(node, 1), "HUP", {web0}});
    CHECK(node.signals.size() == 2);
}

TEST_CASE("an agent call of a leader that the agent does not obey is not done",
          "[agent][agent_calls][S3]") {
    Node node{{.memory = {.cluster = ours, .epoch = Epoch{5}, .leader = {5, 5}}}};
    node.cluster = theirs;
    node.join();
    node.deliver(SendSignal{stamp(node, 1), "HUP", {web0}});
    CHECK(node.last<AgentCallFailed>().value().code == Errc::foreign_cluster);
}

TEST_CASE("logs of former instances can be read too, and usage is measured for running ones",
          "[agent][agent_calls]") {
    Node node;
    node.join();
    node.start(web0, 3);
    node.start(web1, 3);
    node.ended(node.last_process(), 1);
    node.deliver(ReadLog{.stamp = stamp(node, 1), .id = {"old", 4}, .from = {}});
    node.deliver(Measure{stamp(node, 2)});
    REQUIRE(node.readings.size() == 2);
    CHECK(std::get<ReadLog>(node.readings[0]).id == InstanceId{"old", 4});
    const auto& roots = std::get<MeasureProcesses>(node.readings[1]).processes;
    REQUIRE(roots.size() == 1);
    CHECK(roots[0].id == web0);
}
