// Instances with secrets that the coordinator sends.

#include "tests/catch.hpp"

#include "tests/unit/agent/core/agent_harness.hpp"

using namespace muster;
using namespace muster::agent;
using namespace muster::agent::testing;

// Goal: an instance whose secret is gone with an earlier life of its agent is ordered again, and
// this counts against nobody. Method: its process is not made for lack of the value.
TEST_CASE("an instance without the value of its secret leaves, so that it is ordered again",
          "[supervisor][secrets]") {
    Node node{{.processes_answer = false}};
    node.join();
    node.start(web0, 3);
    node.input(ProcessNotStarted{
        .process = ProcessId{1}, .detail = "no value of a secret", .needs_order = true});
    CHECK(node.state(web0) == "unknown");
    CHECK_FALSE(node.host().spawn_failing);
    node.start(web0, 3);
    CHECK(node.spawns.size() == 2);
}
