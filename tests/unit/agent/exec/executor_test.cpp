#include "agent/exec/executor.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <string>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/catch.hpp"

#include "agent/exec/launch/process_mark.hpp"
#include "tests/unit/agent/exec/executor_host.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

bool alive(const std::string& pid) { return ::kill(std::stoi(pid), 0) == 0; }

std::size_t open_files() {
    const fs::directory_iterator files{"/proc/self/fd"};
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

/// Another process that traces one as strace does: the tracer learns of the end first, and the
/// parent when the tracer is gone. Create it before its tracee, so that it has no file of the
/// executor.
class Tracer {
public:
    Tracer() {
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk_.data()) == 0);
        pid_ = fork();
        if (pid_ == 0) {
            close(talk_[0]);
            trace(talk_[1]);
            _exit(0);
        }
        close(talk_[1]);
    }
    ~Tracer() { let_go(); }
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;

    /// False: tracing is not allowed.
    [[nodiscard]] bool attach(pid_t pid) const {
        REQUIRE(write(talk_[0], &pid, sizeof pid) == sizeof pid);
        return receives('y');
    }
    [[nodiscard]] bool sees_the_end() const { return receives('e'); }
    void let_go() {
        if (pid_ > 0) {
            close(talk_[0]);
            pid_ = 0;
        }
    }

private:
    static void trace(int talk) {
        pid_t pid = 0;
        siginfo_t ended = {};
        if (read(talk, &pid, sizeof pid) != sizeof pid) {
            return;
        }
        const bool traces = ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0;
        static_cast<void>(write(talk, traces ? "y" : "n", 1));
        if (traces && waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT) == 0) {
            static_cast<void>(write(talk, "e", 1));
        }
        static_cast<void>(read(talk, &pid, 1));  // Until let_go().
    }
    [[nodiscard]] bool receives(char expected) const {
        char received = 0;
        return read(talk_[0], &received, 1) == 1 && received == expected;
    }

    std::array<int, 2> talk_{};
    pid_t pid_ = 0;
};

}  // namespace

// Goal: reports say how a process ended. Method: let it exit, and let a signal end it.
TEST_CASE("the end of a process is reported with its exit code or its signal", "[executor]") {
    Host host;
    const auto exits = host.shell("exit 7");
    CHECK(host.await<ProcessStarted>(exits).at > CivilMs{1'000'000'000'000});
    const auto exited = host.await<ProcessEnded>(exits);
    CHECK(exited.exit_code == 7);
    CHECK(exited.exit_signal == 0);

    const auto dies = host.shell("kill -USR1 $$; sleep 100");
    const auto killed = host.await<ProcessEnded>(dies);
    CHECK(killed.exit_code == -1);
    CHECK(killed.exit_signal == SIGUSR1);
}

// Goal: a process gets a stop signal before the kill. Method: one obeys TERM, one ignores it.
TEST_CASE("a process that ignores its stop signal is still ended by the kill", "[executor]") {
    Host host;
    const auto polite = host.shell("trap 'exit 3' TERM; echo up; while :; do sleep 0.01; done");
    host.until([&] { return host.output() == "up\n"; });
    host.end(polite, SIGTERM, 20s);
    const auto obeyed = host.await<ProcessEnded>(polite);
    CHECK(obeyed.exit_code == 3);
    CHECK(obeyed.by_order);

    const auto stubborn = host.shell("trap '' TERM; echo up; while :; do sleep 0.01; done");
    host.until([&] { return host.output() == "up\nup\n"; });
    host.end(stubborn, SIGTERM, 50ms);
    CHECK(host.await<ProcessEnded>(stubborn).exit_signal == SIGKILL);
}

