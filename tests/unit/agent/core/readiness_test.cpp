// Whether an agent's host can work: by its check, by creating processes and by its disk.

#include "agent/core/host/readiness.hpp"

#include "tests/catch.hpp"

#include "tests/unit/agent/core/agent_harness.hpp"

using namespace muster;
using namespace muster::agent;
using namespace muster::agent::testing;

namespace {

NodeOptions checked() { return {.check = {.command = {"check", "disk"}, .timeout = 5s}}; }

void check_ends(Node& node, int exit_code, int exit_signal = 0) {
    node.ended(node.checks.back().process, exit_code, exit_signal);
}

/// Reports that the last ordered process was not made because of the host.
void cannot_be_made(Node& node, ProcessId process) {
    node.input(ProcessNotStarted{process, false, true, "out of memory"});
}

}  // namespace

TEST_CASE("an agent without a check is ready, and one with a check until it ends is not",
          "[agent][readiness]") {
    Node plain;
    plain.join();
    CHECK(plain.host(true) == HostFacts{});
    CHECK(plain.checks.empty());

    Node node{checked()};
    node.join();
    REQUIRE(node.checks.size() == 1);
    CHECK(node.checks[0].spec.argv == std::vector<std::string>{"check", "disk"});
    CHECK(node.host().readiness == Readiness::pending);
    check_ends(node, 0);
    CHECK(node.host().readiness == Readiness::passed);
    CHECK(node.host().checks == 1);
}

// Goal: a repaired host is found ready, however long the repair took.
// Method: checks fail repeatedly, each requested by a poll; then one passes.
TEST_CASE("a check that fails is run again by each poll that asks, for ever",
          "[agent][readiness]") {
    Node node{checked()};
    node.join();
    for (std::uint64_t i = 1; i <= 100; ++i) {
        REQUIRE(node.checks.size() == i);
        check_ends(node, 7);
        const HostFacts host = node.host();
        CHECK(host.readiness == Readiness::failed);
        CHECK(host.check_exit == 7);
        CHECK(host.checks == i);
        CHECK(node.checks.size() == i);
        node.poll({}, {}, true);
        node.poll({}, {}, true);  // A check is already running.
    }
    check_ends(node, 0);
    CHECK(node.host().readiness == Readiness::passed);
    CHECK(node.host().check_exit == 0);
}

TEST_CASE("only a leader that is obeyed starts checks", "[agent][readiness]") {
    Node node{checked()};
    node.join();
    check_ends(node, 1);
    node.epoch = Epoch{4};
    node.welcome();
    node.poll({}, {}, true);
    CHECK(node.checks.size() == 1);
}

// Goal: the check sees what an instance left behind, not the state before its end.
// Method: an instance ends while a check runs; that check's result does not count for the end.
TEST_CASE("the end of an instance is followed by a new check", "[agent][readiness]") {
    Node node{checked()};
    node.join();
    node.start(web0, 1);
    node.ended(node.last_process(), 0);
    CHECK(node.checks.size() == 1);
    check_ends(node, 0);
    REQUIRE(node.checks.size() == 2);
    check_ends(node, 0);
    CHECK(node.checks.size() == 2);
    node.pass(2s);  // The instance runs again.
    node.stop(web0, 1);
    CHECK(node.checks.size() == 2);
    node.ended(node.last_process(), -1, 15);
    CHECK(node.checks.size() == 3);
}

TEST_CASE("a check that hangs is killed after its timeout, and has failed", "[agent][readiness]") {
    Node node{checked()};
    node.join();
    node.pass(5s - 1ms);
    CHECK(node.ends.empty());
    node.pass(1ms);
    REQUIRE(node.ends.size() == 1);
    CHECK(node.ends[0].process == node.checks[0].process);
    check_ends(node, -1, 9);
    CHECK(node.host().readiness == Readiness::failed);
    CHECK(node.host().check_exit == -1);
    node.pass(10s);
    CHECK(node.ends.size() == 1);
}

TEST_CASE("a check that cannot be executed has failed, and is not an instance",
          "[agent][readiness]") {
    Node node{checked()};
    node.join();
    node.input(ProcessNotStarted{node.checks[0].process, true, false, "there is no program"});
    const HostFacts host = node.host();
    CHECK(host.readiness == Readiness::failed);
    CHECK(host.check_exit == -1);
    CHECK_FALSE(host.spawn_failing);
    CHECK(node.agent().instances().empty());
    CHECK(node.last<Report>()->instances.empty());
}

