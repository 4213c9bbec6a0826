#include "tests/catch.hpp"

#include "cli/subjects/render.hpp"

using namespace muster;
using namespace muster::cli;

TEST_CASE("an explanation says where, since when and why, then what each node has to say",
          "[cli][explain]") {
    const CivilMs now{1'700'000'000'000};
    ExplainReply reply;
    reply.name = "web.3";
    reply.state = "running";
    reply.node = "n7";
    reply.since = CivilMs{raw(now) - 185'000};
    reply.decided_by = "load";
    reply.detail = "of the nodes that pass all filters it has the fewest instances";
    reply.verdicts = {{"n1", "label", "rack = r7", 0, 0, 9}, {"n7", "home", "", 0, 0, 2}};
    reply.decisions = {{CivilMs{raw(now) - 190'000}, "start", "web.3", "n7", "missing"}};
    CHECK(render(reply, now, {}) ==
          "instance    web.3\n"
          "state       running\n"
          "node        n7\n"
          "since       3m05s ago\n"
          "decided by  load\n"
          "because     of the nodes that pass all filters it has the fewest instances\n"
          "\n"
          "NODE  VERDICT  AFFINITY  SPREAD  LOAD  DETAIL\n"
          "n1    label                            rack = r7\n"
          "n7    home     0         0       2\n"
          "the lowest AFFINITY wins, then SPREAD, then LOAD, then the name\n"
          "\n"
          "AGO    DECISION  OF     NODE  CAUSE\n"
          "3m10s  start     web.3  n7    missing\n");
}

TEST_CASE("what if is shown as moves, then as what it costs", "[cli][what_if]") {
    PlanReply reply;
    reply.moves = {{{"web", 3}, "n7", "n2", "lost"}, {{"db", 0}, "", "n2", "missing"}};
    reply.gaps = {{"web", 1, 4}};
    reply.shortages = {{"batch", 2, 0, "full"}};
    reply.before = {3, 1, 2, 5};
    reply.after = {2, 2, 3, 5};
    CHECK(render(reply, {}, {}) ==
          "INSTANCE  FROM  TO  CAUSE\n"
          "web.3     n7    n2  lost\n"
          "db.0      -     n2  missing\n"
          "\n"
          "moves       2\n"
          "down        1 of 4 of task 'web' gone with their nodes\n"
          "unplaced    2 of task 'batch' (0 now): full\n"
          "now         5 instances on 3 nodes, 1 to 2 each\n"
          "then        5 instances on 2 nodes, 2 to 3 each\n");
}

// Goal: a script that asks what if is stopped by what the question changes, and by nothing else.
TEST_CASE("what if differs only by what follows from the question", "[cli][what_if]") {
    PlanReply reply;
    reply.before = reply.after = {3, 1, 2, 5};
    reply.shortages = {{"batch", 2, 2, "full"}};
    reply.pending = 4;
    reply.added = 2;
    reply.added_like = "n7";
    reply.resting = 1;
    reply.rested_in = 200s;
    reply.freeze = {.on = true, .counted = 8, .silent = 3};
    CHECK_FALSE(changes_anything(reply));
    CHECK(
        render(reply, {}, {}) ==
        "moves       0\n"
        "unplaced    2 of task 'batch' (2 now): full\n"
        "pending     4 starts and moves besides, which come in any case\n"
        "resting     1 instance moved a short time ago: the last may go in 3m20s\n"
        "added       2 nodes like n7\n"
        "freeze      on, with 3 of 8 nodes silent at once: nothing above is done before it ends or "
        "'muster freeze off'\n"
        "now         5 instances on 3 nodes, 1 to 2 each\n"
        "then        5 instances on 3 nodes, 1 to 2 each\n");
    reply.shortages.front().count = 3;
    CHECK(changes_anything(reply));
}
