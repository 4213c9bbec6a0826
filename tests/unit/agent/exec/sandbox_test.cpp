// What a task in a sandbox can reach, on real processes.

#include <algorithm>
#include <csignal>
#include <fstream>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/catch.hpp"

#include "agent/exec/launch/sandbox_probe.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/unit/agent/exec/executor_host.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

TaskSpec enclosed(const std::string& text) {
    TaskSpec spec;
    spec.argv = {"/bin/sh", "-c", text};
    spec.sandbox = Sandbox::strict;
    return spec;
}

const LimitFact& sandbox_of(Host& host) {
    const auto& limits = host.executor().limits();
    return *std::ranges::find(limits, "sandbox", &LimitFact::limit);
}

/// The lines that a task prints before it ends well.
std::vector<std::string> printed_inside(Host& host, const TaskSpec& spec) {
    CHECK(host.await<ProcessEnded>(host.spawn(spec)).exit_code == 0);
    return lines(host.output());
}

/// False, with a warning: this host has none, and a task that needs one says so.
bool has_sandbox(Host& host) {
    if (sandbox_of(host).enforced) {
        return true;
    }
    const auto refused = host.await<ProcessNotStarted>(host.spawn(enclosed("exit 0")));
    CHECK(refused.permanent);
    CHECK_THAT(refused.detail, Catch::Contains("no sandbox"));
    WARN("SKIPPED: this host has no sandbox: " << sandbox_of(host).how);
    return false;
}

/// Runs in a child without root, and returns its exit code.
template <class Body>
int as_nobody(const std::string& directory, Body body) {
    if (geteuid() == 0) {
        REQUIRE(chown(directory.c_str(), 65534, 65534) == 0);
    }
    std::signal(SIGCHLD, SIG_DFL);  // A Host of an earlier test ignores it.
    const pid_t child = fork();
    if (child == 0) {
        // A process that changed its user owns its entries in /proc only after this.
        if (geteuid() == 0 &&
            (setgid(65534) != 0 || setuid(65534) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0)) {
            _exit(99);
        }
        _exit(body());
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

// Goal: whatever it runs, such a task changes nothing of its host. Method: try to write at some
// places, in its own directory, and in /tmp, which must not be that of the host.
TEST_CASE("a task in a sandbox can change only its own directory", "[executor][sandbox]") {
    Host host;
    if (!has_sandbox(host)) {
        return;
    }
    const std::string mark = host.base() + "/mark";
    std::ofstream{mark} << "x";
    const auto rows = printed_inside(
        host, enclosed("can() { (: > $1) 2>/dev/null && echo $1 yes || echo $1 no; };"
                       "can /muster-test; can /etc/muster-test; can /usr/muster-test;"
                       "can /run/muster-test; can /dev/null; can file; can ./file;"
                       "cat " +
                       mark +
                       " 2>/dev/null && echo shared || echo own;"
                       "mkdir -p below/it && echo made"));
    CHECK(rows == std::vector<std::string>{"/muster-test no", "/etc/muster-test no",
                                           "/usr/muster-test no", "/run/muster-test no",
                                           "/dev/null yes", "file yes", "./file yes", "own",
                                           "made"});
    CHECK(std::filesystem::exists(host.directory() + "/work/web.0/below/it"));
    CHECK(std::filesystem::exists(mark));
}

// Method: only the loopback interface is there, and it is down. Without a network namespace no
// socket can be made.
TEST_CASE("a task in a sandbox has no network", "[executor][sandbox]") {
    Host host;
    if (!has_sandbox(host)) {
        return;
    }
    const auto rows =
        printed_inside(host, enclosed("python3 -c 'import socket\n"
                                      "try:\n"
                                      "  socket.create_connection((\"127.0.0.1\", 9), 1)\n"
                                      "except OSError as e:\n"
                                      "  print(\"none\" if e.errno in (101, 13) else e)'"));
    CHECK(rows == std::vector<std::string>{"none"});
}

TEST_CASE("a task in a sandbox has its user, its secrets and no privileges",
          "[executor][sandbox]") {
    Host host;
    if (!has_sandbox(host)) {
        return;
    }
    std::filesystem::create_directory(host.base() + "/secrets");
    write_file(host.base() + "/secrets/key", "hidden\n", 0600);
    TaskSpec spec = enclosed(
        "id -u; cat $MUSTER_SECRETS/key; echo > mine && echo wrote;"
        "grep -E '^(NoNewPrivs|CapEff):' /proc/self/status | tr '\\t' ' '");
    spec.secrets = {"key"};
    spec.user = geteuid() == 0 ? "12345" : "";
    CHECK(printed_inside(host, spec) ==
          std::vector<std::string>{geteuid() == 0 ? "12345" : std::to_string(geteuid()), "hidden",
                                   "wrote", "CapEff: 0000000000000000", "NoNewPrivs: 1"});
}

// Goal: a host that lacks one means has the next. Method: each means that this host has, entered by
// a process without root.
TEST_CASE("each means of a sandbox guards files and network", "[executor][sandbox]") {
    using shim::SandboxMethod;
    const auto method = GENERATE(SandboxMethod::user_namespaces, SandboxMethod::landlock);
    CAPTURE(static_cast<int>(method));
    const TemporaryDirectory own;
    REQUIRE(chmod(own.path().c_str(), 0755) == 0);
    const int code = as_nobody(own.path(), [&] {
        const char* step = "";
        if (!shim::enter_sandbox(method, own.path().c_str(), "", step)) {
            return 77;
        }
        const auto can_write = [](const std::string& path) {
            return static_cast<bool>(std::ofstream{path} << "x" << std::flush);
        };
        // A directory that every user may change outside of it.
        const bool leaks = can_write("/dev/shm/muster-test") && method == SandboxMethod::landlock;
        const int talk = socket(AF_INET, SOCK_STREAM, 0);
        const bool has_interface = talk >= 0 && method == SandboxMethod::landlock;
        const int local = socket(AF_UNIX, SOCK_STREAM, 0);
        return (can_write(own.path() + "/file") ? 0 : 1) | (leaks ? 2 : 0) |
               (has_interface ? 4 : 0) | (local < 0 ? 8 : 0) |
               (can_write("/tmp/muster-test") && method == SandboxMethod::landlock ? 16 : 0);
    });
    if (code == 77) {
        WARN("SKIPPED: this host has no "
             << (method == SandboxMethod::landlock ? "Landlock"
                                                   : "user namespaces for a user (no chroot has)"));
        return;
    }
    CHECK(code == 0);
    CHECK_FALSE(std::filesystem::exists("/tmp/muster-test"));
    CHECK_FALSE(std::filesystem::exists("/dev/shm/muster-test"));
}
