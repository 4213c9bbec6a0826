// What an agent writes before it acts, and how its next life uses it; in virtual time.

#include "agent/core/journal.hpp"

#include <csignal>
#include <string>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "tests/unit/agent/core/agent_harness.hpp"

using namespace muster;
using namespace muster::agent;
using namespace muster::agent::testing;

namespace {

/// The image that a journal with these writes has.
JournalImage replayed(const std::vector<JournalWrite>& writes) {
    std::map<InstanceId, InstanceImage> instances;
    JournalImage image;
    for (const auto& write : writes) {
        for (const auto& instance : write.instances) {
            instances.insert_or_assign(instance.report.id, instance);
        }
        for (const auto& id : write.gone) {
            instances.erase(id);
        }
        image.specs.insert(image.specs.end(), write.specs.begin(), write.specs.end());
    }
    for (const auto& [id, instance] : instances) {
        image.instances.push_back(instance);
    }
    return image;
}

/// The next life of a node's agent.
NodeOptions after(const Node& node, bool is_rebooted = false) {
    NodeOptions options;
    options.recovered.journal = replayed(node.journal);
    options.recovered.is_rebooted = is_rebooted;
    return options;
}

TaskSpec once() {
    TaskSpec spec = sleeper();
    spec.restart.policy = RestartPolicy::never;
    return spec;
}

}  // namespace

// Goal: each running process is in the journal. Method: the journal does not answer.
TEST_CASE("a process is made only after the journal has it", "[agent][journal][S15]") {
    Node node{{.journal_answers = false}};
    node.join();
    node.start(web0, 3);
    CHECK(node.spawns.empty());
    REQUIRE(node.journal.size() == 1);
    REQUIRE(node.journal[0].instances.size() == 1);
    CHECK(node.journal[0].instances[0].process == ProcessId{1});
    CHECK(node.journal[0].instances[0].report.state == InstanceState::starting);
    REQUIRE(node.journal[0].specs.size() == 1);
    CHECK(node.journal[0].specs[0].spec == sleeper());
    node.input(Journaled{});
    CHECK(node.spawns.size() == 1);
}

TEST_CASE("an intent that cannot be written is not executed, and is tried again",
          "[agent][journal][SC-21]") {
    Node node{{.journal_answers = false}};
    node.join();
    node.start(web0, 3);
    node.input(JournalFailed{"the disk is full"});
    CHECK(node.spawns.empty());
    CHECK(node.state(web0) == "backoff");
    CHECK(node.instance(web0)->detail ==
          "its start cannot be recorded: the disk is full, starts again after 1s");
    CHECK(node.host().journal_failing);
    node.pass(1s);
    REQUIRE(node.journal.size() == 2);
    node.input(Journaled{});
    CHECK_FALSE(node.host().journal_failing);
    node.pass(1s);
    node.input(Journaled{});
    CHECK(node.spawns.size() == 1);
    CHECK(node.instance(web0)->restarts == 1);
}

