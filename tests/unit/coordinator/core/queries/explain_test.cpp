#include <algorithm>
#include <string>
#include <utility>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "coordinator/core/planning/history.hpp"
#include "coordinator/core/planning/instants.hpp"
#include "tests/unit/coordinator/core/queries/explain_scene.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

namespace {

Errc error_of(CoordinatorHarness& harness, Subject subject, const std::string& name) {
    const auto reply = harness.ask(ExplainRequest{subject, name});
    REQUIRE(reply);
    REQUIRE_FALSE(reply->result);
    return reply->result.error().code;
}

}  // namespace

TEST_CASE("an explanation has an instance's node, since when, why, and the verdicts of the others",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.want("web", 2);
    harness.want("db", 1);
    harness.pass(3s);
    const auto web = explain_instance(harness, "web.0");
    CHECK(web.state == "running");
    CHECK(web.node == "n1");
    CHECK(web.decided_by == "only_choice");
    CHECK(verdict_on(web, "n1").code == "home");
    CHECK(verdict_on(web, "n1").sentence == "has the instance");
    CHECK(verdict_on(web, "n2").code == "max_per_node");
    CHECK(verdict_on(web, "n2").sentence == "already runs web.1, and max_per_node is 1");
    REQUIRE(web.decisions.size() == 1);
    CHECK(web.decisions[0].what == "start");
    CHECK(web.decisions[0].node == "n1");
    CHECK(web.decisions[0].cause == "missing");

    const auto db = explain_instance(harness, "db.0");
    CHECK(db.node == "n1");
    CHECK(db.decided_by == "name");
    CHECK(verdict_on(db, "n2").code == "fits");
    CHECK(verdict_on(db, "n2").sentence == "can take it");
}

TEST_CASE("an explanation of an unplaced instance counts what rules out the nodes",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    FakeAgent& n2 = harness.join("n2");
    auto task = CoordinatorHarness::wanted("web", 3);
    task.place.constraints = {*parse_constraint("rack = r7")};
    harness.want("db", 1);
    harness.ask(TaskAddRequest{task, true});
    harness.pass(2s);
    auto web = explain_instance(harness, "web.2");
    CHECK(web.state == "unplaced");
    CHECK(web.node.empty());
    CHECK(web.decided_by == "label");
    CHECK(verdict_on(web, "n1").code == "label");
    CHECK(verdict_on(web, "n1").detail == "rack = r7");
    CHECK(verdict_on(web, "n1").sentence == "does not meet the constraint rack = r7");
    CHECK(web.detail == "no eligible node: 2 label rack = r7");

    n2.answers = false;
    harness.pass(10s);
    web = explain(harness, Subject::task, "web");
    CHECK(verdict_on(web, "n2").code == "lost");
    CHECK_THAT(verdict_on(web, "n2").sentence, Catch::StartsWith("is lost: was silent for "));
    CHECK(web.detail == "no eligible node: 1 label rack = r7, 1 lost");
    const auto node = explain(harness, Subject::node, "n2");
    CHECK(node.state == "not serving");
    CHECK(node.decided_by == "lost");
    REQUIRE_FALSE(node.decisions.empty());
    CHECK(node.decisions.front().what == "node.lost");
    CHECK(explain(harness, Subject::node, "n1").state == "serving");
}

// Goal: the deciding score is shown as of the time of placement.
// Method: n2 and n3 are of one rack, and n2 has more load.
TEST_CASE("among nodes with the same label the load decides", "[coordinator][explain]") {
    CoordinatorHarness harness;
    for (const auto& [name, rack] :
         {std::pair{"n1", "r1"}, std::pair{"n2", "r2"}, std::pair{"n3", "r2"}}) {
        FakeAgent& fake = harness.add(name);
        Hello hello = CoordinatorHarness::hello_of(fake);
        hello.offer.labels["rack"] = rack;
        harness.give(FromAgent{fake.session, hello});
    }
    auto db = CoordinatorHarness::wanted("db", 1);
    db.place.constraints = {*parse_constraint("node = n2")};
    harness.ask(TaskAddRequest{db, true}, harness.fresh_id());
    harness.pass(2s);
    auto web = CoordinatorHarness::wanted("web", 2);
    web.place.spread = "rack";
    harness.ask(TaskAddRequest{web, true}, harness.fresh_id());
    harness.pass(2s);
    const auto why = explain_instance(harness, "web.1");
    CHECK(why.node == "n3");
    CHECK(why.decided_by == "load");
}

