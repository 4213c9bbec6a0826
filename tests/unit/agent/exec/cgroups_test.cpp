// Limits of tasks on real processes, where this host allows cgroups to be created.

#include "agent/exec/cgroups/cgroups.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "agent/exec/cgroups/limits.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/unit/agent/exec/executor_host.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

/// A test that needs the limit is skipped on a host that does not enforce it, with the host's
/// reason. The host must report each limit.
bool is_enforced(const std::vector<LimitFact>& facts, const std::string& limit) {
    const auto fact = std::ranges::find(facts, limit, &LimitFact::limit);
    REQUIRE(fact != facts.end());
    if (!fact->enforced) {
        REQUIRE_FALSE(fact->how.empty());
        WARN("SKIPPED: " << limit << ": " << fact->how);
    }
    return fact->enforced;
}

std::string first_line(const std::string& path) {
    std::ifstream stream{path};
    std::string line;
    std::getline(stream, line);
    return line;
}

TaskSpec limited(const std::string& script, const CgroupLimits& limits) {
    TaskSpec spec;
    spec.argv = {"/bin/sh", "-c", script};
    spec.limits = limits;
    return spec;
}

/// The process's cgroups that muster made, read from its file in /proc.
std::vector<std::string> cgroups_of(pid_t pid) {
    std::vector<std::string> found;
    std::ifstream own{"/proc/" + std::to_string(pid) + "/cgroup"};
    std::ostringstream text;
    text << own.rdbuf();
    std::ifstream mounts{"/proc/self/mountinfo"};
    std::ostringstream mounted;
    mounted << mounts.rdbuf();
    for (const CgroupTree& tree : cgroup_trees(mounted.str(), text.str())) {
        if (tree.directory.find("/muster-") != std::string::npos) {
            found.push_back(tree.directory);
        }
    }
    return found;
}

std::string text_in(const std::vector<std::string>& cgroups, const std::string& file) {
    for (const auto& cgroup : cgroups) {
        if (fs::exists(cgroup + '/' + file)) {
            return first_line(cgroup + '/' + file);
        }
    }
    return "there is no " + file;
}

/// A cgroup as ordinary files, so that a test can read what was written.
class PaperCgroup {
public:
    explicit PaperCgroup(const std::string& controllers) {
        write("cgroup.controllers", controllers);
        write("cgroup.subtree_control", "");
    }
    void write(const std::string& file, const std::string& text) const {
        std::ofstream{directory_.below(file)} << text;
    }
    [[nodiscard]] CgroupTree tree() const { return {2, {}, directory_.path()}; }
    [[nodiscard]] std::string text(const std::string& file) const {
        return first_line(directory_.below(file));
    }
    [[nodiscard]] const std::string& path() const { return directory_.path(); }

private:
    TemporaryDirectory directory_;
};

}  // namespace

