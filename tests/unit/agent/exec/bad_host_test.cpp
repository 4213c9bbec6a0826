// Bad hosts and bad tasks: what an operator sees, and what continues to work. Real processes.

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <string>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/catch.hpp"

#include "agent/exec/launch/process_mark.hpp"
#include "tests/small_disk.hpp"
#include "tests/unit/agent/exec/executor_host.hpp"
#include "tests/unit/agent/exec/own_mounts.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

TaskSpec sh(const std::string& text) {
    TaskSpec spec;
    spec.argv = {"/bin/sh", "-c", text};
    return spec;
}

// A task that waits for permission to continue, and leaves a file when it is finished.
std::string in_two_steps(const std::string& first, const std::string& second) {
    return "trap 'go=1' USR1; " + first +
           "; touch up; while [ -z \"$go\" ]; do sleep 0.01; done; " + second +
           "; touch through; exec sleep 1000";
}

void let_continue(Host& host, ProcessId process) {
    host.until([&] { return fs::exists(host.directory() + "/work/web.0/up"); });
    REQUIRE(::kill(host.pid_of(process), SIGUSR1) == 0);
}

void await_through(Host& host) {
    host.until([&] { return fs::exists(host.directory() + "/work/web.0/through"); });
}

constexpr auto dropped_mark = " bytes were dropped here, the disk did not take them]\n";

/// The sum of the numbers in a file's lines `[muster: N bytes were dropped here...`.
std::uint64_t reported_dropped(const std::string& text) {
    constexpr std::string_view mark = "[muster: ";
    std::uint64_t sum = 0;
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
        sum += std::stoull(text.substr(at + mark.size()));
    }
    return sum;
}

std::uint64_t written_and_dropped(const std::string& text, char written) {
    return static_cast<std::uint64_t>(std::ranges::count(text, written)) + reported_dropped(text);
}

pid_t parent_of(pid_t pid) {
    std::ifstream status{"/proc/" + std::to_string(pid) + "/status"};
    for (std::string word; status >> word;) {
        if (word == "PPid:") {
            pid_t parent = 0;
            status >> parent;
            return parent;
        }
    }
    return 0;
}

std::size_t children_of(pid_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) +
                       "/children"};
    return static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}, ' '));
}

/// A stopped thread, like one that waits for a hanging disk.
class StandingThread {
public:
    explicit StandingThread(pid_t thread) : thread_{thread} {
        stands_ = ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) == 0 &&
                  ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr) == 0 &&
                  waitpid(thread, nullptr, __WALL) == thread;
    }
    ~StandingThread() { let_go(); }
    StandingThread(const StandingThread&) = delete;
    StandingThread& operator=(const StandingThread&) = delete;

    [[nodiscard]] bool stands() const { return stands_; }
    void let_go() {
        if (stands_) {
            ptrace(PTRACE_DETACH, thread_, nullptr, nullptr);
            stands_ = false;
        }
    }

private:
    pid_t thread_;
    bool stands_ = false;
};

// The shim's second thread, which starts with the first byte of output.
pid_t writer_of(pid_t shim) {
    for (const auto& entry : fs::directory_iterator{"/proc/" + std::to_string(shim) + "/task"}) {
        const pid_t thread = std::stoi(entry.path().filename().string());
        if (thread != shim) {
            return thread;
        }
    }
    return 0;
}

}  // namespace

// ---- disks ----

// Goal: a hanging disk delays no task. Method: stop the shim's writer thread; the task writes far
// more than the buffers hold, and finishes.
TEST_CASE("a task continues while its disk hangs, and the loss of output is recorded",
          "[executor][bad-host]") {
    Host host;
    const auto process =
        host.spawn(sh(in_two_steps("echo before", "head -c 8000000 /dev/zero | tr '\\0' x")));
    host.until([&] { return host.output() == "before\n"; });
    StandingThread disk{writer_of(parent_of(host.pid_of(process)))};
    if (!disk.stands()) {
        WARN("SKIPPED: no process may trace another here");
        return;
    }
    let_continue(host, process);
    await_through(host);
    CHECK(host.output() == "before\n");
    disk.let_go();
    host.end(process);
    host.await<ProcessEnded>(process);
    const auto dropped = host.executor().state_of(process)->dropped_bytes;
    CHECK(dropped > 6'000'000);
    CHECK(reported_dropped(host.output()) == dropped);
    CHECK(written_and_dropped(host.output(), 'x') == 8'000'000);
}

