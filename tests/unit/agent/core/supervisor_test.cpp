// The life of instances and their processes; in virtual time.

#include "agent/core/instances/supervisor.hpp"

#include <algorithm>
#include <csignal>
#include <set>
#include <string>

#include "tests/catch.hpp"

#include "agent/core/instances/specs.hpp"
#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"
#include "tests/unit/agent/core/agent_harness.hpp"

using namespace muster;
using namespace muster::agent;
using namespace muster::agent::testing;

namespace {

TaskSpec with_restart(RestartPolicy policy) {
    TaskSpec spec = sleeper();
    spec.restart.policy = policy;
    return spec;
}

}  // namespace

TEST_CASE("a start makes a process of the spec in the message", "[supervisor]") {
    Node node;
    node.join();
    node.start(web0, 3);
    REQUIRE(node.spawns.size() == 1);
    CHECK(node.spawns[0].id == web0);
    CHECK(node.spawns[0].generation == Generation{3});
    CHECK(node.spawns[0].spec == sleeper());
    CHECK(node.state(web0) == "running");
}

TEST_CASE("a start whose spec was never sent is refused until it is sent", "[supervisor]") {
    Node node;
    node.join();
    Batch batch = node.start_batch(web0, 3);
    batch.specs.clear();
    node.deliver(batch);
    REQUIRE(node.last<Ack>()->refusals.size() == 1);
    CHECK(node.last<Ack>()->refusals[0].code == Errc::spec_unknown);
    CHECK(node.last<Ack>()->obeyed == batch.sequence);
    CHECK(node.state(web0) == "unknown");
    node.start(web0, 3);
    CHECK(node.spawns.size() == 1);
    Batch again = node.start_batch({"web", 1}, 3);
    again.specs.clear();  // The agent already has the spec.
    node.deliver(again);
    CHECK(node.spawns.size() == 2);
}

TEST_CASE("an invalid spec is refused with its error", "[supervisor]") {
    Node node;
    node.join();
    TaskSpec spec;
    node.start(web0, 3, spec);
    REQUIRE(node.last<Ack>()->refusals.size() == 1);
    CHECK(node.last<Ack>()->refusals[0].code == Errc::invalid);
    CHECK_THAT(node.last<Ack>()->refusals[0].detail, Catch::Contains("argv"));
}

TEST_CASE("the same or a lower generation changes nothing", "[supervisor]") {
    Node node;
    node.join();
    node.start(web0, 3);
    node.start(web0, 3);
    node.start(web0, 2);
    CHECK(node.spawns.size() == 1);
    CHECK(node.ends.empty());
    node.stop(web0, 2);
    CHECK(node.ends.empty());
    CHECK(node.state(web0) == "running");
}

// Goal: two generations never run at once. Method: the old process takes time to end.
TEST_CASE("a higher generation stops the old process, and starts when it is gone", "[supervisor]") {
    Node node;
    node.join();
    node.start(web0, 3);
    TaskSpec spec = sleeper();
    spec.env["VERSION"] = "2";
    node.start(web0, 4, spec);
    CHECK(node.spawns.size() == 1);
    REQUIRE(node.ends.size() == 1);
    CHECK(node.ends[0].number == SIGTERM);
    CHECK(node.ends[0].grace == 10s);
    CHECK(node.state(web0) == "stopping");
    CHECK(node.instance(web0)->generation == Generation{3});
    node.start(web0, 5, spec);  // Overtakes the fourth.
    CHECK(node.ends.size() == 1);
    node.ended(ProcessId{1}, 0);
    REQUIRE(node.spawns.size() == 2);
    CHECK(node.spawns[1].generation == Generation{5});
    CHECK(node.spawns[1].spec == spec);
    CHECK(node.state(web0) == "running");
    CHECK(node.instance(web0)->restarts == 0);
}