TEST_CASE("an instance that must not start yet is not shown as without a node",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    REQUIRE(harness.ask(LimitSetRequest{"starts_per_round", 0}, harness.fresh_id())->result);
    harness.want("web", 1);
    harness.pass(3s);
    for (const auto& [subject, name] :
         {std::pair{Subject::instance, "web.0"}, std::pair{Subject::task, "web"}}) {
        const auto why = explain(harness, subject, name);
        CHECK(why.decided_by == "starts_per_round");
        CHECK_THAT(why.detail, Catch::StartsWith("starts_per_round allows no more starts"));
        CHECK(verdict_on(why, "n1").code == "fits");
    }
}

// Goal: each short instance is counted and explained by its own reason.
// Method: an instance waits for its lost node, three more lack a place.
TEST_CASE("each instance that is short is counted and explained by its own reason",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    for (int node = 1; node <= 5; ++node) {
        harness.join("n" + std::to_string(node));
    }
    WantedTask task = CoordinatorHarness::wanted("web", 5);
    task.place.reschedule_after = 10min;
    harness.ask(TaskAddRequest{task}, harness.fresh_id());
    harness.pass(3s);
    harness["n1"].answers = harness["n1"].obeys = false;
    harness.pass(10s);
    CHECK(explain_instance(harness, "web.0").decided_by == "rescheduling");
    harness.ask(TaskScaleRequest{.pattern = "web", .instances = 8}, harness.fresh_id());
    harness.pass(3s);
    CHECK(explain_instance(harness, "web.0").decided_by == "rescheduling");
    CHECK(explain_instance(harness, "web.7").decided_by == "max_per_node");
    const auto status = harness.status();
    CHECK(status.starting == 0);
    CHECK(status.unplaced == 4);
    REQUIRE(status.unplaced_reasons.size() == 2);
    CHECK(status.unplaced_reasons[0].code == "max_per_node");
    CHECK(status.unplaced_reasons[0].count == 3);
    CHECK(status.unplaced_reasons[1].code == "rescheduling");
    CHECK(status.unplaced_reasons[1].count == 1);
    const auto shown = harness.read<TaskShowReply>(TaskShowRequest{"web"});
    CHECK(shown.unplaced_reasons.size() == 2);
    CHECK_THAT(shown.task.detail, Catch::EndsWith("; 1: its node is lost, and reschedule_after "
                                                  "has not passed"));
}

TEST_CASE("an instance that its node no longer suits and that cannot move says so",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    auto web = CoordinatorHarness::wanted("web", 1);
    harness.ask(TaskAddRequest{web}, harness.fresh_id());
    harness.pass(3s);
    web.place.pool = "gpu";
    harness.ask(ApplyRequest{.tasks = {web}, .force = true}, harness.fresh_id());
    harness.pass(3s);
    const auto shown = harness.read<TaskShowReply>(TaskShowRequest{"web"});
    REQUIRE(shown.instances.size() == 1);
    CHECK(shown.instances.front().state == "running");
    CHECK(shown.instances.front().detail ==
          "has to leave its node: no serving node is in the task's pool");
}

// Goal: an explanation never uses the offer of a removed node.
// Method: the only node is lost with an instance, and an operator takes it off the list.
TEST_CASE("an instance whose node was removed is explained as one without a node",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(3s);
    n1.answers = false;
    harness.pass(10s);
    REQUIRE(harness.ask(FreezeOffRequest{})->result);
    harness.pass(10s);
    CHECK(explain_instance(harness, "web.0").state == "unknown");
    REQUIRE(
        harness.ask(NodeRemoveRequest{.pattern = "n1", .force = true}, harness.fresh_id())->result);
    harness.pass(2s);
    const auto web = explain_instance(harness, "web.0");
    CHECK(web.state == "unplaced");
    CHECK(web.node.empty());
    CHECK(web.decided_by == "no_nodes");
    CHECK(web.verdicts.empty());
}