// Goal: the host reports which limits it does not enforce, and why.
TEST_CASE("a host without cgroups enforces no limit and says so", "[cgroups]") {
    Cgroups cgroups;
    cgroups.open({}, "8-1");
    REQUIRE(cgroups.facts().size() == 3);
    for (const LimitFact& fact : cgroups.facts()) {
        CHECK_FALSE(fact.enforced);
        CHECK(fact.how == "this host shows no cgroup with a controller for it");
    }
    CHECK(cgroups.make(ProcessId{1}, {1'000, 1'000'000, 10}).empty());
    CHECK_FALSE(cgroups.kill(ProcessId{1}));
}

// Goal: missing delegation is reported. Method: directories in which nothing can be created, like
// kernel file systems for ordinary users; /proc refuses root too.
TEST_CASE("the reason names the cgroup in which none can be created", "[cgroups]") {
    Cgroups cgroups;
    cgroups.open({{1, {"pids"}, "/proc"}}, "8-1");
    CHECK(cgroups.facts()[2] ==
          LimitFact{"pids", false, "/proc/muster-8-1-0 cannot be made: No such file or directory"});
    CHECK(cgroups.make(ProcessId{1}, {0, 0, 10}).empty());
}

TEST_CASE("controllers are enabled for the cgroups of processes", "[cgroups]") {
    const PaperCgroup paper{"cpuset cpu pids"};
    Cgroups cgroups;
    cgroups.open({paper.tree()}, "8-1");
    CHECK(paper.text("cgroup.subtree_control") == "+pids");  // The last write.
    CHECK(cgroups.facts()[1].how == "this host shows no cgroup with a controller for it");
}

// Method: the files of both versions, and the values written to them.
TEST_CASE("limits are written in the form of each cgroup version", "[cgroups]") {
    const PaperCgroup paper{""};
    for (const char* file : {"cpu.max", "memory.max", "memory.swap.max", "memory.oom.group",
                             "pids.max", "cpu.cfs_period_us", "cpu.cfs_quota_us",
                             "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"}) {
        paper.write(file, "");
    }
    const auto set = [&](int version, const CgroupLimits& limits) {
        for (const char* limit : limit_names) {
            CHECK(set_limit(paper.path(), limit, version, limits) == 0);
        }
    };
    set(2, {1'500, 1U << 20U, 7});
    CHECK(paper.text("cpu.max") == "150000 100000");
    CHECK(paper.text("memory.max") == "1048576");
    CHECK(paper.text("memory.swap.max") == "0");
    CHECK(paper.text("memory.oom.group") == "1");
    CHECK(paper.text("pids.max") == "7");
    set(2, {5, 0, 0});  // Less than the kernel accepts within its usual period.
    CHECK(paper.text("cpu.max") == "5000 1000000");
    CHECK(paper.text("memory.max") == "max");
    CHECK(paper.text("pids.max") == "max");
    set(1, {250, 1U << 20U, 0});
    CHECK(paper.text("cpu.cfs_period_us") == "100000");
    CHECK(paper.text("cpu.cfs_quota_us") == "25000");
    CHECK(paper.text("memory.limit_in_bytes") == "1048576");
    CHECK(paper.text("memory.memsw.limit_in_bytes") == "1048576");
    fs::remove(paper.path() + "/pids.max");
    CHECK(set_limit(paper.path(), "pids", 1, {0, 0, 7}) == ENOENT);
}

TEST_CASE("the cgroups of a dead agent enable no controllers any more", "[cgroups]") {
    const PaperCgroup paper{"cpu memory pids"};
    fs::create_directories(paper.path() + "/.control");
    take_back_controllers({{2, {}, paper.path() + "/.control"}});
    CHECK(paper.text("cgroup.subtree_control").empty());  // No agent was there.
    fs::create_directories(paper.path() + "/muster-agent");
    take_back_controllers({{2, {}, paper.path() + "/.control"}});
    CHECK(paper.text("cgroup.subtree_control") == "-pids");
}

// ---- real processes ----

TEST_CASE("a process has the limits of its task, and its cgroups are removed with it",
          "[executor]") {
    Host host;
    const auto process =
        host.spawn(limited("sleep 1000 & exec sleep 1000", {1'500, 64U << 20U, 20}));
    host.await<ProcessStarted>(process);
    const auto cgroups = cgroups_of(host.pid_of(process));
    using Values = std::vector<std::pair<std::string, std::string>>;
    // In the files of both versions; a host has one of them.
    const std::vector<std::pair<std::string, Values>> limits{
        {"cpu", {{"cpu.max", "150000 100000"}, {"cpu.cfs_quota_us", "150000"}}},
        {"memory", {{"memory.max", "67108864"}, {"memory.limit_in_bytes", "67108864"}}},
        {"pids", {{"pids.max", "20"}}}};
    for (const auto& [limit, files] : limits) {
        CAPTURE(limit);
        if (!is_enforced(host.executor().limits(), limit)) {
            continue;
        }
        std::size_t found = 0;
        for (const auto& [file, value] : files) {
            const auto text = text_in(cgroups, file);
            if (text != "there is no " + file) {
                CHECK(text == value);
                ++found;
            }
        }
        CHECK(found > 0);
    }
    host.end(process);
    host.await<ProcessEnded>(process);
    host.executor().release({process});
    for (const auto& cgroup : cgroups) {
        host.until([&] { return !fs::exists(cgroup); });
    }
}

TEST_CASE("a task that exceeds its memory limit is killed", "[executor]") {
    Host host;
    if (!is_enforced(host.executor().limits(), "memory")) {
        return;
    }
    const auto eater = host.spawn(limited("x=x; while :; do x=$x$x; done", {0, 32U << 20U, 0}));
    const auto end = host.await<ProcessEnded>(eater);
    CHECK(end.exit_signal == SIGKILL);
    CHECK(end.out_of_memory);
    const auto victim = host.spawn(limited("kill -KILL $$", {0, 32U << 20U, 0}));
    CHECK_FALSE(host.await<ProcessEnded>(victim).out_of_memory);
}

// Goal: a fork bomb harms only itself. Method: it reaches its limit and reports it; then another
// task runs and the bomb is ended.
TEST_CASE("a fork bomb stays within its limit, and other tasks continue", "[executor]") {
    Host host;
    if (!is_enforced(host.executor().limits(), "pids")) {
        return;
    }
    const auto bomb =
        host.spawn(limited("b() { b | b & }; b; exec sleep 1000", {0, 0, 30}), {"bomb", 0});
    host.until([&] { return !host.text("logs/bomb.0.err").empty(); });
    CHECK(host.await<ProcessEnded>(host.shell("exit 3")).exit_code == 3);
    host.end(bomb);
    host.await<ProcessEnded>(bomb);
    CHECK(processes_of_home(home_of(host.directory())).size() <= 2);  // Shims.
}

// Goal: processes that hide also end with their shim. Method: kill the shim of a process and its
// child; both are without an environment, one in its own session.
TEST_CASE("the processes of a killed shim end with its cgroup", "[executor]") {
    Host host;
    const auto process = host.shell("exec env -i sh -c 'env -i setsid sleep 1000 & wait'");
    host.await<ProcessStarted>(process);
    const auto cgroups = cgroups_of(host.pid_of(process));
    if (cgroups.empty()) {
        WARN("SKIPPED: no cgroup can be made here");
        return;
    }
    for (const MarkedProcess& marked : processes_of_home(home_of(host.directory()))) {
        ::kill(marked.pid, SIGKILL);
    }
    CHECK(host.await<ProcessEnded>(process).unseen);
    for (const auto& cgroup : cgroups) {
        CHECK_FALSE(fs::exists(cgroup));
    }
}

// Method: the cgroups of a shim and its agent that were killed together.
TEST_CASE("cgroups of earlier lives are removed, with the processes in them", "[executor]") {
    Host host;
    Cgroups earlier;
    earlier.open(cgroup_trees_of_process(), home_of(host.directory()));
    const auto made = earlier.make(ProcessId{77}, {});
    if (made.empty()) {
        WARN("SKIPPED: no cgroup can be made here");
        return;
    }
    const pid_t left = fork();
    if (left == 0) {
        execlp("sleep", "sleep", "1000", nullptr);
        _exit(127);
    }
    std::ofstream{made.front() + "/cgroup.procs"} << left;
    host.begin({});
    // Until it is gone, no other process can be mistaken for it.
    CHECK(host.executor().last_left() == ProcessId{77});
    CHECK(host.await<ProcessEnded>(host.shell("exit 3")).exit_code == 3);
    host.until([&] { return !fs::exists(made.front()); });
}