TEST_CASE("a stop of the higher generation leaves nothing to start", "[supervisor]") {
    Node node;
    node.join();
    node.start(web0, 3);
    node.start(web0, 4);
    node.stop(web0, 3);  // Only the old generation.
    SECTION("the new one starts anyway") {
        node.ended(ProcessId{1}, 0);
        CHECK(node.spawns.size() == 2);
    }
    SECTION("unless it is stopped too") {
        node.stop(web0, 4);
        node.ended(ProcessId{1}, 0);
        CHECK(node.spawns.size() == 1);
        CHECK(node.state(web0) == "unknown");
    }
}

TEST_CASE("an instance that leaves and is wanted again starts when its process is gone",
          "[supervisor]") {
    Node node;
    node.join();
    node.start(web0, 3);
    node.stop(web0, 3);
    node.start(web0, 3);
    CHECK(node.state(web0) == "stopping");
    node.ended(ProcessId{1}, 0);
    CHECK(node.spawns.size() == 2);
    CHECK(node.state(web0) == "running");
}

TEST_CASE("stops of a batch are executed before its starts", "[supervisor]") {
    Node node;
    node.join();
    node.start(web0, 3);
    node.ended(ProcessId{1}, 1);  // In back-off, without a process.
    Batch batch = node.start_batch(web0, 4);
    batch.stops.push_back({web0, Generation{4}});
    node.deliver(batch);
    CHECK(node.spawns.size() == 2);
    CHECK(node.state(web0) == "running");
}

TEST_CASE("a stop gives the signal and the grace of the spec, once", "[supervisor]") {
    Node node;
    node.join();
    TaskSpec spec = sleeper();
    spec.stop_signal = "INT";
    spec.grace = 3s;
    node.start(web0, 3, spec);
    node.stop(web0, 3);
    node.stop(web0, 3);
    REQUIRE(node.ends.size() == 1);
    CHECK(node.ends[0].process == ProcessId{1});
    CHECK(node.ends[0].number == SIGINT);
    CHECK(node.ends[0].grace == 3s);
    CHECK(node.state(web0) == "stopping");
    node.ended(ProcessId{1}, -1, SIGKILL);
    CHECK(node.state(web0) == "unknown");
    node.pass(1h);
    CHECK(node.ends.size() == 1);
    CHECK(node.spawns.size() == 1);
}

TEST_CASE("a process that is still being made is stopped at once", "[supervisor]") {
    Node node{{.processes_answer = false}};
    node.join();
    node.start(web0, 3);
    CHECK(node.state(web0) == "starting");
    node.stop(web0, 3);
    CHECK(node.state(web0) == "stopping");
    CHECK(node.ends.size() == 1);
    SECTION("it started before") {
        node.input(ProcessStarted{ProcessId{1}, CivilMs{1}, {7, 7}});
        CHECK(node.state(web0) == "stopping");
        node.ended(ProcessId{1}, 0);
    }
    SECTION("it did not start") {
        node.input(ProcessNotStarted{ProcessId{1}, false, false, "killed"});
    }
    CHECK(node.state(web0) == "unknown");
}

// ---- restarts ----

// Goal: a crash loop slows down and is given up. Method: a process that ends at once, for an hour.
TEST_CASE("restarts are delayed by 1 s, doubled, and given up after ten starts in ten minutes",
          "[supervisor][SC-22]") {
    Node node;
    node.join();
    node.start(web0, 3);
    std::vector<std::int64_t> delays;
    while (node.state(web0) != "failed" && node.spawns.size() < 20) {
        const Instant ended_at = node.now();
        node.ended(node.last_process(), 1);
        const auto spawned = node.spawns.size();
        while (node.state(web0) == "backoff" && node.spawns.size() == spawned) {
            node.pass(1s);
        }
        if (node.state(web0) == "running") {
            delays.push_back(to_ms(node.now() - ended_at) / 1000);
        }
    }
    CHECK(delays == std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64, 128, 256});
    CHECK(node.spawns.size() == 10);
    const auto report = *node.instance(web0);
    CHECK(report.restarts == 9);
    CHECK(report.exit_code == 1);
    CHECK(report.detail == "10 starts within 10m: ended with exit code 1");
    node.pass(24h);
    CHECK(node.spawns.size() == 10);

    node.start(web0, 4);  // A new generation has no history.
    CHECK(node.state(web0) == "running");
    CHECK(node.instance(web0)->restarts == 0);
    CHECK(node.instance(web0)->exit_code == -1);
}