// Goal: strace on a task neither ends the agent nor makes it busy-loop.
// Method: kill a traced process; its tracer knows the end and keeps it, and releases it an hour
// later.
TEST_CASE("the end of a traced process is reported when its tracer releases it", "[executor]") {
    Tracer tracer;
    Host host;
    const auto process = host.shell("exec sleep 1000");
    host.await<ProcessStarted>(process);
    if (!tracer.attach(host.pid_of(process))) {
        WARN("SKIPPED: no process may trace another here");
        return;
    }
    host.end(process);
    REQUIRE(tracer.sees_the_end());
    host.until([&] {
        CHECK(host.executor().collect(host.time()).empty());
        pollfd ready{host.executor().fd(), POLLIN, 0};
        return ::poll(&ready, 1, 20) == 0;
    });
    tracer.let_go();
    CHECK(host.await<ProcessEnded>(process).exit_signal == SIGKILL);
}

// Goal: the agent blocks and ignores signals, tasks must not. Method: read the child's own masks.
TEST_CASE("a process has every signal at its default and none blocked", "[executor]") {
    std::signal(SIGHUP, SIG_IGN);
    Host host;
    TaskSpec spec;
    spec.argv = {"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"};
    host.await<ProcessEnded>(host.spawn(spec));
    std::signal(SIGHUP, SIG_DFL);
    // Signals 32 and 33 are the C library's own. Up to version 2.36 a process that it spawns
    // ignores them.
    const std::string none = "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n";
    const std::string own = "SigBlk:\t0000000000000000\nSigIgn:\t0000000180000000\n";
    CHECK((host.output() == none || host.output() == own));
}

// Goal: nothing of a stopped task keeps running. Method: a child in the group, one in its own
// session, and a daemon that forked twice, then the end of the main process.
TEST_CASE("the end of a process is reported when its whole tree is gone", "[executor]") {
    Host host;
    const auto process = host.shell(
        "sleep 1000 & echo $!\n"
        "setsid sh -c 'echo $$; sleep 1000 & echo $!; wait' &\n"
        "(setsid sh -c 'setsid sleep 1000 & echo $!' &)\n"
        "exec sleep 1000");
    host.until([&] { return lines(host.output()).size() == 4; });
    const auto members = lines(host.output());
    CHECK(std::all_of(members.begin(), members.end(), alive));

    SECTION("after a stop signal") { host.end(process, SIGTERM, 20s); }
    SECTION("after a kill") { host.end(process); }
    host.await<ProcessEnded>(process);
    CHECK(std::none_of(members.begin(), members.end(), alive));
}

TEST_CASE("a daemon of a task lives as long as the task's main process", "[executor]") {
    Host host;
    const auto process =
        host.shell("(setsid sh -c 'echo $$; exec sleep 1000' &) ; exec sleep 1000");
    host.until([&] { return lines(host.output()).size() == 1; });
    const auto daemon = lines(host.output()).front();
    CHECK(alive(daemon));
    host.end(process);
    host.await<ProcessEnded>(process);
    CHECK_FALSE(alive(daemon));
}

// Goal: a task inherits nothing. Method: compare the whole environment.
TEST_CASE("a process has exactly the listed environment", "[executor]") {
    Host host;
    TaskSpec spec;
    spec.argv = {"env"};
    spec.env = {{"GREETING", "hello world"}, {"LANG", "de_DE.UTF-8"}};
    const auto process = host.spawn(spec, {"web", 0});
    host.await<ProcessEnded>(process);
    auto found = lines(host.output());
    std::sort(found.begin(), found.end());
    const std::string mark =
        "MUSTER_PROCESS=" + home_of(host.directory()) + '/' + std::to_string(raw(process));
    CHECK(found == std::vector<std::string>{
                       "GREETING=hello world", "HOME=/home/x", "LANG=de_DE.UTF-8",
                       "MUSTER_GENERATION=7", "MUSTER_INSTANCE=web.0", "MUSTER_NODE=n1",
                       "MUSTER_ORDINAL=0", mark, "MUSTER_TASK=web",
                       "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"});
}

TEST_CASE("arguments reach the program unchanged, without a shell", "[executor]") {
    Host host;
    TaskSpec spec;
    spec.argv = {"printf", "%s|", "a b", "$HOME", "*", "", "'\"; echo x"};
    host.await<ProcessEnded>(host.spawn(spec));
    CHECK(host.output() == "a b|$HOME|*||'\"; echo x|");
}

