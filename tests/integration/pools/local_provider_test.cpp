// The provider muster-pool-local: agents on this host as the nodes of a pool.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {
namespace {

/// A cluster with keys, whose nodes come from the provider.
class ProvidedCluster {
public:
    [[nodiscard]] Cluster& cluster() { return cluster_; }
    [[nodiscard]] std::string directory() const { return cluster_.directory() + "/nodes"; }

    [[nodiscard]] std::vector<std::string> command(const std::vector<std::string>& verb,
                                                   const std::string& subject) const {
        const std::string input = cluster_.directory() + "/subject-" + verb.front();
        write_text(input, subject);
        std::vector<std::string> argv{"/bin/sh",
                                      "-c",
                                      "exec \"$0\" \"$@\" < " + input,
                                      program("muster-pool-local"),
                                      "--directory",
                                      directory(),
                                      "--agents",
                                      cluster_.endpoints().agents,
                                      "--operators",
                                      cluster_.operators_socket(),
                                      "--label",
                                      "rack=r7"};
        argv.insert(argv.end(), verb.begin(), verb.end());
        return argv;
    }
    [[nodiscard]] Finished call(
        const std::vector<std::string>& verb,
        const std::string& subject =
            R"({"cluster": "c1", "pool": "web", "request": "7-12"})") const {
        return run(cluster_.directory(), command(verb, subject));
    }
    [[nodiscard]] Json answer(const std::vector<std::string>& verb) const {
        const auto done = call(verb);
        INFO(done.errors);
        REQUIRE(done.exit == Exit{.code = 0});
        return Json::parse(done.output);
    }
    [[nodiscard]] std::vector<std::string> listed() const {
        std::vector<std::string> ids;
        const Json nodes = answer({"list"}).at("nodes");
        for (const Json& node : nodes) {
            CHECK(node.at("node") == node.at("id"));
            CHECK(node.at("pool") == "web");
            CHECK(node.at("request") == "7-12");
            ids.push_back(node.at("id"));
        }
        return ids;
    }
    /// Of the nodes; each works in the directory of its node.
    [[nodiscard]] std::vector<pid_t> agents() const {
        std::vector<pid_t> pids;
        for (const Found& found : find_processes("none", directory())) {
            if (const auto argv = arguments_of(found.pid);
                !argv.empty() && argv.front() == program("muster-agent")) {
                pids.push_back(found.pid);
            }
        }
        return pids;
    }
    [[nodiscard]] pid_t agent_of(const std::string& node) const {
        for (const pid_t pid : agents()) {
            if (std::ranges::count(arguments_of(pid), node) > 0) {
                return pid;
            }
        }
        return -1;
    }

private:
    Cluster cluster_{{.nodes = {}, .keys = true}};
};

using Names = std::vector<std::string>;

}  // namespace

// Goal: a request has one effect, and what the provider made it can take away again. Method: make
// the same request twice, look at the cluster and at the processes, then remove all.
TEST_CASE("the local provider makes the nodes of a request once, and removes them wholly",
          "[integration][pools][FN-12]") {
    ProvidedCluster provided;
    CHECK(provided.listed().empty());
    CHECK(provided.answer({"provision", "3"}) == Json{{"granted", 3}});
    CHECK(provided.answer({"provision", "3"}) == Json{{"granted", 3}});
    CHECK(provided.cluster().serving(3));
    const Names nodes{"web-7-12-1", "web-7-12-2", "web-7-12-3"};
    CHECK(provided.listed() == nodes);
    const auto agents = provided.agents();
    REQUIRE(agents.size() == 3);
    for (const pid_t agent : agents) {
        CHECK(getsid(agent) == agent);
        CHECK(std::filesystem::read_symlink("/proc/" + std::to_string(agent) + "/fd/0") ==
              "/dev/null");
    }
    for (const std::string& node : nodes) {
        const Json facts =
            provided.cluster().ask({{"verb", "node show"}, {"name", node}}).at("offer");
        CHECK(facts.at("pool") == "web");
        CHECK(facts.at("labels").at("rack") == "r7");
        CHECK(facts.at("labels").at("address").get<std::string>().starts_with("127."));
        CHECK(provided.answer({"remove", node}) == Json::object());
    }
    CHECK(provided.listed().empty());
    CHECK(provided.agents().empty());
    CHECK(provided.answer({"remove", "web-7-12-1"}) == Json::object());
    CHECK(provided.answer({"remove", "never-there"}) == Json::object());
    // A repeated request that comes late makes no node again.
    CHECK(provided.answer({"provision", "3"}) == Json{{"granted", 3}});
    CHECK(provided.listed().empty());
    const auto keys = provided.cluster().muster_by_key({"key", "list"});
    CHECK(!contains(keys.output, "web-7-12"));
}

// Goal: clusters on one host do not share a server. Method: a node of the same name in each of two.
TEST_CASE("nodes of the same name in two clusters have different addresses",
          "[integration][pools]") {
    const auto address_in = [](const std::string& cluster) {
        ProvidedCluster provided;
        const Json subject{{"cluster", cluster}, {"pool", "web"}, {"request", "7-12"}};
        CHECK(provided.call({"provision", "1"}, subject.dump()).exit == Exit{.code = 0});
        CHECK(provided.cluster().serving(1));
        const Json shown = provided.cluster().ask({{"verb", "node show"}, {"name", "web-7-12-1"}});
        CHECK(provided.call({"remove", "web-7-12-1"}, subject.dump()).exit == Exit{.code = 0});
        return shown.at("offer").at("labels").at("address").get<std::string>();
    };
    CHECK(address_in("c1") != address_in("c2"));
}

