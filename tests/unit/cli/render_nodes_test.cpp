#include <cstdint>
#include <string>

#include "tests/catch.hpp"

#include "cli/subjects/render.hpp"

using namespace muster;
using namespace muster::cli;

namespace {

constexpr CivilMs shown_at{1'700'000'000'000};

CivilMs ago(std::int64_t seconds) { return CivilMs{raw(shown_at) - seconds * 1000}; }

}  // namespace

TEST_CASE("status names the host that leads and the tasks that are not converged", "[cli]") {
    StatusReply status;
    status.phase = "leading";
    status.host = "ctl-1";
    status.epoch = Epoch{3};
    status.tasks = 30;
    status.unconverged = 12;
    status.unconverged_tasks = {"web10", "web2"};
    const auto text = render(status, shown_at, {});
    CAPTURE(text);
    CHECK(text.find("leader      ctl-1, leading, epoch 3, round 0\n") != std::string::npos);
    CHECK(text.find("state       not converged\nunconverged web2, web10 and 10 more\n") !=
          std::string::npos);
}

TEST_CASE("status names halted roll-outs, and calls nothing of them rolling", "[cli]") {
    StatusReply status;
    status.rolling = 20;
    CHECK(render(status, shown_at, {}).find("state       not converged, 20 rolling\n") !=
          std::string::npos);
    status.halted = 1;
    CHECK(render(status, shown_at, {})
              .find("state       not converged, 1 halted ('muster task list' shows why), 20 not "
                    "updated\n") != std::string::npos);
}

// Goal: a script finds a value in the same column of each row. Method: a silent node that has not
// said its version, beside one that answers.
TEST_CASE("a list of nodes has a value in each column before the reason", "[cli]") {
    NodeListReply nodes;
    for (const char* const name : {"n1", "n2"}) {
        NodeView& node = nodes.nodes.emplace_back();
        node.name = name;
        node.health = "healthy";
        node.intent = "active";
        node.version = "1.0";
    }
    nodes.nodes[1].health = "silent";
    nodes.nodes[1].version.clear();
    nodes.nodes[1].missed = 4;
    nodes.nodes[1].note = "silent for 4 polls";
    CHECK(render(nodes, shown_at, {}) ==
          "NODE  HEALTH   INTENT  INSTANCES  HOST LOAD  ANSWERED  MISSED  INCARNATION  VERSION  "
          "NOTE\n"
          "n1    healthy  active  0          0.00       -         0       0            1.0\n"
          "n2    silent   active  0          0.00       -         4       0            -        "
          "silent for 4 polls\n");
}

// Goal: a list has its natural order, and unknown values are readable.
// Method: nodes in byte order, as the coordinator sends them.
TEST_CASE("nodes and tasks are listed in natural order", "[cli]") {
    NodeListReply nodes;
    for (const char* const name : {"n1", "n10", "n2"}) {
        NodeView& node = nodes.nodes.emplace_back();
        node.name = name;
        node.health = "healthy";
    }
    nodes.removed = {"x10", "x9"};
    const auto listed = render(nodes, shown_at, {});
    CAPTURE(listed);
    CHECK(listed.find("\nn2 ") < listed.find("\nn10 "));
    CHECK(listed.find("'muster node add': x9, x10\n") != std::string::npos);
    TaskListReply tasks;
    for (const char* const name : {"web1", "web10", "web2"}) {
        tasks.tasks.push_back({name, 1, 1, Generation{1}, "converged", ""});
    }
    const auto shown = render(tasks, shown_at, {});
    CHECK(shown.find("\nweb2 ") < shown.find("\nweb10 "));
}

// Goal: a person sees why a node is suspended, and until when, without words of the code.
TEST_CASE("a node shows its flap score, the causes and the end of its suspension", "[cli]") {
    NodeShowReply reply;
    reply.node.name = "n1";
    reply.node.health = "flaky";
    reply.flap_score = {.score = 600,
                        .threshold = 1'000,
                        .suspensions = 2,
                        .suspended_until = ago(-24),
                        .contributions = {{"missed_poll", 12, ago(49)}}};
    reply.vitals.at = ago(49);
    reply.vitals.memory_free = std::uint64_t{3} << 29U;
    const auto text = render(reply, shown_at, {});
    CAPTURE(text);
    CHECK(text.find("flap score  600 of 1000, suspended 2 times so far\n"
                    "flap cause  missed_poll: 12 times, last 49s ago\n"
                    "suspended   until 2023-11-14 22:13:44.000Z, for 24s more\n") !=
          std::string::npos);
    CHECK(text.find("memory free 1.5GiB\n") != std::string::npos);
    CHECK(text.find("clock       agrees with the coordinator's\n") != std::string::npos);
    CHECK(text.find("measured    49s ago\n") != std::string::npos);
}