// Method: open one more file that the program could inherit, and list its files. ls opens the
// fourth itself.
TEST_CASE("a process has no open file but its standard ones", "[executor]") {
    const FileDescriptor leak{open("/dev/null", O_RDONLY)};
    REQUIRE(leak.is_open());
    Host host;
    TaskSpec spec;
    spec.argv = {"ls", "/proc/self/fd"};
    host.await<ProcessEnded>(host.spawn(spec));
    CHECK(host.output() == "0\n1\n2\n3\n");
}

TEST_CASE("standard input is empty, and output goes to two files that grow", "[executor]") {
    Host host;
    for (int i = 0; i < 2; ++i) {
        host.await<ProcessEnded>(host.shell("cat; echo out; echo err >&2"));
    }
    CHECK(host.output() == "out\nout\n");
    CHECK(host.text("logs/web.0.err") == "err\nerr\n");
}

TEST_CASE("a process works in the directory of its spec, or in one of its own", "[executor]") {
    Host host;
    host.await<ProcessEnded>(host.shell("pwd -P"));
    TaskSpec spec;
    spec.argv = {"/bin/sh", "-c", "pwd -P"};
    spec.workdir = "/usr";
    host.await<ProcessEnded>(host.spawn(spec));
    const auto own = fs::canonical(host.directory()) / "work/web.0";
    CHECK(lines(host.output()) == std::vector<std::string>{own.string(), "/usr"});
}

// Goal: a command that can never work is not retried, and its reason names what is missing.
// Method: each kind of command that cannot be executed.
TEST_CASE("a command that cannot be executed is refused for good, with its reason", "[executor]") {
    Host host;
    const std::string here = host.directory() + '/';
    write_file(here + "plain", "echo hello\n", 0755);
    write_file(here + "locked", "#!/bin/sh\n", 0644);
    write_file(here + "lost", "#!/no/such/interpreter\n", 0755);
    struct Case {
        std::string program;
        std::string workdir;
        std::string reason;
    };
    const std::vector<Case> cases{
        {"no-such-program", "", "there is no program 'no-such-program'"},
        {"/no/such/program", "", "/no/such/program cannot be executed: No such file"},
        {here + "plain", "", "plain is not a program; a script begins with #!"},
        {here + "locked", "", "locked cannot be executed: Permission denied"},
        {here + "lost", "", "lost names an interpreter that does not exist"},
        {"/tmp", "", "/tmp cannot be executed: Permission denied"},
        {"true", "/no/such/place", "the working directory /no/such/place cannot be used"},
        {"true", here + "plain", "plain is not a directory"}};
    for (const Case& wrong : cases) {
        CAPTURE(wrong.program, wrong.workdir);
        TaskSpec spec;
        spec.argv = {wrong.program};
        spec.workdir = wrong.workdir;
        const auto refused = host.await<ProcessNotStarted>(host.spawn(spec));
        CHECK(refused.permanent);
        CHECK_FALSE(refused.host_at_fault);
        CHECK_THAT(refused.detail, Catch::Contains(wrong.reason));
    }
}

TEST_CASE("a host that cannot create a process is distinguished from a bad command", "[executor]") {
    Host host;
    fs::remove_all(host.directory() + "/work");
    const auto refused = host.await<ProcessNotStarted>(host.shell("exit 0"));
    CHECK_FALSE(refused.permanent);
    CHECK(refused.host_at_fault);
    CHECK(refused.detail == "its directory work/web.0 cannot be made: No such file or directory");
}

// Goal: nothing is left behind. Method: count files, processes and shim files before and after.
TEST_CASE("two hundred processes leave no process and no open file behind", "[executor]") {
    Host host;
    const auto first = host.shell("exit 0");
    host.await<ProcessEnded>(first);
    host.executor().release({first});
    const auto files = open_files();
    std::vector<ProcessId> crowd;
    for (std::uint32_t i = 0; i < 200; ++i) {
        TaskSpec spec;
        spec.argv = {"sleep", i % 2 == 0 ? "1000" : "0.01"};
        crowd.push_back(host.spawn(spec, {"crowd", i}));
    }
    for (const auto process : crowd) {
        host.await<ProcessStarted>(process);
        host.end(process);
    }
    for (const auto process : crowd) {
        host.await<ProcessEnded>(process);
        host.executor().release({process});
    }
    CHECK(open_files() == files);
    CHECK(fs::is_empty(host.sockets()));
    const auto home = home_of(host.directory());
    host.until([&] { return processes_of_home(home).empty(); });
    CHECK(fs::is_empty(host.directory() + "/ends"));
}