TEST_CASE("the hello of an agent shows what the host has for instances", "[agent][readiness]") {
    Offer offer;
    offer.pool = "fast";
    offer.labels = {{"rack", "r7"}};
    Node node{{.offer = offer}};
    CHECK(node.last<Hello>()->offer == offer);
}

TEST_CASE("an agent that ends kills its check, and starts none", "[agent][readiness]") {
    Node node{checked()};
    node.join();
    SECTION("with its instances") { node.input(ShutDown{}); }
    SECTION("without them") { node.input(Leave{}); }
    CHECK(node.ends.size() == 1);
    CHECK_FALSE(node.finished);
    check_ends(node, -1, 9);
    CHECK(node.finished);
    CHECK(node.releases.size() == 1);
    CHECK(node.checks.size() == 1);
}

// Goal: a host that can create processes again reports it, even if nothing waits to start.
// Method: a start fails because of the host and is withdrawn; the agent tries by itself.
TEST_CASE("an agent finds out by itself that its host creates processes again",
          "[agent][readiness]") {
    Node node{{.processes_answer = false}};
    node.join();
    node.start(web0, 1);
    cannot_be_made(node, node.last_process());
    node.stop(web0, 1);
    CHECK(node.host().spawn_failing);
    CHECK(node.checks.empty());
    for (std::size_t i = 1; i <= 3; ++i) {
        node.pass(ReadinessCheck::between_probes);
        REQUIRE(node.checks.size() == i);
        cannot_be_made(node, node.checks.back().process);
        CHECK(node.host().spawn_failing);
    }
    node.pass(ReadinessCheck::between_probes);
    node.input(ProcessStarted{node.checks.back().process, CivilMs{1}});
    check_ends(node, 0);
    CHECK(node.host() == HostFacts{});
    node.pass(10s);
    CHECK(node.checks.size() == 4);
}

// Goal: a repaired disk is noticed, even if nothing new must be persisted.
// Method: one write fails; no message needs another.
TEST_CASE("an agent finds out by itself that its disk can be written again", "[agent][readiness]") {
    Node node{{.disk_answers = false}};
    node.welcome();
    node.poll();
    node.input(Remembered{});
    const std::size_t before = node.memories.size();
    node.start(web0, 1);  // It raises the counter.
    REQUIRE(node.memories.size() == before + 1);
    node.input(RememberFailed{"no space"});
    CHECK(node.host().journal_failing);
    node.pass(1s);
    REQUIRE(node.memories.size() == before + 2);
    CHECK(node.memories.back() == node.agent().memory());
    node.input(RememberFailed{"no space"});
    CHECK(node.host().journal_failing);
    node.pass(1s);
    REQUIRE(node.memories.size() == before + 3);
    node.poll();  // It waits for the write.
    node.input(Remembered{});
    CHECK_FALSE(node.last<Report>()->host.journal_failing);

    node.start(web1, 2000);
    node.input(RememberFailed{"no space"});
    node.pass(500ms);
    node.start(web1, 2000);  // Its write replaces the next trial,
    node.pass(1s);           // whose time then passes.
    node.input(Remembered{});
    CHECK_FALSE(node.host().journal_failing);
    node.pass(10s);
    CHECK(node.memories.size() == before + 5);
}

// Goal: a failure on a host is reported with its real cause.
// Method: the journal cannot write an intent, then it can.
TEST_CASE("a journal that cannot be written is reported with its cause, and blames no process",
          "[agent][journal]") {
    Node node{{.journal_answers = false}};
    node.input(HostObserved{.load_milli = 0, .civil = CivilMs{1'000'000}});
    node.join();
    node.start(InstanceId{"web", 0}, 3);
    node.input(JournalFailed{"/state/journal: No such file or directory"});
    const HostFacts host = node.host();
    CHECK(host.journal_failing);
    CHECK_FALSE(host.spawn_failing);
    CHECK(node.last<Report>()->vitals.trouble == "/state/journal: No such file or directory");
    node.pass(1s);
    node.input(Journaled{});
    static_cast<void>(node.host());
    CHECK(node.last<Report>()->vitals.trouble.empty());
}