TEST_CASE("a node's state dates from the change of its health or intent",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.pass(5s);
    const CivilMs since = harness.node("n1").since;
    REQUIRE(harness.ask(NodeAddRequest{{{"n1", ""}}, {}}, harness.fresh_id())->result);
    harness.pass(1s);
    const auto why = explain(harness, Subject::node, "n1");
    CHECK(why.since == since);
    CHECK(why.decisions.front().at > since);
}

// Goal: explanations use muster's terms. Method: a node is drained, and misses some polls.
TEST_CASE("a node that is drained shows the operator, and its health", "[coordinator][explain]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.join("n2");
    harness.want("web", 2);
    harness.pass(3s);
    REQUIRE(harness
                .ask(NodeDrainRequest{.pattern = "n1", .why = {"new disk", "ann@desk"}},
                     harness.fresh_id())
                ->result);
    n1.answers = false;
    harness.pass(3s);
    const auto why = explain(harness, Subject::node, "n1");
    CHECK(why.decided_by == "draining");
    CHECK_THAT(why.detail, Catch::StartsWith("by ann@desk: new disk; silent for "));
}

// Goal: a name can be given without its kind, and is never mistaken for another.
// Method: a task, its instance, a node, a name of two things, of three, and of none.
TEST_CASE("a name alone is explained only if it is unambiguous", "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("both");
    harness.join("web.0");
    harness.want("web", 1);
    harness.want("both", 1);
    harness.pass(3s);
    CHECK(explain(harness, Subject::any, "web").subject == Subject::task);
    CHECK(explain(harness, Subject::any, "n1").subject == Subject::node);
    CHECK(explain(harness, Subject::any, "both.0").subject == Subject::instance);
    const auto error = [&](const std::string& name) {
        const auto reply = harness.ask(ExplainRequest{Subject::any, name});
        REQUIRE(reply);
        REQUIRE_FALSE(reply->result);
        return reply->result.error();
    };
    CHECK(error("both").code == Errc::invalid);
    CHECK(error("both").detail ==
          "'both' is the name of more than one thing; write 'muster explain task both' or 'muster "
          "explain node both'");
    CHECK_THAT(error("web.0").detail, Catch::Contains("'muster explain instance web.0' or "
                                                      "'muster explain node web.0'"));
    CHECK(error("none").code == Errc::not_found);
    CHECK(error("web.1").code == Errc::not_found);
    CHECK(error("[").code == Errc::not_found);
}

// Goal: a shortage is shown as an amount with its unit.
// Method: a task that needs more cores than its only node has free.
TEST_CASE("a node with too little room shows how much is free and how much is needed",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.add("n1");
    Hello hello = CoordinatorHarness::hello_of(n1);
    hello.offer.capacity.cpu_milli = 2'000;
    hello.offer.capacity.memory_bytes = std::uint64_t{1} << 30U;
    harness.give(FromAgent{n1.session, hello});
    harness.pass(2s);
    auto web = CoordinatorHarness::wanted("web", 1);
    web.place.request.cpu_milli = 2'500;
    harness.ask(TaskAddRequest{web}, harness.fresh_id());
    auto db = CoordinatorHarness::wanted("db", 1);
    db.place.request.memory_bytes = std::uint64_t{3} << 29U;
    harness.ask(TaskAddRequest{db}, harness.fresh_id());
    harness.pass(2s);
    CHECK(verdict_on(explain(harness, Subject::task, "web"), "n1").sentence ==
          "has too little free: 2 cores of 2 cores free, 2.5 cores needed");
    CHECK(verdict_on(explain(harness, Subject::task, "db"), "n1").sentence ==
          "has too little free: 1GiB of 1GiB free, 1.5GiB needed");
}

TEST_CASE("an unknown name is not explained", "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    CHECK(error_of(harness, Subject::instance, "web") == Errc::invalid);
    CHECK(error_of(harness, Subject::instance, "web.x") == Errc::invalid);
    CHECK(error_of(harness, Subject::instance, "web.99999999999") == Errc::invalid);
    CHECK(error_of(harness, Subject::instance, "web.1") == Errc::not_found);
    CHECK(error_of(harness, Subject::instance, "db.0") == Errc::not_found);
    CHECK(error_of(harness, Subject::task, "db") == Errc::not_found);
    CHECK(error_of(harness, Subject::node, "n9") == Errc::not_found);
}