TEST_CASE("the delay never exceeds five minutes, and ten minutes of running reset it",
          "[supervisor]") {
    Node node;
    node.join();
    node.start(web0, 3);
    // Each runs 2 minutes: too long for a crash loop, too short to reset the delay.
    for (int i = 0; i < 15; ++i) {
        node.pass(2min);
        node.ended(node.last_process(), 1);
        REQUIRE(node.state(web0) == "backoff");
        node.pass(5min);
        REQUIRE(node.state(web0) == "running");
    }
    node.pass(10min);
    node.ended(node.last_process(), 1);
    node.pass(999ms);
    CHECK(node.state(web0) == "backoff");
    node.pass(1ms);
    CHECK(node.state(web0) == "running");
}

TEST_CASE("the restart policy decides what happens after an end", "[supervisor]") {
    struct Case {
        RestartPolicy policy;
        int exit_code;
        int exit_signal;
        std::string state;
    };
    const auto given = GENERATE(values<Case>({{RestartPolicy::always, 0, 0, "backoff"},
                                              {RestartPolicy::always, 1, 0, "backoff"},
                                              {RestartPolicy::on_failure, 0, 0, "exited"},
                                              {RestartPolicy::on_failure, 1, 0, "backoff"},
                                              {RestartPolicy::on_failure, -1, 9, "backoff"},
                                              {RestartPolicy::never, 0, 0, "exited"},
                                              {RestartPolicy::never, 1, 0, "exited"}}));
    Node node;
    node.join();
    node.start(web0, 3, with_restart(given.policy));
    node.ended(node.last_process(), given.exit_code, given.exit_signal);
    CHECK(node.state(web0) == given.state);
    CHECK(node.instance(web0)->exit_code == given.exit_code);
    CHECK(node.instance(web0)->exit_signal == given.exit_signal);
}

TEST_CASE("a command that cannot be executed fails at once, with its reason", "[supervisor]") {
    Node node{{.processes_answer = false}};
    node.join();
    node.start(web0, 3);
    node.input(ProcessNotStarted{ProcessId{1}, true, false, "there is no program 'x'"});
    CHECK(node.state(web0) == "failed");
    CHECK(node.instance(web0)->detail == "there is no program 'x'");
    node.pass(29s);
    CHECK(node.spawns.size() == 1);
    node.stop(web0, 3);
    CHECK(node.state(web0) == "unknown");
    node.pass(1h);
    CHECK(node.spawns.size() == 1);
}

// Goal: installing a missing program is enough. Method: it is missing for an hour, during which
// retries are not reported; then it is there.
TEST_CASE("a program that appears later is started, however often it was missing", "[supervisor]") {
    Node node{{.processes_answer = false}};
    node.join();
    node.start(web0, 3);
    const ProcessNotStarted missing{ProcessId{1}, true, false, "there is no program 'x'"};
    node.input(missing);
    node.pass(1s);
    node.messages.clear();
    for (std::uint64_t i = 2; i <= 120; ++i) {
        node.pass(30s);
        REQUIRE(node.spawns.size() == i);
        REQUIRE(node.state(web0) == "failed");
        node.input(ProcessNotStarted{ProcessId{i}, true, false, missing.detail});
    }
    CHECK(std::ranges::none_of(node.messages, [](const AgentMessage& message) {
        const auto* report = std::get_if<Report>(&message);
        return report != nullptr && report->round == Round{};  // A report without a poll.
    }));
    node.pass(30s);
    node.input(ProcessStarted{node.last_process(), CivilMs{1}});
    CHECK(node.state(web0) == "running");
    CHECK(node.instance(web0)->restarts == 0);
    CHECK(node.instance(web0)->detail.empty());
    node.ended(node.last_process(), 1);  // Nothing before counts now.
    CHECK(node.instance(web0)->detail == "ended with exit code 1, starts again after 1s");
}

