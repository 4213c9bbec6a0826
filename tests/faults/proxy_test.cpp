#include "tests/faults/proxy.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "tests/faults/trial.hpp"

// The wire between a real agent and a real coordinator under faults.
namespace muster::faults {

namespace {

using namespace std::chrono_literals;
using integration::until;
using Way = Proxy::Way;

/// So many rounds later, while operators go on.
void let_pass(Trial& trial, std::uint64_t rounds) {
    const auto now = [&] { return trial.cluster().status().at("round").get<std::uint64_t>(); };
    trial.changes().ask();
    const auto end = now() + rounds;
    REQUIRE(until([&] { return now() >= end; }));
    trial.changes().ask();
}

/// Three nodes, of which the first is behind a wire that we hold.
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

TEST_CASE("a link on which all is late costs nothing", "[integration][faults][proxy]") {
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

// Goal: whichever way nothing comes through, for a moment or until the node is lost, no process is
// restarted that could run on, and none runs twice in the end.
TEST_CASE("a link that stands still and goes on costs nothing", "[integration][faults][proxy]") {
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

TEST_CASE("a link that is reset again and again, or refused, costs nothing",
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

TEST_CASE("a link that changes bits costs nothing", "[integration][faults][proxy]") {
    WiredTrial trial;
    for (const auto way : {Way::to_coordinator, Way::to_agent, Way::both}) {
        CAPTURE(static_cast<int>(way));
        constexpr std::size_t messages = 10;
        const auto before = trial.wire.mangled();
        trial.wire.mangle(way);
        trial.give_more_work();
        trial.changes().ask();
        // A node that is lost is not asked any more.
        REQUIRE(
            until([&] { return trial.wire.mangled() >= before + messages || trial.is_lost(); }));
        CHECK(trial.wire.mangled() > before);
        trial.wire.heal();
        trial.check(first);
    }
}

// Goal: also a link that the library gives up for good is made anew. Method: the size of a frame is
// changed, which at either side ends the link.
TEST_CASE("a link on which frames have no sense is made anew", "[integration][faults][proxy]") {
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

// Goal: S9: when all links stand still at once it is no node's fault, and nothing is moved.
TEST_CASE("links that all stand still move nothing", "[integration][faults][proxy][S9]") {
    Trial trial;
    Proxy wire{trial.cluster().endpoints().agents};
    for (const auto* const node : {"n1", "n2", "n3"}) {
        trial.cluster().reach_by(node, wire.endpoint());
    }
    trial.begin({"n1", "n2", "n3"});
    let_pass(trial, 12);  // What did not serve a window ago is none that fell silent.
    wire.stall(Way::both);
    trial.give_more_work();
    REQUIRE(until([&] { return trial.cluster().status().at("freeze").at("on") == true; }));
    trial.changes().ask();
    wire.heal();
    trial.check();
}

}  // namespace muster::faults
