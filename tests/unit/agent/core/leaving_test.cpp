// How an agent ends and leaves its instances running, or stops them first; in virtual time.

#include "tests/catch.hpp"

#include "tests/unit/agent/core/agent_harness.hpp"

using namespace muster;
using namespace muster::agent;
using namespace muster::agent::testing;

TEST_CASE("an agent that leaves announces its departure, and its instances keep running",
          "[agent][journal]") {
    Node node;
    node.join();
    node.start(web0, 3);
    node.input(Leave{});
    CHECK(node.finished);
    CHECK(node.count<Departure>() == 1);
    CHECK(node.ends.empty());
    CHECK(node.state(web0) == "running");
}

TEST_CASE("an agent that leaves waits for writes in flight", "[agent][journal]") {
    Node node{{.journal_answers = false}};
    node.join();
    node.start(web0, 3);
    node.input(Leave{});
    CHECK_FALSE(node.finished);
    SECTION("which is written") { node.input(Journaled{}); }
    SECTION("which cannot be written") { node.input(JournalFailed{"no"}); }
    while (!node.finished && node.journal.size() < 4) {
        node.input(Journaled{});
    }
    CHECK(node.finished);
}

// Goal: the coordinator does not place elsewhere at once what the next life restores from a journal
// that could not be written. Method: the agent stops all while its journal fails, or not.
TEST_CASE("an agent that leaves counts what its journal still has", "[agent][journal]") {
    Node node{{.journal_answers = false}};
    node.join();
    node.start(web0, 3);
    node.input(Journaled{});
    node.input(Journaled{});
    const bool fails = GENERATE(false, true);
    const AgentInput answer =
        fails ? AgentInput{JournalFailed{"the disk is full"}} : AgentInput{Journaled{}};
    node.input(ShutDown{});
    node.input(answer);
    node.ended(ProcessId{1}, 0);
    for (int tries = 0; !node.finished && tries < 4; ++tries) {
        node.input(answer);
    }
    REQUIRE(node.finished);
    CHECK(node.last<Departure>()->instances == (fails ? 1U : 0U));
}

// Goal: the agent does not busy-loop. Method: a restart is due, and is not done.
TEST_CASE("an agent that leaves does not wake for starts that it will not do", "[agent][journal]") {
    Node node{{.journal_answers = false}};
    node.join();
    node.start(web0, 3);
    node.input(Journaled{});
    node.input(Journaled{});
    node.ended(node.last_process(), 1);
    REQUIRE(node.state(web0) == "backoff");
    node.input(Leave{});
    REQUIRE_FALSE(node.finished);
    node.sleep(1min);
    node.input(AgentWake{});
    CHECK(node.agent().next_deadline() > node.now());
}
