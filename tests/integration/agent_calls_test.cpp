#include <csignal>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

/// A `muster` that runs until it is interrupted, with its output so far.
class Following {
public:
    Following(const Cluster& cluster, std::vector<std::string> words)
        : output_{cluster.directory() + "/following.out"},
          errors_{cluster.directory() + "/following.err"} {
        std::vector<std::string> argv{program("muster"), "-c", cluster.endpoints().operators};
        argv.insert(argv.end(), words.begin(), words.end());
        process_ = std::make_unique<Process>(
            Command{.argv = std::move(argv), .output = output_, .errors = errors_});
    }
    [[nodiscard]] std::string output_so_far() const { return text_of(output_); }
    /// The size only, for an output that grows faster than the test can read.
    [[nodiscard]] std::uintmax_t output_bytes() const {
        return std::filesystem::exists(output_) ? std::filesystem::file_size(output_) : 0;
    }
    [[nodiscard]] std::string complained() const { return text_of(errors_); }
    [[nodiscard]] Process& process() { return *process_; }

private:
    std::string output_;
    std::string errors_;
    std::unique_ptr<Process> process_;
};

/// The number of such changes of nodes, from the coordinator's counters.
std::uint64_t changes_of_nodes(const Cluster& cluster, const std::string& change) {
    const auto stats = Json::parse(cluster.muster({"stats", "-o", "json"}).output);
    for (const auto& sample : stats.at("samples")) {
        if (sample.at("name") == "muster_node_changes_total" &&
            sample.at("labels") == Json{{"change", change}}) {
            return sample.at("value").get<std::uint64_t>();
        }
    }
    throw std::runtime_error{"stats does not count how often nodes are " + change};
}

}  // namespace

// Goal: an operator reads the output of an instance remotely, complete and as it is written.
TEST_CASE("the output of an instance is read and followed through the coordinator",
          "[integration][logs]") {
    Cluster cluster{{.nodes = {"n1", "n2"}}};
    const auto gate = cluster.directory() + "/go";
    write_text(gate, "");
    cluster.apply(
        {cluster.task("web", 1, {"/bin/sh", "-c", "echo first; echo fault >&2; tail -f " + gate})});
    REQUIRE(cluster.wait("web"));
    REQUIRE(until([&] { return cluster.muster({"logs", "web.0"}).output == "first\n"; }));
    CHECK(cluster.muster({"logs", "web", "--stderr"}).output == "fault\n");
    CHECK(cluster.muster({"logs", "web.0", "--since", "1h"}).output == "first\n");

    Following follower{cluster, {"logs", "web.0", "-f"}};
    REQUIRE(until([&] { return follower.output_so_far() == "first\n"; }));
    write_text(gate, "second\n");
    REQUIRE(until([&] { return follower.output_so_far() == "first\nsecond\n"; }));

    // The follower does not notice the agent's restart.
    const auto home = cluster.instances_of("web").front().at("node").get<std::string>();
    cluster.kill_agent(home);
    cluster.start_agent(home);
    write_text(gate, "second\nthird\n");
    CHECK(until([&] {
        return contains(follower.output_so_far(), "first\nsecond\n") &&
               contains(follower.output_so_far(), "third\n");
    }));
    follower.process().signal(SIGINT);
    CHECK(follower.process().wait(soon()).has_value());
}

// Goal: neither a task that prints as fast as it can nor a slow reader delays a poll. Method: pause
// a follower of such a task; then read all kept output at once.
TEST_CASE("a loud log and a slow reader delay no poll", "[integration][logs]") {
    Cluster cluster{{.nodes = {"n1"}}};
    auto loud = cluster.task("loud", 1, {"/usr/bin/yes", "a line that says little"});
    loud["log"] = {{"max_bytes", 4'000'000}};
    cluster.apply({loud});
    REQUIRE(cluster.wait("loud"));
    Following follower{cluster, {"logs", "loud.0", "-f"}};
    REQUIRE(until([&] { return follower.output_bytes() > 1'000'000; }));
    follower.process().signal(SIGSTOP);

    const auto round = cluster.status().at("round").get<std::uint64_t>();
    for (int reading = 0; reading < 5; ++reading) {
        const auto read = cluster.muster({"logs", "loud.0"});
        CHECK(read.exit.code == 0);
        CHECK(contains(read.output, "a line that says little\n"));
    }
    REQUIRE(until([&] { return cluster.status().at("round").get<std::uint64_t>() >= round + 10; }));
    CHECK(cluster.node("n1").at("health") == "healthy");
    CHECK(changes_of_nodes(cluster, "joined") == 1);
    CHECK(changes_of_nodes(cluster, "lost") == 0);

    follower.process().signal(SIGCONT);
    const auto before = follower.output_bytes();
    CHECK(until([&] { return follower.output_bytes() > before + 1'000'000; }));
    follower.process().signal(SIGKILL);
}

