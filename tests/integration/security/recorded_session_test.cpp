#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/support/keyed_cluster.hpp"

namespace muster::integration {
namespace {

bool was_admitted(const Json& outcome) {
    const auto& names = outcome.at("received");
    return std::any_of(names.begin(), names.end(),
                       [](const Json& name) { return name == "READY" || name == "MESSAGE"; });
}

}  // namespace

// Goal: what a peer once said admits nobody who says it again, and is counted.
// Method: record the bytes of a real agent and of a real operator who adds a task; say the clients'
// bytes to the same and to a restarted coordinator, and the coordinator's bytes to the agent.
TEST_CASE("a recorded session that is replayed is accepted by nobody [A25]",
          "[integration][keys][hostile]") {
    KeyedCluster cluster{{}};
    static_cast<void>(cluster.enrolled("n1"));
    const auto& at = cluster.endpoints();
    const auto ways = free_endpoints();
    const auto proxy = [&](const std::string& listen, const std::string& target,
                           const std::string& name) {
        std::filesystem::create_directory(cluster.directory() + "/" + name);
        return std::make_unique<Process>(Command{
            .argv =
                hostile("recording_proxy.py", {listen, target, cluster.directory() + "/" + name}),
            .errors = cluster.directory() + "/" + name + ".errors"});
    };
    const auto agents = proxy(ways.agents, at.agents, "agent");
    const auto operators = proxy(ways.operators, at.operators, "operator");
    cluster.reach_by("n1", ways.agents);
    cluster.start_agent("n1");
    REQUIRE(cluster.serving(1));

    const std::string elsewhere = cluster.directory() + "/elsewhere";
    std::filesystem::copy(cluster.contexts(), elsewhere, std::filesystem::copy_options::recursive);
    const std::string context = elsewhere + "/muster/contexts/default";
    std::string text = text_of(context);
    text.replace(text.find(at.operators), at.operators.size(), ways.operators);
    std::ofstream{context, std::ios::trunc} << text;
    const auto added = cluster.muster_by_key(
        elsewhere, {"task", "add", "web", "-n", "0", "--", "/bin/sleep", "1000"});
    INFO(added.errors);
    REQUIRE(added.exit == Exit{.code = 0});
    REQUIRE(cluster.muster_by_key({"task", "remove", "web", "--yes"}).exit == Exit{.code = 0});

    const auto recorded = [&](const std::string& name) { return cluster.directory() + name; };
    REQUIRE(text_of(recorded("/operator/0.up")).size() > 500);
    REQUIRE(text_of(recorded("/agent/0.up")).size() > 500);
    for (const bool restarted : {false, true}) {
        INFO(restarted);
        if (restarted) {
            cluster.kill_coordinator();
            cluster.start_coordinator();
        }
        for (const auto& [endpoint, file] : {std::pair{at.agents, recorded("/agent/0.up")},
                                             std::pair{at.operators, recorded("/operator/0.up")}}) {
            const auto begun = cluster.metric("muster_handshakes_total", "begun");
            const auto accepted = cluster.metric("muster_handshakes_total", "accepted");
            for (const auto& outcome : lines_of(run(
                     cluster.directory(), hostile("replay.py", {"as-client", endpoint, file})))) {
                INFO(outcome.dump());
                CHECK_FALSE(was_admitted(outcome));
            }
            CHECK(until(
                [&] { return cluster.metric("muster_handshakes_total", "begun") >= begun + 2; }));
            if (!restarted) {  // Nobody connects meanwhile.
                CHECK(cluster.metric("muster_handshakes_total", "accepted") == accepted);
            }
        }
        CHECK(cluster.ask({{"verb", "task list"}}).at("tasks").empty());
    }

    // The agent connects again, to somebody who says what the coordinator said.
    agents->signal(SIGKILL);
    static_cast<void>(agents->wait(soon()));
    const auto fooled =
        lines_of(run(cluster.directory(),
                     hostile("replay.py", {"as-server", ways.agents, recorded("/agent/0.down")})));
    INFO(fooled.at(0).dump());
    CHECK(fooled.at(0).at("clients") > 0);
    const auto& said = fooled.at(0).at("received");
    CHECK(std::none_of(said.begin(), said.end(),
                       [](const Json& name) { return name == "INITIATE" || name == "MESSAGE"; }));
    CHECK(until([&] { return contains(cluster.log_of("n1"), "does not prove the key"); }));
    CHECK(cluster.agent("n1").running());
}

}  // namespace muster::integration
