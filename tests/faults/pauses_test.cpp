#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

#include "tests/faults/trial.hpp"

// SIGSTOP and SIGCONT of real daemons, as when a host is suspended or starved.
namespace muster::faults {

namespace {

using integration::Clock;
using integration::Json;
using integration::until;

/// In these trials a round takes a pace, and a node is lost after thirty missed polls.
std::chrono::milliseconds short_pause() { return integration::paces(3); }
std::chrono::milliseconds long_pause() { return integration::paces(45); }

std::uint64_t round_of(const integration::Cluster& cluster) {
    return cluster.status().at("round").get<std::uint64_t>();
}

/// The agent's own view.
bool is_led(const integration::Cluster& cluster, const std::string& node) {
    const auto answer = integration::ask_line(cluster.agent_socket(node), "status");
    return answer && answer->at("led") == true;
}

/// The kernel's view: the process is stopped.
bool is_stopped(pid_t process) {
    std::ifstream file{"/proc/" + std::to_string(process) + "/stat"};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    const auto name_ends = text.rfind(')');
    return name_ends != std::string::npos && text.compare(name_ends, 3, ") T") == 0;
}

/// Waits until all processes are stopped, then for `length`. The test needs this real time because
/// the pause itself is the fault.
void pause_lasts(const std::vector<pid_t>& processes, Clock::duration length) {
    REQUIRE(until([&] { return std::ranges::all_of(processes, is_stopped); }));
    const auto end = Clock::now() + length;
    REQUIRE(until([&] { return Clock::now() >= end; }));
    CHECK(std::ranges::all_of(processes, is_stopped));
}

}  // namespace

TEST_CASE("an agent that is paused, briefly or until it is lost, disturbs nothing",
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

// Goal: S10: a paused coordinator suspects no node after its pause, and loses nothing.
// Method: pause it with a change in flight, first briefly, then until no agent considers itself
// led.
TEST_CASE("a coordinator that is paused, briefly or for long, suspects no node",
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
        pause_lasts({cluster.coordinator().pid()}, short_pause());
        REQUIRE(until([&] {
            return !lasts ||
                   (!is_led(cluster, "n1") && !is_led(cluster, "n2") && !is_led(cluster, "n3"));
        }));
        cluster.coordinator().signal(SIGCONT);
        trial.check();
    }
    CHECK_FALSE(listener.receive(Clock::now()));
}

// Goal: S10: a host or a cluster that is suspended and resumed continues where it was.
// Method: coordinator and agents stop together, for three rounds and for much longer than a node
// may be silent. A change and unstarted work are in flight.
TEST_CASE("all daemons of a cluster that are paused at once continue where they were",
          "[integration][faults][pauses][S10]") {
    Trial trial;
    auto& cluster = trial.cluster();
    integration::Client listener{zmq::socket_type::sub, cluster.endpoints().events};
    listener.subscribe("node.lost");
    trial.begin({"n1", "n2", "n3"});
    const auto signal_all = [&](int signal) {
        for (const auto* const node : {"n1", "n2", "n3"}) {
            cluster.agent(node).signal(signal);
        }
        cluster.coordinator().signal(signal);
    };
    for (const auto length : {short_pause(), long_pause()}) {
        CAPTURE(length.count());
        trial.give_more_work();
        signal_all(SIGSTOP);
        trial.changes().send();
        pause_lasts({cluster.agent("n1").pid(), cluster.agent("n2").pid(),
                     cluster.agent("n3").pid(), cluster.coordinator().pid()},
                    length);
        signal_all(SIGCONT);
        trial.check();
    }
    CHECK_FALSE(listener.receive(Clock::now()));
}

}  // namespace muster::faults