// Goal: the outcome of each attempt is in the journal and in the report.
// Method: a missing program, one that fails for good, one that runs long, one that succeeds; check
// what the next life would read.
TEST_CASE("the journal has the outcome of each attempt of an instance", "[agent][journal][SC-21]") {
    const auto reported = [](Node& node) {
        node.poll();
        return node.last<Report>()->instances.at(0);
    };
    const auto written = [](const Node& node) { return replayed(node.journal).instances.at(0); };
    SECTION("it cannot be executed") {
        Node node{{.processes_answer = false}};
        node.join();
        node.start(web0, 3);
        node.input(ProcessNotStarted{ProcessId{1}, true, false, "there is no program 'x'"});
        CHECK(reported(node).state == InstanceState::failed);
        CHECK(reported(node).detail == "there is no program 'x'");
        CHECK(written(node).report.state == InstanceState::failed);
        CHECK(written(node).report.detail == "there is no program 'x'");
        CHECK(written(node).process == ProcessId{});
    }
    SECTION("the last attempt has failed") {
        TaskSpec spec = sleeper();
        spec.restart.max = 2;
        Node node;
        node.join();
        node.start(web0, 3, spec);
        node.ended(ProcessId{1}, 5);
        CHECK(written(node).report.state == InstanceState::backoff);
        CHECK(written(node).report.exit_code == 5);
        node.pass(1s);
        node.ended(ProcessId{2}, 6);
        CHECK(reported(node).state == InstanceState::failed);
        CHECK(written(node).report.state == InstanceState::failed);
        CHECK(written(node).report.exit_code == 6);
        CHECK(written(node).report.restarts == 1);
        CHECK(written(node).process == ProcessId{});
        CHECK(written(node).report == reported(node));
    }
    SECTION("it runs for long") {
        Node node;
        node.join();
        node.start(web0, 3);
        node.pass(24h);
        CHECK(written(node).report.state == InstanceState::running);
        CHECK(written(node).report.started == CivilMs{1'000});
        CHECK(written(node).process == ProcessId{1});
        CHECK(written(node).identity.pid == 77);
        CHECK(written(node).report == reported(node));
    }
    SECTION("it ends successfully") {
        Node node;
        node.join();
        node.start(web0, 3, once());
        const std::size_t before = node.journal.size();
        node.ended(ProcessId{1}, 0);
        node.pass(24h);
        REQUIRE(node.journal.size() == before + 1);
        CHECK(node.journal.back().instances.size() == 1);
        CHECK(written(node).report.state == InstanceState::exited);
        CHECK(written(node).report.exit_code == 0);
        CHECK(written(node).report.exit_signal == 0);
        CHECK(written(node).report == reported(node));
        CHECK_FALSE(node.host().journal_failing);
        CHECK_FALSE(node.host().spawn_failing);
    }
}

TEST_CASE("an instance that is stopped before the journal has it is never made",
          "[agent][journal]") {
    Node node{{.journal_answers = false}};
    node.join();
    node.start(web0, 3);
    node.stop(web0, 3);
    node.input(Journaled{});
    node.input(Journaled{});
    CHECK(node.state(web0) == "unknown");
    CHECK(node.spawns.empty());
    CHECK(node.ends.empty());
    CHECK(replayed(node.journal).instances.empty());
}

// Goal: an end is kept until it is written. Method: the journal answers late.
TEST_CASE("a process is released when the journal has its end", "[agent][journal][SC-21]") {
    Node node{{.journal_answers = false}};
    node.join();
    node.start(web0, 3, once());
    node.input(Journaled{});
    node.input(Journaled{});  // Running.
    node.ended(ProcessId{1}, 7);
    CHECK(node.state(web0) == "exited");
    CHECK(node.releases.empty());
    SECTION("it is written") {
        node.input(Journaled{});
        CHECK(node.releases.size() == 1);
    }
    SECTION("the first write fails") {
        node.input(JournalFailed{"no"});
        CHECK(node.releases.empty());
        CHECK(node.host().journal_failing);
        node.pass(1s);
        node.input(Journaled{});
        CHECK(node.releases.size() == 1);
    }
    const auto image = replayed(node.journal);
    REQUIRE(image.instances.size() == 1);
    CHECK(image.instances[0].report.exit_code == 7);
    CHECK(image.instances[0].process == ProcessId{});
}

// Goal: an instance that was reported gone does not return with the next life. Method: a slow
// journal.
TEST_CASE("an instance is reported gone when the journal has it", "[agent][journal]") {
    Node node{{.journal_answers = false}};
    node.join();
    node.start(web0, 3);
    node.input(Journaled{});
    node.input(Journaled{});
    node.ended(ProcessId{1}, 1);
    node.input(Journaled{});
    REQUIRE(node.state(web0) == "backoff");
    node.stop(web0, 3);
    CHECK(node.state(web0) == "stopping");
    SECTION("it is written") {
        node.input(Journaled{});
        CHECK(node.state(web0) == "unknown");
    }
    SECTION("it cannot be written") {
        node.input(JournalFailed{"no"});
        CHECK(node.state(web0) == "stopping");
    }
    SECTION("it is wanted again in the meantime") {
        node.start(web0, 3);
        node.input(Journaled{});
        node.input(Journaled{});
        CHECK(node.spawns.size() == 2);
    }
}

TEST_CASE("the next life continues what runs, under the same process id", "[agent][journal][S14]") {
    Node first;
    first.join();
    first.start(web0, 3);
    first.pass(1min);
    first.ended(ProcessId{1}, 1);
    first.pass(2s);  // Restarted.

    Node second{after(first)};
    CHECK(second.state(web0) == "running");
    CHECK(second.instance(web0)->restarts == 1);
    CHECK(second.spawns.empty());
    second.join();
    second.poll();
    CHECK(second.last<Report>()->instances.size() == 1);
    second.ended(ProcessId{2}, 1);
    second.pass(1999ms);
    CHECK(second.state(web0) == "backoff");  // It remembers the first end, so the delay is 2 s.
    second.pass(1ms);
    REQUIRE(second.spawns.size() == 1);
    CHECK(second.spawns[0].process == ProcessId{3});
}

TEST_CASE("the next life waits the rest of a back-off, and starts what was due",
          "[agent][journal]") {
    Node first;
    first.join();
    first.start(web0, 3);
    first.ended(ProcessId{1}, 1);
    Node second{after(first)};
    CHECK(second.state(web0) == "backoff");
    second.pass(1s);
    CHECK(second.state(web0) == "running");
}

TEST_CASE("an instance that was never made is made by the next life", "[agent][journal][S6]") {
    Node first{{.journal_answers = false}};
    first.join();
    first.start(web0, 3);
    Node second{after(first)};
    CHECK(second.state(web0) == "starting");
    second.input(ProcessNotStarted{.process = ProcessId{1},
                                   .detail = "its shim ended before it was made",
                                   .never_made = true});
    CHECK(second.state(web0) == "running");
    CHECK(second.instance(web0)->restarts == 0);
    CHECK(second.last_process() == ProcessId{2});
}

// Found by killing an agent before each of its acts: between two of them the end was never ordered.
TEST_CASE("a process that should end is ordered to end again by the next life",
          "[agent][journal][S15]") {
    Node first;
    first.join();
    first.start(web0, 3);
    first.stop(web0, 3);
    REQUIRE(first.ends.size() == 1);
    Node second{after(first)};
    REQUIRE(second.ends.size() == 1);
    CHECK(second.ends[0].process == ProcessId{1});
    CHECK(second.ends[0].number == first.ends[0].number);
    CHECK(second.ends[0].grace == first.ends[0].grace);
}

TEST_CASE("a process that an earlier life ordered to end leaves", "[agent][journal]") {
    Node first{{.journal_answers = false}};
    first.join();
    first.start(web0, 3);
    first.input(Journaled{});
    first.input(Journaled{});
    first.stop(web0, 3);
    auto options = after(first);
    SECTION("as the journal says") {}
    SECTION("as only its shim says") { options.recovered.journal.instances[0].leaving = false; }
    Node second{options};
    second.input(ProcessEnded{.process = ProcessId{1}, .exit_signal = SIGTERM, .by_order = true});
    CHECK(second.state(web0) == "unknown");
    CHECK(second.left == std::vector<InstanceId>{web0});
}

TEST_CASE("an unobserved end is reported as such, and the restart policy holds",
          "[agent][journal]") {
    Node first;
    first.join();
    first.start(web0, 3);
    first.start(web1, 3, once());
    Node second{after(first)};
    second.input(ProcessEnded{.process = ProcessId{1}, .unseen = true});
    CHECK(second.state(web0) == "backoff");
    CHECK(second.instance(web0)->detail == "ended, and it is not known how, starts again after 1s");
    second.input(ProcessEnded{.process = ProcessId{2}, .unseen = true});
    CHECK(second.state(web1) == "exited");
    CHECK(second.instance(web1)->detail == "ended, and it is not known how");
}

// Goal: a job that has ended is not started again because the coordinator has no report of its end.
// Method: a shutdown finds one that has ended, and one whose shim reports only now that it had.
TEST_CASE("a shutdown keeps what has ended by itself", "[agent][journal][S6]") {
    Node first;
    first.join();
    first.start(web0, 3, once());
    first.start(web1, 3, once());
    first.ended(ProcessId{1}, 0);
    first.input(ShutDown{});
    CHECK_FALSE(first.finished);
    SECTION("and completes") {
        const bool is_by_order = GENERATE(false, true);
        first.input(ProcessEnded{.process = ProcessId{2}, .exit_code = 0, .by_order = is_by_order});
        REQUIRE(first.finished);
        CHECK(first.last<Departure>()->instances == 0);
        const Node second{after(first)};
        CHECK(second.state(web0) == "exited");
        CHECK(second.state(web1) == (is_by_order ? "unknown" : "exited"));
    }
    SECTION("and is killed before it completes") {
        Node second{after(first)};
        CHECK(second.ends.size() == 1);
        second.ended(ProcessId{2}, 0);
        CHECK(second.state(web1) == "exited");
    }
    SECTION("and is killed, and the coordinator orders the same again or more") {
        const std::uint64_t generation = GENERATE(3U, 4U);
        Node second{after(first)};
        second.join();
        second.start(web1, generation, once());
        second.ended(ProcessId{2}, 0);
        CHECK(second.spawns.size() == (generation == 3 ? 0U : 1U));
    }
    SECTION("unless the coordinator stops it") {
        Node second{after(first)};
        second.join();
        second.stop(web1, 3);
        second.ended(ProcessId{2}, 0);
        CHECK(second.state(web1) == "unknown");
    }
}

// Goal: after a reboot the agent starts nothing that may already run elsewhere, and no job twice.
TEST_CASE("after a reboot everything is gone, but what has finished stays", "[agent][journal]") {
    const InstanceId done{"done", 0};
    const InstanceId job{"job", 0};
    Node first;
    first.join();
    first.start(web0, 3);
    first.start(web1, 3);
    first.ended(ProcessId{2}, 1);  // In back-off.
    first.start(done, 3, once());
    first.ended(ProcessId{3}, 0);
    first.start(job, 3, once());
    Node second{after(first, true)};
    CHECK(second.state(web0) == "unknown");
    CHECK(second.state(web1) == "unknown");
    CHECK(second.state(done) == "exited");
    CHECK(second.state(job) == "exited");
    CHECK(second.instance(job)->detail ==
          "how it ended is not known: the host restarted while it ran");
    second.pass(1min);
    CHECK(second.spawns.empty());
    CHECK(replayed(second.journal).instances.size() == 2);
    CHECK(second.journal.front().gone.size() == 2);
}

// Method: the host is rebooted before the next attempt, and during it.
TEST_CASE("a command that could not be executed is not tried again after a reboot",
          "[agent][journal]") {
    Node first{{.processes_answer = false}};
    first.join();
    first.start(web0, 3);
    first.input(ProcessNotStarted{ProcessId{1}, true, false, "there is no program 'x'"});
    const bool is_rebooted = GENERATE(true, false);
    Node second{after(first, is_rebooted)};
    CHECK(second.state(web0) == "failed");
    second.pass(1min);
    CHECK(second.spawns.empty() == is_rebooted);
}

// Goal: an agent survives the loss of its state directory. Method: shims report unknown processes.
TEST_CASE("processes found without a journal are adopted", "[agent][journal][S14]") {
    NodeOptions options;
    options.recovered.found = {{ProcessId{9}, web0, Generation{3}, sleeper()}};
    Node node{options};
    CHECK(node.state(web0) == "starting");
    node.input(ProcessStarted{ProcessId{9}, CivilMs{5}, {100, 1}});
    CHECK(node.state(web0) == "running");
    node.join();
    node.start(web0, 3);
    CHECK(node.spawns.empty());
    node.start(web1, 3);
    CHECK(node.last_process() == ProcessId{10});
    node.stop(web0, 3);
    CHECK(node.ends.size() == 1);
    CHECK(replayed(node.journal).specs.size() >= 2);
}

TEST_CASE("no process gets the id of an orphan of an unknown one", "[agent][journal][S14]") {
    NodeOptions options;
    options.recovered.found = {{ProcessId{9}, web0, Generation{3}, sleeper()}};
    options.recovered.last_left = ProcessId{77};
    Node node{options};
    node.join();
    node.start(web1, 3);
    CHECK(node.last_process() == ProcessId{78});
}

TEST_CASE("a second process of a known instance is ended", "[agent][journal]") {
    Node first;
    first.join();
    first.start(web0, 3);
    auto options = after(first);
    options.recovered.found = {{ProcessId{9}, web0, Generation{2}, sleeper()}};
    Node second{options};
    second.pass(1ms);
    REQUIRE(second.ends.size() == 1);
    CHECK(second.ends[0].process == ProcessId{9});
    CHECK(second.ends[0].number == SIGKILL);
    second.input(ProcessStarted{ProcessId{9}, CivilMs{5}, {100, 1}});
    second.input(ProcessEnded{.process = ProcessId{9}, .exit_signal = SIGKILL});
    CHECK(second.releases.size() == 1);
    CHECK(second.state(web0) == "running");
}

// Goal: no instance runs without its spec. Method: a journal that lost its specs, with one running
// instance and one ended one.
TEST_CASE("an instance whose spec the journal lost is ended, and all are reported gone",
          "[agent][journal]") {
    Node first;
    first.join();
    first.start(web0, 3, once());
    first.start(web1, 3, once());
    first.ended(ProcessId{2}, 0);
    REQUIRE(first.state(web1) == "exited");
    NodeOptions options = after(first);
    options.recovered.journal.specs.clear();
    Node second{options};
    second.join();
    CHECK(second.state(web0) == "unknown");
    CHECK(second.state(web1) == "unknown");
    REQUIRE(second.ends.size() == 1);
    CHECK(second.ends.front().process == ProcessId{1});
}

TEST_CASE("a reason that is cut to its bound ends with a whole character",
          "[agent][journal][bounds]") {
    Node node{{.journal_answers = false}};
    node.join();
    node.start(web0, 3);
    std::string reason = "x";
    for (int letters = 0; letters < 100; ++letters) {
        reason += "\u00e9";
    }
    node.input(JournalFailed{reason});
    const std::string detail = node.instance(web0)->detail;
    CHECK(detail.size() == limits::detail_bytes - 1);
    CHECK(detail.ends_with("\u00e9"));
}

TEST_CASE("a process that the kernel killed for memory is reported as out of memory",
          "[agent][supervisor]") {
    Node node;
    node.join();
    node.start(web0, 3);
    ProcessEnded ended{node.last_process(), 0, SIGKILL};
    ended.out_of_memory = true;
    node.input(ended);
    CHECK_THAT(node.instance(web0)->detail,
               Catch::StartsWith("ended by signal 9: it needed more memory than its limit"));
}