TEST_CASE("an exclusive instance is not retried where it failed", "[supervisor]") {
    Node node{{.processes_answer = false}};
    node.join();
    TaskSpec spec = sleeper();
    spec.exclusive = true;
    spec.update.max_surge = 0;
    Batch batch = node.start_batch(web0, 3, spec);
    batch.starts[0].lease = boot_ms(node.now() + limits::lease_most);
    batch.starts[0].token = 1;
    node.deliver(batch);
    node.input(ProcessNotStarted{ProcessId{1}, true, false, "there is no program 'x'"});
    node.pass(5min);
    CHECK(node.spawns.size() == 1);
}

// Goal: a host out of memory does not fail its tasks. Method: the host fails far more often than a
// task may.
TEST_CASE("a host that cannot create processes is reported, and the instance is retried",
          "[supervisor]") {
    Node node{{.processes_answer = false}};
    node.join();
    node.start(web0, 3);
    for (int i = 0; i < 30; ++i) {
        node.input(ProcessNotStarted{node.last_process(), false, true, "no memory"});
        REQUIRE(node.state(web0) == "backoff");
        node.poll();
        REQUIRE(node.last<Report>()->host.spawn_failing);
        while (node.state(web0) == "backoff") {
            node.pass(1s);
        }
    }
    node.input(ProcessStarted{node.last_process(), CivilMs{1}});
    node.poll();
    CHECK_FALSE(node.last<Report>()->host.spawn_failing);
}

TEST_CASE("a start that failed because of the host does not count against the instance",
          "[supervisor]") {
    RestartRecord record;
    const RestartRule rule;
    const Instant now{1h};
    for (int i = 0; i < 100; ++i) {
        record.starting(now, rule);
        record.forgive_start();
        REQUIRE(record.after_end(now, rule));
    }
}

// Goal: the shell learns exactly when it can release what it keeps for an instance.
// Method: a replacement, then a stop, an end, and a life that begins and ends at once.
TEST_CASE("an instance has left when its last process is gone and nothing follows",
          "[supervisor]") {
    Node node;
    node.join();
    node.start(web0, 1);
    node.start(web0, 2);
    node.ended(node.last_process(), -1, SIGTERM);
    CHECK(node.left.empty());
    node.ended(node.last_process(), 1);  // In back-off.
    CHECK(node.left.empty());
    node.stop(web0, 2);
    CHECK(node.left == std::vector<InstanceId>{web0});
    Batch both = node.start_batch(web0, 3);
    both.stops.push_back({web0, Generation{2}});
    node.deliver(both);
    CHECK(node.left.size() == 1);
}

TEST_CASE("a stop ends a back-off without a process", "[supervisor]") {
    Node node;
    node.join();
    node.start(web0, 3);
    node.ended(node.last_process(), 1);
    node.stop(web0, 3);
    CHECK(node.state(web0) == "unknown");
    node.pass(1h);
    CHECK(node.spawns.size() == 1);
}

// ---- bounds ----

TEST_CASE("a large batch is started a few processes at a time", "[supervisor]") {
    Node node{{.processes_answer = false}};
    node.join();
    Batch batch = node.batch();
    batch.specs.push_back({"web", Generation{3}, sleeper()});
    for (Ordinal i = 0; i < 100; ++i) {
        batch.starts.push_back({{"web", i}, Generation{3}, digest_of(sleeper())});
    }
    node.deliver(batch);
    CHECK(node.spawns.size() == Processes::spawns_at_once);
    CHECK(node.state({"web", 99}) == "pending");
    for (std::uint64_t i = 1; i <= 100; ++i) {
        node.input(ProcessStarted{ProcessId{i}, CivilMs{1}});
    }
    CHECK(node.spawns.size() == 100);
    CHECK(node.state({"web", 99}) == "running");
}

