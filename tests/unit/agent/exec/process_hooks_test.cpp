// Hooks before and after a task's process, on real processes.

#include <csignal>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/agent/exec/executor_host.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

TaskSpec with_hooks(const std::string& before, const std::string& program,
                    const std::string& after) {
    TaskSpec spec;
    spec.argv = {"/bin/sh", "-c", program};
    if (!before.empty()) {
        spec.pre_start = {"/bin/sh", "-c", before};
    }
    if (!after.empty()) {
        spec.post_stop = {"/bin/sh", "-c", after};
    }
    return spec;
}

constexpr auto print_ending = "echo code $MUSTER_EXIT_CODE signal $MUSTER_EXIT_SIGNAL";

}  // namespace

TEST_CASE("pre_start ends before the program begins, and post_stop runs after its end",
          "[executor][hooks]") {
    Host host;
    const auto process =
        host.spawn(with_hooks("echo before", "echo program; exit 3", print_ending));
    CHECK(host.await<ProcessEnded>(process).exit_code == 3);
    CHECK(lines(host.output()) == std::vector<std::string>{"before", "program", "code 3 signal 0"});
}

TEST_CASE("post_stop learns which signal ended the program", "[executor][hooks]") {
    Host host;
    const auto process = host.spawn(with_hooks("", "exec sleep 1000", print_ending));
    host.await<ProcessStarted>(process);
    host.end(process, SIGTERM, 20s);
    CHECK(host.await<ProcessEnded>(process).exit_signal == SIGTERM);
    CHECK(host.output() == "code -1 signal 15\n");
}

// Goal: a failure of pre_start is not mistaken for a failure of the program.
TEST_CASE("a pre_start that fails is the reason why the program did not start",
          "[executor][hooks]") {
    Host host;
    const auto fails = [&](const TaskSpec& spec) {
        const auto refused = host.await<ProcessNotStarted>(host.spawn(spec));
        CHECK_FALSE(refused.permanent);
        CHECK_FALSE(refused.host_at_fault);
        return refused.detail;
    };
    CHECK(fails(with_hooks("exit 3", "echo program", "")) ==
          "its pre_start ended with exit code 3");
    CHECK(fails(with_hooks("kill -9 $$", "echo program", "")) ==
          "its pre_start was ended by signal 9");
    CHECK(host.output().empty());
    // What pre_start began is cleaned up.
    CHECK_THAT(fails(with_hooks("exit 4", "echo program", print_ending)),
               Catch::Contains("exit code 4"));
    host.until([&] { return host.output() == "code 4 signal 0\n"; });
}

TEST_CASE("a hook whose program is missing is named", "[executor][hooks]") {
    Host host;
    TaskSpec spec = with_hooks("", "exit 0", "");
    spec.post_stop = {"no-such-program"};
    const auto refused = host.await<ProcessNotStarted>(host.spawn(spec));
    CHECK(refused.permanent);
    CHECK_THAT(refused.detail,
               Catch::Contains("its post_stop: there is no program 'no-such-program'"));
    spec = with_hooks("", "exit 0", "");
    spec.pre_start = {"/no/such/program"};
    const auto missing = host.await<ProcessNotStarted>(host.spawn(spec));
    CHECK(missing.permanent);
    CHECK(missing.detail == "its pre_start cannot be executed: No such file or directory");
}

TEST_CASE("a program that does not start within its start_timeout is ended", "[executor][hooks]") {
    Host host;
    TaskSpec spec = with_hooks("sleep 1000 & sleep 1000", "echo program", "");
    spec.start_timeout = 50ms;
    const auto late = host.await<ProcessNotStarted>(host.spawn(spec));
    CHECK_FALSE(late.permanent);
    CHECK(late.detail == "it did not start within its start_timeout");
    spec.pre_start.clear();
    spec.start_timeout = 10s;  // A program that starts in time can continue.
    CHECK(host.await<ProcessEnded>(host.spawn(spec)).exit_code == 0);
}

TEST_CASE("a stop while pre_start runs ends it, and the program never begins",
          "[executor][hooks]") {
    Host host;
    const auto process = host.spawn(with_hooks("echo up; exec sleep 1000", "echo program", ""));
    host.until([&] { return host.output() == "up\n"; });
    host.end(process, SIGTERM, 20s);
    CHECK(host.await<ProcessNotStarted>(process).detail == "its pre_start was ended by signal 9");
    CHECK(host.output() == "up\n");
}

TEST_CASE("a post_stop that does not end is ended", "[executor][hooks]") {
    Host host{{.post_stop = 50ms}};
    const auto process =
        host.spawn(with_hooks("", "exit 5", "echo cleaning; setsid sleep 1000 & sleep 1000"));
    CHECK(host.await<ProcessEnded>(process).exit_code == 5);
    CHECK(host.output() == "cleaning\n");
}

// Goal: a task is cleaned up without an agent, too. Method: the agent leaves, the task ends; the
// next agent learns how.
TEST_CASE("post_stop also runs while no agent is running", "[executor][hooks]") {
    Host host;
    const auto process = host.spawn(with_hooks("", "exec sleep 1000", print_ending));
    host.await<ProcessStarted>(process);
    const pid_t pid = host.pid_of(process);
    host.leave();
    REQUIRE(::kill(pid, SIGTERM) == 0);
    while (host.output() != "code -1 signal 15\n") {
        sched_yield();
    }
    host.begin({});
    CHECK(host.await<ProcessEnded>(process).exit_signal == SIGTERM);
}

// Method: the task writes once and then nothing more, so only time removes its output.
TEST_CASE("output that is older than a task's max_age is removed", "[executor][hooks]") {
    Host host;
    TaskSpec spec = with_hooks("", "echo old; exec sleep 1000", "");
    spec.log.max_age = 200ms;
    host.spawn(spec);
    host.until([&] { return host.text("logs/web.0.out.1") == "old\n"; });
    CHECK(host.output().empty());
    host.until([&] { return !fs::exists(host.directory() + "/logs/web.0.out.1"); });
}
