#include <csignal>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "agent/core/instances/processes.hpp"
#include "common/base/limits.hpp"
#include "tests/unit/agent/core/agent_harness.hpp"

// Messages of a shim can be lost, so an agent asks again and no instance waits for ever.
namespace muster::agent::testing {
namespace {

constexpr Duration moment = 1ms;

}  // namespace

TEST_CASE("a shim that does not report its process as running is asked again", "[agent][shims]") {
    Node node{{.processes_answer = false}};
    node.join();
    TaskSpec spec = sleeper();
    spec.start_timeout = 20s;
    node.start(web0, 3, spec);
    node.pass(20s + limits::shim_patience - moment);
    CHECK(node.asks.empty());
    node.pass(moment);
    REQUIRE(node.asks.size() == 1);
    CHECK(node.asks[0].process == ProcessId{1});
    CHECK(node.ends.empty());
    CHECK(node.state(web0) == "starting");
    node.pass(2 * limits::shim_patience);
    CHECK(node.asks.size() == 3);

    node.input(ProcessStarted{ProcessId{1}, CivilMs{1}, {7, 7}});
    CHECK(node.state(web0) == "running");
    node.pass(1h);
    CHECK(node.asks.size() == 3);
}

TEST_CASE(
    "a shim that does not report the end of its process is asked, and ordered to end it again",
    "[agent][shims]") {
    Node node;
    node.join();
    TaskSpec spec = sleeper();
    spec.stop_signal = "INT";
    spec.grace = 3s;
    node.start(web0, 3, spec);
    node.pass(1h);
    CHECK(node.asks.empty());
    node.stop(web0, 3);
    node.pass(3s + limits::shim_patience - moment);
    CHECK(node.asks.empty());
    CHECK(node.ends.size() == 1);
    node.pass(moment);
    REQUIRE(node.asks.size() == 1);
    CHECK(node.asks[0].process == ProcessId{1});
    REQUIRE(node.ends.size() == 2);
    CHECK(node.ends[1].process == ProcessId{1});
    CHECK(node.ends[1].number == SIGINT);
    CHECK(node.ends[1].grace == 3s);

    node.ended(ProcessId{1}, -1, SIGKILL);
    CHECK(node.state(web0) == "unknown");
    node.pass(1h);
    CHECK(node.asks.size() == 1);
    CHECK(node.ends.size() == 2);
}

TEST_CASE("an agent that shuts down also asks, and completes", "[agent][shims]") {
    Node node{{.processes_answer = false}};
    node.join();
    node.start(web0, 3);
    node.input(ShutDown{});
    CHECK_FALSE(node.finished);
    node.pass(1min);
    CHECK_FALSE(node.asks.empty());
    CHECK_FALSE(node.finished);
    node.input(ProcessStarted{ProcessId{1}, CivilMs{1}, {7, 7}});
    node.ended(ProcessId{1}, -1, SIGKILL);
    CHECK(node.finished);
}

// Its shim ends it by itself. An order would shorten the time that the lease still allows.
TEST_CASE("a process that leaves with its lease is asked about, and not ordered to end",
          "[agent][shims]") {
    Node node;
    node.join();
    TaskSpec spec = sleeper();
    spec.exclusive = true;
    spec.update.max_surge = 0;
    Batch batch = node.start_batch(web0, 3, spec);
    batch.starts.front().lease = boot_ms(node.now() + 5s);
    batch.starts.front().token = 1;
    node.deliver(batch);
    REQUIRE(node.state(web0) == "running");
    node.pass(1min);
    CHECK(node.state(web0) == "stopping");
    CHECK_FALSE(node.asks.empty());
    CHECK(node.ends.empty());
}

TEST_CASE("the next life asks about what an earlier one left unfinished", "[agent][shims]") {
    const bool leaves = GENERATE(false, true);
    CAPTURE(leaves);
    Node first{{.processes_answer = false}};
    first.join();
    first.start(web0, 3);
    if (leaves) {
        first.stop(web0, 3);
    }
    RecoveredState recovered;
    for (const JournalWrite& write : first.journal) {
        for (const auto& spec : write.specs) {
            recovered.journal.specs.push_back(spec);
        }
        for (const auto& image : write.instances) {
            recovered.journal.instances = {image};
        }
    }
    REQUIRE(recovered.journal.instances.size() == 1);
    Node second{{.recovered = recovered}};
    second.pass(sleeper().grace + limits::shim_patience);
    REQUIRE_FALSE(second.asks.empty());
    CHECK(second.asks[0].process == ProcessId{1});
    CHECK(second.ends.size() == (leaves ? 2 : 0));
}

TEST_CASE("a check whose end is not reported is asked about", "[agent][shims]") {
    Node node{{.check = {.command = {"is-ready"}, .timeout = 3s}}};
    node.join();
    REQUIRE(node.checks.size() == 1);
    const ProcessId check = node.checks[0].process;
    node.input(ProcessStarted{check, CivilMs{1}, {7, 7}});
    node.pass(3s);
    CHECK(node.ends.size() == 1);
    CHECK(node.asks.empty());
    node.pass(limits::shim_patience);
    REQUIRE(node.asks.size() == 1);
    CHECK(node.asks[0].process == check);
    node.input(ProcessEnded{.process = check, .exit_code = 0});
    CHECK(node.host().readiness == Readiness::passed);
}

TEST_CASE("only the last wait for a process counts", "[agent][shims]") {
    const Instant begin{1h};
    ShimWatch watch;
    watch.await(ProcessId{1}, 10s);
    watch.await(ProcessId{2}, 1s);
    CHECK(watch.take_overdue(begin).empty());
    CHECK(watch.next_deadline() == begin + 1s);
    watch.await(ProcessId{2}, 20s);
    watch.on_report(ProcessId{1});
    watch.on_report(ProcessId{3});
    CHECK_FALSE(watch.next_deadline());
    CHECK(watch.take_overdue(begin + 5s).empty());
    CHECK(watch.next_deadline() == begin + 25s);
    CHECK(watch.take_overdue(begin + 25s) == std::vector<ProcessId>{ProcessId{2}});
    CHECK(watch.next_deadline() == begin + 25s + limits::shim_patience);
}

}  // namespace muster::agent::testing