// Goal: no question ends the coordinator. Method: a task of every node that suits no node, and then
// one instance more than there are.
TEST_CASE("an instance of a task of every node is explained only if it exists",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    WantedTask log = CoordinatorHarness::wanted("log", 1);
    log.place.every_node = true;
    log.place.pool = "edge";
    REQUIRE(harness.ask(TaskAddRequest{log, true})->result);
    harness.pass(2s);
    CHECK(error_of(harness, Subject::instance, "log.0") == Errc::not_found);
    log.place.pool = default_pool;
    REQUIRE(harness.ask(ApplyRequest{.tasks = {log}})->result);
    harness.pass(3s);
    CHECK(explain_instance(harness, "log.0").node == "n1");
    CHECK(error_of(harness, Subject::instance, "log.1") == Errc::not_found);
}

TEST_CASE("a what-if question is answered, and changes nothing", "[coordinator][what_if]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.want("web", 1);
    harness.pass(3s);
    const auto writes = harness.persisted.size();
    const auto plan = harness.read<PlanReply>(PlanRequest{.fail = {"node=n1"}});
    REQUIRE(plan.moves.size() == 1);
    CHECK(plan.moves[0].to == "n2");
    CHECK(harness.persisted.size() == writes);
    harness.pass(3s);
    CHECK(explain_instance(harness, "web.0").node == "n1");
    CHECK(harness.status().converged);
}

TEST_CASE("a balance is made on demand, once, and refused where it is off",
          "[coordinator][what_if]") {
    CoordinatorOptions options;
    options.rebalance = Rebalance::on_demand;
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), options};
    harness.join("n1");
    harness.want("a", 1);
    harness.want("b", 1);
    harness.pass(3s);
    harness.join("n2");
    harness.pass(5s);
    CHECK(explain_instance(harness, "a.0").node == "n1");
    CHECK(explain_instance(harness, "b.0").node == "n1");
    CHECK(harness.read<PlanReply>(PlanRequest{}).moves.empty());
    CHECK(harness.read<PlanReply>(PlanRequest{.rebalance = true}).moves.size() == 1);
    CHECK(harness.ask(RebalanceRequest{})->result);
    harness.pass(5s);
    CHECK(harness.node("n1").instances == 1);
    CHECK(harness.node("n2").instances == 1);

    options.rebalance = Rebalance::off;
    CoordinatorHarness off{CoordinatorHarness::empty_store(), options};
    const auto reply = off.ask(RebalanceRequest{});
    REQUIRE(reply);
    REQUIRE_FALSE(reply->result);
    CHECK(reply->result.error().code == Errc::refused);
}

TEST_CASE("the history of decisions is bounded, and the latest are first",
          "[coordinator][explain]") {
    History history;
    const Order order{.action = Order::Action::stop, .cause = Cause::surplus};
    for (std::size_t i = 0; i <= limits::decisions_kept; ++i) {
        history.add(CivilMs{static_cast<std::int64_t>(i)}, {"web", static_cast<Ordinal>(i % 2)},
                    "n1", order);
    }
    const auto latest = history.of_task("web", 3);
    REQUIRE(latest.size() == 3);
    CHECK(latest[0].at == CivilMs{limits::decisions_kept});
    CHECK(latest[0].what == "stop");
    CHECK(latest[0].cause == "surplus");
    CHECK(history.of_task("web", ~std::size_t{0}).size() == limits::decisions_kept);
    CHECK(history.of_instance({"web", 1}, ~std::size_t{0}).size() == limits::decisions_kept / 2);
    CHECK(history.on_node("n2", 1).empty());
}

// Goal: a task shows since when its state holds.
// Method: it converges, is scaled beyond what fits, and falls short.
TEST_CASE("the state of a task dates from the event that published it", "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.want("web", 1);
    harness.pass(5s);
    const auto since = [&](const std::string& topic) {
        const auto found =
            std::ranges::find(harness.events.rbegin(), harness.events.rend(), topic, &Event::topic);
        REQUIRE(found != harness.events.rend());
        return found->at;
    };
    CHECK(explain(harness, Subject::task, "web").since == since("task.converged"));
    harness.ask(TaskScaleRequest{"web", 2}, harness.fresh_id());
    harness.pass(5s);
    const auto web = explain(harness, Subject::task, "web");
    CHECK(web.state == "unplaced");
    CHECK(web.since == since("task.unplaced"));
    CHECK(web.since > since("task.scaled"));
}

