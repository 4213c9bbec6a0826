#include <csignal>
#include <cstdint>
#include <set>
#include <string>

#include "tests/faults/trial.hpp"

// SIGSTOP and SIGCONT of real daemons, as of a host that is suspended or starved.
namespace muster::faults {

namespace {

using integration::Json;
using integration::until;

std::uint64_t round_of(const integration::Cluster& cluster) {
    return cluster.status().at("round").get<std::uint64_t>();
}

/// As the agent itself says.
bool is_led(const integration::Cluster& cluster, const std::string& node) {
    const auto answer = integration::ask_line(cluster.agent_socket(node), "status");
    return answer && answer->at("led") == true;
}

}  // namespace

TEST_CASE("an agent that is paused, shortly or until it is lost, costs nothing",
          "[integration][faults][pauses]") {
    Trial trial;
    trial.begin({"n1", "n2", "n3"});
    auto& cluster = trial.cluster();
    for (const bool lasts : {false, true, false}) {
        CAPTURE(lasts);
        const auto round = round_of(cluster);
        cluster.agent("n1").signal(SIGSTOP);
        trial.give_more_work();
        trial.changes().ask();
        REQUIRE(until([&] {
            return lasts ? cluster.node("n1").at("health") == "lost" : round_of(cluster) > round;
        }));
        cluster.agent("n1").signal(SIGCONT);
        trial.check({"n1"});
    }
}

// Goal: S10: a coordinator that stood still suspects nobody for it, and loses nothing.
// Method: it is paused with a change on its way, for a moment, and until no agent counts on it.
TEST_CASE("a coordinator that is paused, shortly or for long, suspects nobody",
          "[integration][faults][pauses][S10]") {
    Trial trial;
    auto& cluster = trial.cluster();
    integration::Client listener{zmq::socket_type::sub, cluster.endpoints().events};
    listener.subscribe("node.lost");
    trial.begin({"n1", "n2", "n3"});
    for (const bool lasts : {false, true, false}) {
        CAPTURE(lasts);
        cluster.coordinator().signal(SIGSTOP);
        trial.changes().send();
        REQUIRE(until([&] {
            return !lasts ||
                   (!is_led(cluster, "n1") && !is_led(cluster, "n2") && !is_led(cluster, "n3"));
        }));
        cluster.coordinator().signal(SIGCONT);
        trial.check();
    }
    CHECK_FALSE(listener.receive(integration::Clock::now()));
}

TEST_CASE("all daemons of a cluster that are paused at once go on where they were",
          "[integration][faults][pauses]") {
    Trial trial;
    trial.begin({"n1", "n2", "n3"});
    auto& cluster = trial.cluster();
    const auto tell_all = [&](int signal) {
        for (const auto* const node : {"n1", "n2", "n3"}) {
            cluster.agent(node).signal(signal);
        }
        cluster.coordinator().signal(signal);
    };
    trial.give_more_work();
    tell_all(SIGSTOP);
    trial.changes().send();
    tell_all(SIGCONT);
    trial.check();
}

}  // namespace muster::faults
