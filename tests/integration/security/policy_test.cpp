// The policy of a host, and the bounds of a task, with the real programs.

#include <csignal>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

constexpr auto most_pids = 30U;

/// A policy file that an agent accepts.
class PolicyFile {
public:
    explicit PolicyFile(const std::string& text) { write(text); }

    void write(const std::string& text) const { write_text(path(), text); }
    [[nodiscard]] std::string path() const { return directory_.path() + "/policy.toml"; }
    [[nodiscard]] std::string key() const { return "policy = \"" + path() + "\"\n"; }

private:
    Directory directory_;
};

/// Whether the host enforces a limit of tasks, as its agent says.
bool enforces(const Cluster& cluster, const std::string& limit) {
    const Json shown = cluster.ask({{"verb", "node show"}, {"name", "n1"}});
    for (const auto& fact : shown.at("limits")) {
        if (fact.at("limit") == limit) {
            return fact.at("enforced").get<bool>();
        }
    }
    return false;
}

bool is_alive(pid_t pid) { return kill(pid, 0) == 0; }

pid_t pid_in(const std::string& file) {
    const auto text = text_of(file);
    return text.ends_with('\n') ? std::stoi(text) : 0;
}

/// The agent answers its socket, and a later poll of the coordinator.
bool answers(const Cluster& cluster) {
    const auto before = cluster.status().at("round").get<std::uint64_t>();
    return ask_line(cluster.agent_socket("n1"), "status").has_value() &&
           until([&] { return cluster.status().at("round").get<std::uint64_t>() > before + 2; }) &&
           cluster.node("n1").at("health") == "healthy";
}

}  // namespace

// ---- policy ----

// Goal: no order of a coordinator starts what a host forbids, people learn why, and another host
// runs it. Method: a host with a policy, then one with a wider policy.
TEST_CASE("a host's policy refuses a start, and the reason is shown with the host's name",
          "[integration][policy]") {
    const PolicyFile policy{"commands = [\"/bin/sleep\"]\n"};
    Cluster cluster{{.nodes = {"n1"}, .agent_config = policy.key()}};
    cluster.apply({cluster.task("good", 1),
                   cluster.task("shell", 1, {"/bin/sh", "-c", "sleep 1000 & wait"})});
    CHECK(cluster.wait("good"));

    const std::string reason = "its policy does not allow the program";
    const auto detail = [&] {
        return cluster.instances_of("shell").front().at("detail").get<std::string>();
    };
    REQUIRE(until([&] { return contains(detail(), reason); }));
    CHECK(contains(detail(), "by n1: "));
    CHECK(contains(cluster.muster({"explain", "shell.0"}).output, "refuses it: " + reason));
    CHECK(contains(cluster.muster({"task", "show", "shell"}).output, reason));
    CHECK(cluster.tasks("shell").empty());
    CHECK(cluster.node("n1").at("health") == "healthy");

    policy.write("root = true\n");
    cluster.start_agent("n2");
    CHECK(cluster.wait("shell"));
    CHECK(cluster.instances_of("shell").front().at("node") == "n2");
}

// Goal: a policy that another user could widen is no policy. Method: agents with such files, and
// with one that has a fault.
TEST_CASE("an agent with a policy that cannot be trusted does not start", "[integration][policy]") {
    const PolicyFile policy{"root = false\n"};
    Directory place;
    const auto refusal = [&] {
        return run(place.path(),
                   {program("muster-agent"), "--name", "n1", "--state-dir", place.path() + "/state",
                    "--run-dir", place.path() + "/run", "--policy", policy.path()});
    };
    REQUIRE(chmod(policy.path().c_str(), 0666) == 0);
    auto refused = refusal();
    CHECK(refused.exit == Exit{.code = 1});
    CHECK(contains(refused.errors, "chmod go-w " + policy.path()));
    REQUIRE(chmod(policy.path().c_str(), 0600) == 0);
    policy.write("rot = false\n");
    refused = refusal();
    CHECK(refused.exit == Exit{.code = 1});
    CHECK(contains(refused.errors, policy.path() + ":1: unknown key 'rot'"));
}