TEST_CASE("a signal reaches the instances that match, and no others",
          "[integration][agent_calls]") {
    Cluster cluster{{.nodes = {"n1", "n2"}}};
    const std::string script = "trap 'echo got HUP' HUP; echo ready; while :; do sleep 0.1; done";
    cluster.apply({cluster.task("web", 2, {"/bin/sh", "-c", script}),
                   cluster.task("db", 1, {"/bin/sh", "-c", script})});
    REQUIRE(cluster.wait("*"));
    const auto log = [&](const std::string& instance) {
        return cluster.muster({"logs", instance}).output;
    };
    for (const std::string instance : {"web.0", "web.1", "db.0"}) {
        REQUIRE(until([&] { return log(instance) == "ready\n"; }));
    }
    const auto sent = cluster.muster({"task", "signal", "web", "SIGHUP"});
    CHECK(sent.exit.code == 0);
    for (const std::string instance : {"web.0", "web.1"}) {
        CHECK(until([&] { return contains(log(instance), "got HUP"); }));
    }
    CHECK(log("db.0") == "ready\n");
    CHECK(cluster.muster({"task", "signal", "web", "FOO"}).exit.code == 6);
    CHECK(cluster.muster({"task", "signal", "nope", "HUP"}).exit.code == 1);
}

// Method: a paused agent does not answer.
TEST_CASE("an agent that does not answer is named, and the others answer",
          "[integration][agent_calls]") {
    Cluster cluster{{.nodes = {"n1", "n2"}}};
    cluster.apply({cluster.task("web", 2)});
    REQUIRE(cluster.wait("web"));
    cluster.agent("n1").signal(SIGSTOP);
    const auto top = cluster.muster({"top", "--once"});
    cluster.agent("n1").signal(SIGCONT);
    CHECK(top.exit.code == 0);
    CHECK(contains(top.output, "n1"));
    CHECK((contains(top.output, "n1 did not answer within 3 s") ||
           contains(top.output, "it does not answer")));
    CHECK(contains(top.output, "running"));
}

// Goal: a short timeout distinguishes a silent agent (5) from an unreachable coordinator (4), and a
// long timeout is respected.
// Method: pause an agent whose node may miss many polls. Resume it after the coordinator's own
// timeout, while the command still waits for the log.
TEST_CASE("a command waits as long as its timeout says", "[integration][agent_calls]") {
    Cluster cluster{{.nodes = {"n1"}, .round = paces(10)}};
    cluster.apply({cluster.task("web", 1, {"/bin/sh", "-c", "echo here; exec sleep 1000"})});
    REQUIRE(cluster.wait("web"));
    REQUIRE(until([&] { return contains(cluster.muster({"logs", "web.0"}).output, "here"); }));
    cluster.agent("n1").signal(SIGSTOP);
    const auto logs = cluster.muster({"logs", "web.0", "-t", in_ms(paces(10))});
    CHECK(logs.exit == Exit{.code = 5});
    const auto signal = cluster.muster({"task", "signal", "web", "HUP", "-t", in_ms(paces(10))});
    CHECK(signal.exit == Exit{.code = 5});
    CHECK(contains(signal.errors, "the signal may still be delivered"));
    Following patient{cluster, {"logs", "web.0", "-t", in_ms(paces(600))}};
    // The coordinator's first call times out, and the command asks again.
    REQUIRE(until([&] {
        return contains(cluster.muster({"logs", "web.0", "-t", in_ms(paces(40))}).errors,
                        "did not answer");
    }));
    cluster.agent("n1").signal(SIGCONT);
    CHECK(until([&] { return contains(patient.output_so_far(), "here\n"); }));
}

TEST_CASE("top shows what nodes and instances use", "[integration][agent_calls]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("busy", 1, {"/bin/sh", "-c", "while :; do :; done"})});
    REQUIRE(cluster.wait("busy"));
    REQUIRE(until([&] {
        const auto shown = Json::parse(cluster.muster({"top", "--once", "-o", "json"}).output);
        const auto& instances = shown.at("instances");
        return instances.size() == 1 && instances[0].at("cpu_us").get<std::uint64_t>() > 100'000 &&
               instances[0].at("processes") == 1 && instances[0].at("memory_bytes") > 100'000;
    }));
    const auto table = cluster.muster({"top", "busy", "--once"}).output;
    CHECK(contains(table, "busy.0"));
    CHECK(contains(table, "%"));
    CHECK(contains(cluster.muster({"top", "other", "--once"}).output, "no instances"));
}

}  // namespace muster::integration