// Method: release processes as soon as they have ended, while their shims write the record.
TEST_CASE("processes that are released at once leave no record of their ends", "[executor]") {
    Host host;
    std::vector<ProcessId> processes(8);
    for (ProcessId& process : processes) {
        process = host.shell("exit 0");
    }
    for (const ProcessId process : processes) {
        host.until(
            [&] { return host.executor().state_of(process)->phase == muster::shim::Phase::ended; });
        host.executor().release({process});
    }
    host.until([&] { return processes_of_home(home_of(host.directory())).empty(); });
    CHECK(fs::is_empty(host.directory() + "/ends"));
}

TEST_CASE("an order for a process that has ended does nothing", "[executor]") {
    Host host;
    const auto process = host.shell("exit 0");
    host.await<ProcessEnded>(process);
    host.end(process);
    host.executor().signal(process, SIGTERM);
    host.executor().release({process});
    host.end(process);
    CHECK(host.executor().state_of(process) == nullptr);
}

TEST_CASE("a mark reads back what was written and nothing else", "[executor]") {
    const ProcessMark mark{"8-1234", ProcessId{99}};
    CHECK(parse_process_mark(to_string(mark)) == mark);
    for (const char* bad : {"", "/", "//", "8-1", "8-1/xyz", "8-1/", "8-1/1/2"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_process_mark(bad));
    }
}

// Goal: processes of unknown owner do not delay the end of other tasks.
// Method: a task starts processes that leave it without an environment, one after the other;
// another task ends.
TEST_CASE("a stream of processes without an environment delays no end", "[executor]") {
    Host host;
    host.shell("while :; do (env -i setsid sleep 1 &); echo .; sleep 0.05; done");
    host.until([&] { return host.output().size() > 20; });
    CHECK(host.await<ProcessEnded>(host.shell("exit 3")).exit_code == 3);
}

// Goal: an order of an agent that died at once is either done or known not to be done.
// Method: the shim continues only when the next agent already waits for it.
TEST_CASE("an order that its shim has not read yet survives the agent", "[executor]") {
    Host host{{.patience = 1ms}};
    host.halt_shims();
    const auto process = host.shell("exit 3");
    const pid_t shim = host.halted_shim();
    host.leave();

    InstanceImage image;
    image.report.id = {"web", 0};
    image.process = process;
    JournalImage journal;
    journal.instances = {image};
    REQUIRE(host.begin(journal).empty());
    REQUIRE(::kill(shim, SIGCONT) == 0);
    host.await<ProcessStarted>(process);
    CHECK(host.await<ProcessEnded>(process).exit_code == 3);
}

// Goal: a process that reused a pid gets no signal.
// Method: the earlier life's journal has a foreign process's pid with another start time.
TEST_CASE("a foreign process with the pid of an ended one is left alone", "[executor][S14]") {
    Host host;
    host.leave();
    const pid_t stranger = fork();
    if (stranger == 0) {
        execl("/bin/sleep", "sleep", "1000", nullptr);
        _exit(127);
    }
    const auto start = start_ticks_of(stranger);
    REQUIRE(start);
    InstanceImage image;
    image.report.id = {"web", 0};
    image.process = ProcessId{1};
    image.identity = {stranger, *start + 1};
    JournalImage journal;
    journal.instances = {image};
    REQUIRE(host.begin(journal).empty());
    CHECK(host.await<ProcessEnded>(ProcessId{1}).unseen);
    CHECK(waitpid(stranger, nullptr, WNOHANG) == 0);
    CHECK(status_of(stranger) != 'Z');
    ::kill(stranger, SIGKILL);
    waitpid(stranger, nullptr, 0);
}