TEST_CASE("the same request from two leaders at once makes its nodes once",
          "[integration][pools]") {
    ProvidedCluster provided;
    const std::string subject = R"({"cluster": "c1", "pool": "web", "request": "7-12"})";
    Process first{Command{.argv = provided.command({"provision", "4"}, subject)}};
    Process second{Command{.argv = provided.command({"provision", "4"}, subject)}};
    CHECK(first.wait(soon()) == Exit{.code = 0});
    CHECK(second.wait(soon()) == Exit{.code = 0});
    CHECK(provided.cluster().serving(4));
    CHECK(provided.agents().size() == 4);
    for (const std::string& node : provided.listed()) {
        CHECK(provided.answer({"remove", node}) == Json::object());
    }
}

// Goal: only what lives and is its own is listed, and nothing that a dead agent ran is left.
// Method: a foreign agent in the same cluster; a task on each node; then kill an agent.
TEST_CASE("an agent that died is not listed and its tasks end, and a foreign agent is left alone",
          "[integration][pools][SC-14]") {
    ProvidedCluster provided;
    Cluster& cluster = provided.cluster();
    cluster.start_agent("foreign");
    CHECK(provided.answer({"provision", "2"}) == Json{{"granted", 2}});
    CHECK(cluster.serving(3));
    Json task = cluster.task("t", 2);
    task["pool"] = "web";
    cluster.apply({task});
    CHECK(cluster.wait("t"));
    CHECK(provided.listed() == Names{"web-7-12-1", "web-7-12-2"});
    const auto other = provided.call({"list"}, R"({"cluster": "c2"})");
    CHECK(Json::parse(other.output).at("nodes").empty());

    REQUIRE(cluster.tasks_on("web-7-12-1").size() == 1);
    kill(provided.agent_of("web-7-12-1"), SIGKILL);
    CHECK(until([&] { return provided.listed() == Names{"web-7-12-2"}; }));
    CHECK(provided.answer({"remove", "web-7-12-2"}) == Json::object());
    CHECK(provided.listed().empty());
    CHECK(provided.agents().empty());
    CHECK(until([&] { return cluster.tasks_on("web-7-12-1").empty(); }));
    CHECK(cluster.tasks_on("web-7-12-2").empty());
    CHECK(std::ranges::distance(std::filesystem::directory_iterator{
              std::filesystem::directory_iterator{provided.directory()} -> path()}) == 1);
    CHECK(cluster.agent("foreign").running());
}

// Goal: a task finds the address at which the clients of the pool look for it. Method: the example
// of the manual, and a client that asks at the label of each node.
TEST_CASE("a task of the pool serves at the address of its node", "[integration][pools]") {
    ProvidedCluster provided;
    Cluster& cluster = provided.cluster();
    CHECK(provided.answer({"provision", "2"}) == Json{{"granted", 2}});
    CHECK(cluster.serving(2));
    const auto applied = cluster.muster_by_key(
        {"apply", "-f", std::string{MUSTER_SOURCE_DIR} + "/examples/pool.toml"});
    INFO(applied.errors);
    REQUIRE(applied.exit == Exit{.code = 0});
    for (const std::string& node : provided.listed()) {
        const Json offer = cluster.ask({{"verb", "node show"}, {"name", node}}).at("offer");
        const auto address = offer.at("labels").at("address").get<std::string>();
        const std::string page =
            "import sys, urllib.request\n"
            "print(urllib.request.urlopen('http://' + sys.argv[1], timeout=5).read().decode())";
        CHECK(until([&] {
            return contains(
                run(cluster.directory(), {"/usr/bin/python3", "-c", page, address}).output, node);
        }));
        CHECK(provided.answer({"remove", node}) == Json::object());
        CHECK(cluster.tasks_on(node).empty());
    }
}

TEST_CASE("the local provider says what is wrong with its input", "[integration][pools]") {
    ProvidedCluster provided;
    const auto why = [&](const Names& verb, const std::string& subject) {
        const auto done = provided.call(verb, subject);
        CHECK(done.exit.code > 0);
        CHECK(done.output.empty());
        return done.errors;
    };
    const std::string sound = R"({"cluster": "c1", "pool": "web", "request": "7-12"})";
    CHECK(contains(why({"provision", "0"}, sound), "a number from 1 to 1000, not '0'"));
    CHECK(contains(why({"remove", "../x"}, sound), "as 'list' shows it, not '../x'"));
    CHECK(contains(why({"lists"}, sound), "must end with 'list', 'provision N' or 'remove ID'"));
    CHECK(contains(why({"list"}, "cluster"), "is not a JSON object; it must be like"));
    CHECK(contains(why({"provision", "1"}, R"({"cluster": "c1", "pool": "W", "request": "1"})"),
                   "has the pool 'W', but a name is"));
    CHECK(contains(why({"provision", "1"}, R"({"cluster": "c1", "pool": "web"})"),
                   "has no text 'request'"));
}

}  // namespace muster::integration
