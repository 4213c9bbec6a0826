#include <string>

#include "tests/scenarios/support.hpp"

// Short stories as their traces. When the protocol changes, the traces change, and the change is
// readable.
namespace muster::sim {
namespace {

// Begins with a line break, as the literals do.
std::string story(Cluster& cluster) { return "\n" + cluster.trace().text(); }

TEST_CASE("the story of a first task", "[scenario][trace]") {
    Cluster cluster{{.nodes = 1}};
    cluster.run(1500ms);
    cluster.want("web", 1);
    cluster.run(400ms);
    CHECK(story(cluster) == R"(
[    0] n0 begins, incarnation 1
[    0] c1 leads, epoch 1
[    0] c1 leader.elected epoch 1
[    0] c1 recovery.ended every known node has reported or is lost
[    2] c1 > n0 refused, hello_required
[   21] n0 > c1 hello, incarnation 1, epoch 0
[   21] c1 > n0 version sim -> joined
[   22] c1 stores 1
[   22] c1 > n0 welcome, incarnation 1, epoch 1
[   24] n0 > c1 snapshot 1:
[   24] c1 > n0 no check is asked for -> ready
[ 1003] c1 stores 2
[ 1003] c1 proofs.required an instance of a generation above 0 counts only with the proof of its order
[ 1500] op asks 0: apply
[ 1502] c1 stores 3
[ 1502] c1 task.added web instances 0 -> 1
[ 1502] c1 instance.start web.0 ordered on n0: missing
[ 1503] c1 > n0 batch 1.1: start web.0 g1
[ 1503] c1 > op 0 ok, counter 1, web add x1
[ 1505] n0 + web.0 g1
[ 1505] n0 > c1 obeyed 1
[ 1510] n0 > c1 delta 1 to 3: web.0 g1 running
[ 1510] c1 instance.started web.0 on n0
)");
}

TEST_CASE("the story of a lost node", "[scenario][trace][failover]") {
    Cluster cluster{{.nodes = 2}};
    cluster.want("web", 1);
    cluster.run(4500ms);
    cluster.trace().clear();
    REQUIRE(cluster.running_on("n0") == 1);
    cluster.kill_host("n0");
    cluster.run(5s);
    CHECK(story(cluster) == R"(
[ 4500] n0 loses its power
[ 4500] n0 - web.0 g1
[ 8000] c1 > n0 silent for 3 polls -> lost
[ 8001] c1 stores 5
[ 8001] c1 instance.start web.0 ordered on n1: lost
[ 8002] c1 > n1 batch 1.1: start web.0 g1
[ 8004] n1 + web.0 g1
[ 8004] n1 > c1 obeyed 1
[ 8009] n1 > c1 delta 1 to 3: web.0 g1 running
[ 8009] c1 instance.started web.0 on n1
[ 9000] c1 task.converged web
)");
}

// Goal: a stale leader cannot change an agent. Method: under the second leader, the first one's
// command arrives again.
TEST_CASE("the story of a stale leader's command", "[scenario][trace][S5]") {
    Cluster cluster{{.nodes = 1}};
    cluster.want("web", 1);
    cluster.run(3s);
    cluster.remove("web");
    cluster.run(3s);
    cluster.crash_coordinator();
    cluster.run(500ms);
    cluster.restart_coordinator();
    cluster.run(5s);
    cluster.trace().clear();
    cluster.replay_batch("n0", 1);
    cluster.run(500ms);
    CHECK(cluster.running("web") == 0);
    CHECK(story(cluster) == R"(
[11500] n0 gets an old batch once more
[11500] c1 > n0 batch 1.1: start web.0 g1
[11501] n0 > c1 obeyed 0, refused web.0 g1 stale_epoch
[11501] c1 instance.refused web.0 by n0: stale_epoch
)");
    require_no_violations(cluster);
}

// Goal: a stop follows only after its start is proven. Method: one node joins a full one.
TEST_CASE("the story of a move", "[scenario][trace][GO-13]") {
    Cluster cluster{{.nodes = 1}};
    cluster.want("api", 1);
    cluster.want("web", 1);
    cluster.run(4s);
    cluster.trace().clear();
    cluster.add_host("n1");
    cluster.run(4s);
    CHECK(story(cluster) == R"(
[ 4000] n1 begins, incarnation 1
[ 4002] c1 > n1 refused, hello_required
[ 4021] n1 > c1 hello, incarnation 1, epoch 0
[ 4021] c1 > n1 version sim -> joined
[ 4022] c1 stores 5
[ 4022] c1 > n1 welcome, incarnation 1, epoch 1
[ 4024] n1 > c1 snapshot 1:
[ 4024] c1 > n1 no check is asked for -> ready
[ 5002] c1 instance.start web.0 ordered on n1: balance
[ 5003] c1 > n1 batch 1.1: start web.0 g2
[ 5005] n1 + web.0 g2
[ 5005] n1 > c1 obeyed 1
[ 5010] n1 > c1 delta 1 to 3: web.0 g2 running
[ 5010] c1 instance.started web.0 on n1
[ 6002] c1 instance.stop web.0 ordered on n0: balance
[ 6003] c1 > n0 batch 1.2: stop web.0 g2
[ 6004] n0 > c1 obeyed 2
[ 6006] n0 > c1 delta 4 to 5: web.0 g2 stopping
[ 6008] n0 - web.0 g2
[ 6026] n0 > c1 delta 5 to 7: -web.0
[ 6026] c1 instance.stopped web.0 on n0
)");
}

}  // namespace
}  // namespace muster::sim