TEST_CASE("output after a stalled disk is written after the mark", "[executor][bad-host]") {
    Host host;
    const auto process = host.spawn(
        sh("trap 'head -c 8000000 /dev/zero; touch through' USR1; trap 'echo after' USR2; echo "
           "before; touch up; while :; do sleep 0.01; done"));
    host.until([&] { return host.output() == "before\n"; });
    StandingThread disk{writer_of(parent_of(host.pid_of(process)))};
    if (!disk.stands()) {
        WARN("SKIPPED: no process may trace another here");
        return;
    }
    let_continue(host, process);
    await_through(host);
    disk.let_go();
    host.until([&] { return host.output().ends_with(dropped_mark); });
    REQUIRE(::kill(host.pid_of(process), SIGUSR2) == 0);
    host.until([&] { return host.output().ends_with(dropped_mark + std::string{"after\n"}); });
    CHECK(reported_dropped(host.output()) > 6'000'000);
}

// Method: a file system of 256 KiB for the output; later it grows.
TEST_CASE("on a full disk a task continues, and the loss is recorded when there is room",
          "[executor][bad-host]") {
    Host host;
    const SmallDisk disk{host.directory() + "/logs"};
    if (!disk.mounted()) {
        WARN(SmallDisk::skipped);
        return;
    }
    host.begin({});
    const auto process = host.spawn(sh(in_two_steps("head -c 4000000 /dev/zero", "echo after")));
    host.until([&] { return fs::exists(host.directory() + "/work/web.0/up"); });
    REQUIRE(disk.grow());
    host.until([&] { return written_and_dropped(host.output(), '\0') == 4'000'000; });
    let_continue(host, process);
    await_through(host);
    host.until([&] { return host.output().ends_with("after\n"); });
    const auto reported = reported_dropped(host.output());
    CHECK(reported > 0);
    host.end(process);
    host.await<ProcessEnded>(process);
    CHECK(host.executor().state_of(process)->dropped_bytes == reported);
}

TEST_CASE("a task runs and ends even if none of its output can be written",
          "[executor][bad-host]") {
    Host host;
    const SmallDisk disk{host.directory() + "/logs"};
    if (!disk.mounted() || !disk.make_read_only()) {
        WARN(SmallDisk::skipped);
        return;
    }
    host.begin({});
    const auto process = host.spawn(sh("head -c 4000000 /dev/zero; exit 3"));
    CHECK(host.await<ProcessEnded>(process).exit_code == 3);
    CHECK(host.executor().state_of(process)->dropped_bytes == 4'000'000);
}

// Goal: the end of a task is known even if it cannot be written.
TEST_CASE("the end of a task is reported while its record cannot be written",
          "[executor][bad-host]") {
    Host host;
    const SmallDisk disk{host.directory() + "/ends"};
    if (!disk.mounted() || !disk.make_read_only()) {
        WARN(SmallDisk::skipped);
        return;
    }
    host.begin({});
    const auto process = host.shell("exec sleep 1000");
    host.await<ProcessStarted>(process);
    const pid_t shim = parent_of(host.pid_of(process));
    host.end(process, SIGTERM, 20s);
    host.until([&] { return host.executor().state_of(process)->phase == shim::Phase::ended; });
    CHECK(host.executor().state_of(process)->exit_signal == SIGTERM);
    CHECK_FALSE(host.executor().state_of(process)->is_recorded);
    // The shim keeps it for the next agent.
    host.begin({});
    host.until([&] { return host.executor().state_of(process)->exit_signal == SIGTERM; });
    host.executor().release({process});
    host.until([&] { return ::kill(shim, 0) != 0; });
}

TEST_CASE("a working directory that cannot be created is the host's fault",
          "[executor][bad-host]") {
    Host host;
    const SmallDisk disk{host.directory() + "/work"};
    if (!disk.mounted() || !disk.make_read_only()) {
        WARN(SmallDisk::skipped);
        return;
    }
    const auto refused = host.await<ProcessNotStarted>(host.shell("exit 0"));
    CHECK(refused.host_at_fault);
    CHECK(refused.detail == "its directory work/web.0 cannot be made: Read-only file system");
    TaskSpec spec = sh("exit 4");
    CHECK(host.await<ProcessNotStarted>(host.spawn(spec)).host_at_fault);
}

TEST_CASE("a missing directory for sockets is the host's fault", "[executor][bad-host]") {
    Host host;
    fs::remove_all(host.sockets());
    const auto refused = host.await<ProcessNotStarted>(host.shell("exit 0"));
    CHECK(refused.host_at_fault);
    CHECK(refused.detail == "a socket for its shim cannot be made: No such file or directory");
}

// ---- what a host lacks ----

