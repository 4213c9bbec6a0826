#include "tests/catch.hpp"

#include "cli/subjects/render.hpp"

using namespace muster;
using namespace muster::cli;

TEST_CASE("an explanation shows where, since when and why, then the result for each node",
          "[cli][explain]") {
    const CivilMs now{1'700'000'000'000};
    ExplainReply reply;
    reply.name = "web.3";
    reply.state = "running";
    reply.node = "n7";
    reply.since = CivilMs{raw(now) - 185'000};
    reply.decided_by = "load";
    reply.detail = "of all nodes that can take it, this one has the fewest instances";
    reply.verdicts = {
        {"n10", "label", "rack = r7", 0, 0, 9, "does not meet the constraint rack = r7"},
        {"n2", "full", "", 0, 0, 9, "runs the most instances"},
        {"n7", "home", "", 0, 0, 2, "has the instance"}};
    reply.decisions = {{CivilMs{raw(now) - 190'000}, "start", "web.3", "n7", "missing"}};
    CHECK(render(reply, now, {}) ==
          "instance    web.3\n"
          "state       running\n"
          "node        n7\n"
          "since       3m05s ago\n"
          "decided by  load\n"
          "because     of all nodes that can take it, this one has the fewest instances\n"
          "\n"
          "n2: runs the most instances\n"
          "n7: has the instance (affinity 0, spread 0, load 2)\n"
          "n10: does not meet the constraint rack = r7\n"
          "the lowest affinity wins, then spread, then load, then the name\n"
          "\n"
          "AGO    DECISION  NAME   NODE  CAUSE\n"
          "3m10s  start     web.3  n7    missing\n");
}

// Goal: nobody reads that a halted task waits for a place.
TEST_CASE("the verdicts of a task are shown as those on one more instance", "[cli][explain]") {
    ExplainReply reply;
    reply.subject = Subject::task;
    reply.name = "web";
    reply.state = "halted";
    reply.decided_by = "halted";
    reply.detail = "the roll-out is halted";
    reply.verdicts = {{"n2", "fits", "", 0, 0, 9, "can take it"}};
    CHECK(render(reply, CivilMs{1'700'000'000'000}, {}) ==
          "task        web\n"
          "state       halted\n"
          "decided by  halted\n"
          "because     the roll-out is halted\n"
          "\n"
          "one more instance of it:\n"
          "n2: can take it (affinity 0, spread 0, load 9)\n"
          "the lowest affinity wins, then spread, then load, then the name\n");
}

TEST_CASE("a what-if answer shows the moves, then their cost", "[cli][what_if]") {
    PlanReply reply;
    reply.moves = {{{"web", 3}, "n7", "n2", "lost"}, {{"db", 0}, "", "n2", "missing"}};
    reply.gaps = {{"web", 1, 4}};
    reply.shortages = {{"batch", 2, 0, "full"}};
    reply.before = {3, 1, 2, 5};
    reply.after = {2, 2, 3, 5};
    CHECK(render(reply, {}, {}) ==
          "INSTANCE  FROM  TO  CAUSE\n"
          "db.0      -     n2  missing\n"
          "web.3     n7    n2  lost\n"
          "\n"
          "moves       2\n"
          "down        1 of 4 instances of task 'web' end with their nodes\n"
          "unplaced    2 of task 'batch' (now 0): full\n"
          "now         5 instances on 3 nodes, 1 to 2 each\n"
          "then        5 instances on 2 nodes, 2 to 3 each\n");
}

// Goal: a script that asks what-if stops on an effect of the question, and on nothing else.
TEST_CASE("a what-if answer differs only by what follows from the question", "[cli][what_if]") {
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
        "unplaced    2 of task 'batch' (now 2): full\n"
        "pending     4 other starts and moves, which are already decided\n"
        "resting     1 instance moved recently: the last one may move again in 3m20s\n"
        "added       2 nodes like n7\n"
        "freeze      on, with 3 of 8 nodes silent at once: nothing above happens until it ends or "
        "'muster freeze off'\n"
        "now         5 instances on 3 nodes, 1 to 2 each\n"
        "then        5 instances on 3 nodes, 1 to 2 each\n");
    reply.shortages.front().count = 3;
    CHECK(changes_anything(reply));
}