// Goal: the start of a state is not forgotten with the events.
// Method: a task converges and an instance fails; then more events follow than are kept.
TEST_CASE("the start of the state of a task and an instance outlives the events",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.want("web", 1);
    harness.want("job", 1);
    harness.want("other", 1);
    harness.pass(3s);
    harness["n1"].instances[{"job", 0}].state = InstanceState::failed;
    harness["n1"].revision = next(harness["n1"].revision);
    harness.pass(3s);
    const auto web = explain(harness, Subject::task, "web").since;
    const auto job = explain_instance(harness, "job.0");
    CHECK(web != CivilMs{});
    REQUIRE_FALSE(job.decisions.empty());
    CHECK(job.since == job.decisions.front().at);
    for (std::uint32_t at = 0; at <= limits::events_kept; ++at) {  // An event each.
        harness.ask(TaskScaleRequest{"other", at % 2}, harness.fresh_id());
    }
    harness.pass(3s);
    const auto events = harness.read<EventsReply>(EventsRequest{});
    REQUIRE(events.events.front().at > web);
    CHECK(explain(harness, Subject::task, "web").since == web);
    CHECK(explain_instance(harness, "job.0").since == job.since);
}

TEST_CASE("the time of an order is kept as long as its task is wanted", "[explain]") {
    Instants instants;
    Task task;
    task.wanted = true;
    task.created = Generation{3};
    instants.on_order(TaskIndex{1}, task, 2, CivilMs{17});
    CHECK(instants.ordered(TaskIndex{1}, task, 2) == CivilMs{17});
    CHECK(instants.ordered(TaskIndex{1}, task, 1) == CivilMs{});
    CHECK(instants.ordered(TaskIndex{0}, task, 2) == CivilMs{});
    instants.on_phase(TaskIndex{1}, task, TaskPhase::placing, false, CivilMs{18});
    instants.on_phase(TaskIndex{1}, task, TaskPhase::placing, false, CivilMs{19});
    CHECK(instants.phase_since(TaskIndex{1}, task, TaskPhase::placing) == CivilMs{18});
    CHECK(instants.phase_since(TaskIndex{1}, task, TaskPhase::failed) == CivilMs{});
    instants.on_phase(TaskIndex{1}, task, TaskPhase::placing, true, CivilMs{20});
    CHECK(instants.phase_since(TaskIndex{1}, task, TaskPhase::placing) == CivilMs{20});
    task.created = Generation{4};  // Removed and added again, or another task with this index.
    CHECK(instants.ordered(TaskIndex{1}, task, 2) == CivilMs{});
    CHECK(instants.phase_since(TaskIndex{1}, task, TaskPhase::placing) == CivilMs{});
}

// Goal: the running time of an instance on a lost node is unknown. Method: its node is lost.
TEST_CASE("an instance of a lost node is unknown wherever it is shown", "[coordinator][explain]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    auto task = CoordinatorHarness::wanted("web", 1);
    task.place.reschedule_after = 1h;
    harness.ask(TaskAddRequest{task, false}, harness.fresh_id());
    harness.pass(2s);
    REQUIRE(explain_instance(harness, "web.0").state == "running");
    n1.answers = false;
    harness.pass(20s);
    REQUIRE(harness.node("n1").health == "lost");

    const auto node = harness.read<NodeShowReply>(NodeShowRequest{.name = "n1"});
    REQUIRE(node.instances.size() == 1);
    CHECK(node.instances[0].state == "unknown");
    CHECK(node.instances[0].started == CivilMs{});
    CHECK_THAT(node.instances[0].detail, Catch::Contains("its node was silent for"));
    const auto shown = harness.read<TaskShowReply>(TaskShowRequest{.name = "web"});
    REQUIRE(shown.instances.size() == 1);
    CHECK(shown.instances[0].state == "unknown");
    CHECK(shown.instances[0].started == CivilMs{});
    const auto why = explain_instance(harness, "web.0");
    CHECK(why.state == "unknown");
    CHECK(why.since == harness.node("n1").since);
    CHECK(harness.status().running == 0);
}