// ---- bounds of a task ----

// Goal: a fork bomb harms neither its host nor its agent. Method: a task that would become 511
// processes, with a limit below that; it reports that it reached the limit.
TEST_CASE("a fork bomb is held at its limit, and the agent answers", "[integration][task][A22]") {
    Cluster cluster{{.nodes = {"n1"}}};
    auto bomb = cluster.task("bomb", 1,
                             {"/bin/sh", "-c",
                              "b() { if [ $1 -gt 0 ]; then b $(($1-1)) & b $(($1-1)) & fi;"
                              "exec sleep 1000; }; b 8"});
    if (enforces(cluster, "pids")) {
        bomb["limits"] = {{"pids", most_pids}};
    } else if (geteuid() == 0) {  // Without a cgroup the kernel counts those of a user.
        bomb["user"] = "54321";
        bomb["rlimits"] = {{"nproc", most_pids}};
        REQUIRE(chmod(cluster.directory().c_str(), 0711) == 0);
    } else {
        WARN("SKIPPED: no cgroup counts processes here, and the user has others");
        return;
    }
    cluster.apply({bomb});
    const std::string errors = cluster.directory() + "/state/agents/n1/logs/bomb.0.err";
    REQUIRE(until([&] { return !text_of(errors).empty(); }));
    CHECK(cluster.tasks("bomb").size() <= most_pids);
    CHECK(answers(cluster));
    cluster.apply({cluster.task("good", 1)});
    CHECK(cluster.wait("good"));
    CHECK(cluster.tasks("bomb").size() <= most_pids);

    CHECK(cluster.ask({{"verb", "task remove"}, {"pattern", "bomb"}}).at("ok") == true);
    CHECK(until([&] { return cluster.tasks("bomb").empty(); }));
}

// Goal: no process outlives its instance. Method: a daemon that forked twice, has its own session
// and works elsewhere; its instance is stopped, or loses its shim. With a cgroup the daemon also
// drops its environment, so that only the cgroup names it.
TEST_CASE("a double-forked daemon dies with its instance", "[integration][task][A23]") {
    const bool by_shim = GENERATE(false, true);
    CAPTURE(by_shim);
    Cluster cluster{{.nodes = {"n1"}}};
    const std::string note = cluster.directory() + "/daemon";
    const auto with_daemon = [&](const std::string& command) {
        return cluster.task("web", 1,
                            {"/bin/sh", "-c",
                             "(setsid sh -c \"cd /; sh -c 'echo \\$\\$ > " + note + "; exec " +
                                 command + "' &\" &); exec sleep 1000"});
    };
    cluster.apply({with_daemon("sleep 1001")});
    REQUIRE(until([&] { return pid_in(note) != 0; }));
    const bool in_cgroup =
        contains(text_of("/proc/" + std::to_string(pid_in(note)) + "/cgroup"), "/muster-");
    if (in_cgroup) {
        const pid_t before = pid_in(note);
        cluster.apply({with_daemon("env -i sleep 1001")});
        REQUIRE(until([&] { return pid_in(note) != before && pid_in(note) != 0; }));
        CHECK(until([&] { return !is_alive(before); }));
    }
    const pid_t daemon = pid_in(note);
    // It wrote the note before it dropped its environment.
    const std::vector<std::string> sleep{"sleep", "1001"};
    REQUIRE(until([&] { return arguments_of(daemon) == sleep; }));
    if (by_shim) {
        for (const auto& shim : cluster.shims_of("n1")) {
            kill(shim.pid, SIGKILL);
        }
    } else {
        CHECK(cluster.ask({{"verb", "task remove"}, {"pattern", "web"}}).at("ok") == true);
    }
    CHECK(until([&] { return !is_alive(daemon); }));
}

}  // namespace muster::integration