TEST_CASE("a task with limits runs without them on a host without cgroups",
          "[executor][bad-host]") {
    OwnMounts mounts;
    if (!mounts.hide_cgroups()) {
        WARN(OwnMounts::skipped);
        return;
    }
    Host host;
    for (const LimitFact& fact : host.executor().limits()) {
        CHECK((fact.limit == "sandbox" ||
               fact.how == "this host shows no cgroup with a controller for it"));
    }
    TaskSpec spec = sh("exit 3");
    spec.limits = {1'000, 64U << 20U, 10};
    CHECK(host.await<ProcessEnded>(host.spawn(spec)).exit_code == 3);
}

TEST_CASE("a shim that cannot be executed is named", "[executor][bad-host]") {
    Host host;
    Executor executor{LauncherOptions{.node = "n1",
                                      .offer = {},
                                      .state = host.directory(),
                                      .sockets = host.sockets(),
                                      .shim = "/no/such/muster-shim",
                                      .home_directory = "/",
                                      .secrets = host.base() + "/secrets",
                                      .secrets_place = host.base() + "/copies",
                                      .passed = {}}};
    REQUIRE(executor.open());
    executor.spawn({ProcessId{99}, {"web", 0}, Generation{7}, sh("exit 0")});
    const auto events = executor.adopt(Host::time(), {}, 0s).empty()
                            ? executor.collect(Host::time())
                            : std::vector<ProcessEvent>{};
    REQUIRE(events.size() == 1);
    CHECK(std::get<ProcessNotStarted>(events[0]).detail ==
          "its shim /no/such/muster-shim cannot be executed: No such file or directory");
    CHECK(std::get<ProcessNotStarted>(events[0]).host_at_fault);
    CHECK(fs::is_empty(host.sockets()));
}

// Goal: an operator who installs a missing program need do nothing more.
TEST_CASE("a program that appears later is found by the next attempt", "[executor][bad-host]") {
    Host host;
    TaskSpec spec;
    spec.argv = {host.base() + "/program"};
    const auto refused = host.await<ProcessNotStarted>(host.spawn(spec));
    CHECK(refused.permanent);
    CHECK(refused.detail == host.base() + "/program cannot be executed: No such file or directory");
    write_file(host.base() + "/program", "#!/bin/sh\nexit 3\n", 0755);
    CHECK(host.await<ProcessEnded>(host.spawn(spec)).exit_code == 3);
}

// ---- bad tasks ----

// Method: a thousand children end and are not reaped; then the shim inherits a thousand.
TEST_CASE("a thousand zombies delay nothing, and end with their task", "[executor][bad-host]") {
    Host host;
    TaskSpec spec;
    spec.argv = {"perl", "-e", "$| = 1; for (1..1000) { fork or exit } print \"up\\n\"; sleep"};
    const auto kept = host.spawn(spec);
    host.until([&] { return host.output() == "up\n"; });
    CHECK(host.await<ProcessEnded>(host.spawn(sh("exit 3"), {"web", 1})).exit_code == 3);
    host.end(kept, SIGTERM, 20s);
    CHECK(host.await<ProcessEnded>(kept).exit_signal == SIGTERM);

    spec.argv.back() =
        "$| = 1; for (1..1000) { unless (fork) { fork; exit } wait } print \"up\\n\"; sleep";
    const auto orphans = host.spawn(spec, {"web", 2});
    host.until([&] { return host.text("logs/web.2.out") == "up\n"; });
    const pid_t shim = parent_of(host.pid_of(orphans));
    host.until([&] { return children_of(shim) == 1; });
    host.end(orphans);
    host.await<ProcessEnded>(orphans);
}

// Method: 1 GB in one line, with the default output bound of a task.
TEST_CASE("a line of a gigabyte fills no disk and no memory", "[executor][bad-host]") {
    Host host;
    const auto process = host.spawn(sh("head -c 1000000000 /dev/zero; echo; echo end"));
    CHECK(host.await<ProcessEnded>(process).exit_code == 0);
    CHECK(host.output().size() <= 8U << 20U);
    CHECK(host.text("logs/web.0.out.1").size() <= 8U << 20U);
    // A disk that is slow at that moment has the mark there.
    CHECK((host.output().ends_with("\nend\n") || host.output().ends_with(dropped_mark)));
}

TEST_CASE("output is kept as it is, whatever its bytes", "[executor][bad-host]") {
    Host host;
    const auto process = host.shell("printf '\\377\\376\\000\\033[31m\\303('");
    host.await<ProcessEnded>(process);
    CHECK(host.output() == std::string{"\377\376\0\033[31m\303(", 10});
}
