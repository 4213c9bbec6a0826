#include "tests/faults/proxy.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "tests/faults/trial.hpp"

// Faults of the connection between a real agent and a real coordinator.
namespace muster::faults {

namespace {

using namespace std::chrono_literals;
using integration::until;
using Way = Proxy::Way;

/// Waits for this number of rounds while operators continue to make requests.
void let_pass(Trial& trial, std::uint64_t rounds) {
    const auto now = [&] { return trial.cluster().status().at("round").get<std::uint64_t>(); };
    trial.changes().ask();
    const auto end = now() + rounds;
    REQUIRE(until([&] { return now() >= end; }));
    trial.changes().ask();
}

/// Three nodes. The first connects through the proxy.
struct WiredTrial : Trial {
    WiredTrial() {
        cluster().reach_by("n1", wire.endpoint());
        begin({"n1", "n2", "n3"});
    }

    [[nodiscard]] bool is_lost() { return cluster().node("n1").at("health") == "lost"; }

    Proxy wire{cluster().endpoints().agents};
};

const std::set<std::string> first{"n1"};

}  // namespace

TEST_CASE("a delayed connection disturbs nothing", "[integration][faults][proxy]") {
    WiredTrial trial;
    for (const auto time : {50ms, 250ms}) {
        CAPTURE(time.count());
        trial.wire.delay(time);
        trial.give_more_work();
        let_pass(trial, 10);
        trial.wire.heal();
        trial.check(first);
    }
}

// Goal: in whichever direction data stalls, briefly or until the node is lost, no process that can
// continue is restarted, and no instance runs twice in the end.
TEST_CASE("a connection that stalls and resumes disturbs nothing", "[integration][faults][proxy]") {
    WiredTrial trial;
    for (const auto way : {Way::both, Way::to_coordinator, Way::to_agent}) {
        for (const bool lasts : {false, true}) {
            CAPTURE(static_cast<int>(way), lasts);
            trial.wire.stall(way);
            trial.give_more_work();
            let_pass(trial, 1);
            if (lasts) {
                REQUIRE(until([&] { return trial.is_lost(); }));
                let_pass(trial, 5);
            }
            trial.wire.heal();
            trial.check(first);
        }
    }
}

TEST_CASE("a connection that is reset repeatedly, or refused, disturbs nothing",
          "[integration][faults][proxy]") {
    WiredTrial trial;
    constexpr std::size_t resets = 4;
    for (std::size_t reset = 0; reset < resets; ++reset) {
        const auto connections = trial.wire.connections();
        trial.wire.reset();
        trial.changes().ask();
        REQUIRE(until([&] { return trial.wire.connections() > connections; }));
    }
    trial.give_more_work();
    trial.check(first);

    trial.wire.refuse();
    trial.give_more_work();
    REQUIRE(until([&] { return trial.is_lost(); }));
    let_pass(trial, 5);
    trial.wire.heal();
    trial.check(first);
}

TEST_CASE("a connection that flips bits disturbs nothing", "[integration][faults][proxy]") {
    WiredTrial trial;
    for (const auto way : {Way::to_coordinator, Way::to_agent, Way::both}) {
        CAPTURE(static_cast<int>(way));
        constexpr std::size_t messages = 10;
        const auto before = trial.wire.mangled();
        trial.wire.mangle(way);
        trial.give_more_work();
        trial.changes().ask();
        // A lost node is not polled any more.
        REQUIRE(
            until([&] { return trial.wire.mangled() >= before + messages || trial.is_lost(); }));
        CHECK(trial.wire.mangled() > before);
        trial.wire.heal();
        trial.check(first);
    }
}

// Goal: even a connection that the library gives up is opened again. Method: change the size of a
// frame, which ends the connection on either side.
TEST_CASE("a connection with senseless frames is opened again", "[integration][faults][proxy]") {
    WiredTrial trial;
    for (const auto way : {Way::to_coordinator, Way::to_agent}) {
        CAPTURE(static_cast<int>(way));
        const auto before = trial.wire.mangled();
        const auto connections = trial.wire.connections();
        trial.wire.tear(way);
        trial.give_more_work();
        trial.changes().ask();
        REQUIRE(until([&] { return trial.wire.mangled() > before; }));
        trial.wire.heal();
        REQUIRE(until([&] { return trial.wire.connections() > connections; }));
        trial.check(first);
    }
}

// Goal: S9: when all connections stall at once, no node is blamed, and nothing moves.
TEST_CASE("connections that all stall at once move nothing", "[integration][faults][proxy][S9]") {
    Trial trial;
    Proxy wire{trial.cluster().endpoints().agents};
    for (const auto* const node : {"n1", "n2", "n3"}) {
        trial.cluster().reach_by(node, wire.endpoint());
    }
    trial.begin({"n1", "n2", "n3"});
    let_pass(trial, 12);  // Nodes count for a freeze after a window.
    wire.stall(Way::both);
    trial.give_more_work();
    REQUIRE(until([&] { return trial.cluster().status().at("freeze").at("on") == true; }));
    trial.changes().ask();
    wire.heal();
    trial.check();
}

}  // namespace muster::faults