TEST_CASE("a full node refuses one more instance but not a new generation", "[supervisor]") {
    Node node;
    node.join();
    Batch batch = node.batch();
    batch.specs.push_back({"web", Generation{3}, sleeper()});
    for (Ordinal i = 0; i < limits::instances_per_node + 1; ++i) {
        batch.starts.push_back({{"web", i}, Generation{3}, digest_of(sleeper())});
    }
    node.deliver(batch);
    CHECK(node.spawns.size() == limits::instances_per_node);
    REQUIRE(node.last<Ack>()->refusals.size() == 1);
    CHECK(node.last<Ack>()->refusals[0].code == Errc::too_large);
    node.start(web0, 4);
    CHECK(node.last<Ack>()->refusals.empty());
    CHECK(node.state(web0) == "stopping");
}

// Goal: a report always fits into a message. Method: the longest names and reasons on a full node.
TEST_CASE("a snapshot of a full node fits one message", "[supervisor]") {
    Node node{{.processes_answer = false}};
    node.join();
    const std::string name(limits::name_bytes, 'x');
    Batch batch = node.batch();
    batch.specs.push_back({name, Generation{3}, sleeper()});
    for (Ordinal i = 0; i < limits::instances_per_node; ++i) {
        batch.starts.push_back({.id = {name, i},
                                .generation = Generation{3},
                                .digest = digest_of(sleeper()),
                                .proof = {Incarnation{~std::uint64_t{0}}, Digest{i, 1}}});
    }
    node.deliver(batch);
    for (std::uint64_t i = 1; i <= limits::instances_per_node; ++i) {
        node.input(ProcessNotStarted{ProcessId{i}, true, false, std::string(1'000, 'y')});
    }
    node.poll();
    const auto report = *node.last<Report>();
    REQUIRE(report.instances.size() == limits::instances_per_node);
    CHECK(report.instances.front().detail.size() == limits::detail_bytes);
    std::string bytes;
    codec::encode(AgentMessage{report}, bytes);
    CHECK(bytes.size() < limits::agent_message_bytes);
}

// Goal: specs cannot fill an agent's memory, and instances that run or will run keep theirs.
// Method: more specs arrive than are kept, while one instance runs and waits for its next version.
TEST_CASE("if there are too many specs, unused ones are dropped", "[supervisor][bounds]") {
    Node node;
    node.join();
    TaskSpec later = sleeper();
    later.env["VERSION"] = "2";
    node.start({"db", 0}, 3);
    node.start(web0, 3);
    node.start(web0, 4, later);
    for (std::size_t task = 0; task < Specs::bound; ++task) {
        Batch batch = node.batch();
        batch.specs.push_back({"t" + std::to_string(task), Generation{5}, sleeper()});
        node.deliver(batch);
    }
    const auto knows = [&](const InstanceId& id, const TaskSpec& spec) {
        Batch batch = node.start_batch(id, 4, spec);
        batch.specs.clear();
        node.deliver(batch);
        return node.last<Ack>()->refusals.empty();
    };
    CHECK(knows(web1, later));
    CHECK(knows({"t" + std::to_string(Specs::bound - 1), 0}, sleeper()));
    CHECK_FALSE(knows({"t0", 0}, sleeper()));
}

TEST_CASE("a spec for which there is no room is refused", "[supervisor][bounds]") {
    Specs specs;
    std::set<Specs::Key> used;
    const auto version = [](std::size_t task) {
        return SpecVersion{"t" + std::to_string(task), Generation{1}, sleeper()};
    };
    for (std::size_t task = 0; task < Specs::bound; ++task) {
        REQUIRE(specs.learn(version(task), used));
        used.insert({version(task).task, digest_of(sleeper())});
    }
    const auto refused = specs.learn(version(Specs::bound), used);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().detail == "the agent holds 8192 specs");
    used.erase(used.begin());
    CHECK(specs.learn(version(Specs::bound), used));
}
