#include "coordinator/core/queries/what_if.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/base/random.hpp"
#include "coordinator/core/queries/selector.hpp"
#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::test::Fleet;

namespace {

Result<PlanReply> asked(Fleet& fleet, const PlanRequest& request) {
    const auto failing = select_nodes(fleet.placements, request.fail);
    return failing ? what_if(fleet.now, fleet.workload, fleet.placements, fleet.planner,
                             Rebalance::automatic, *failing, request)
                   : tl::unexpected{failing.error()};
}

PlanReply ask(Fleet& fleet, const PlanRequest& request) {
    const auto reply = asked(fleet, request);
    INFO((reply ? "" : reply.error().detail));
    REQUIRE(reply);
    return *reply;
}

Error refusal(Fleet& fleet, const PlanRequest& request) {
    const auto reply = asked(fleet, request);
    REQUIRE_FALSE(reply);
    return reply.error();
}

Offer in_rack(const std::string& rack) {
    Offer offer;
    offer.labels["rack"] = rack;
    return offer;
}

/// The node of each instance.
std::map<InstanceId, std::string> homes(const Fleet& fleet) {
    std::map<InstanceId, std::string> homes;
    for (const TaskIndex task : fleet.workload.wanted()) {
        const auto all = fleet.planner.locations(task);
        for (Ordinal ordinal = 0; ordinal < all.size(); ++ordinal) {
            if (all[ordinal].at) {
                homes[{fleet.workload.name(task), ordinal}] =
                    fleet.placements.nodes().name(*all[ordinal].at);
            }
        }
    }
    return homes;
}

}  // namespace

TEST_CASE(
    "a what-if answer for a failed node names its instances, their new nodes and their downtime",
    "[what_if]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.want("a", 2);
    fleet.want("b", 1);
    fleet.converge();
    const auto before = homes(fleet);
    const PlanReply reply = ask(fleet, {.fail = {"node=n0"}});
    REQUIRE(reply.moves.size() == 1);
    CHECK(before.at(reply.moves[0].id) == "n0");
    CHECK(reply.moves[0].from == "n0");
    CHECK(reply.moves[0].cause == "lost");
    REQUIRE(reply.gaps.size() == 1);
    CHECK(reply.gaps[0].down == 1);
    CHECK(reply.shortages.empty());
    CHECK(reply.before == PlannedSpread{3, 1, 1, 3});
    CHECK(reply.after == PlannedSpread{2, 1, 2, 3});
    CHECK(homes(fleet) == before);
}

TEST_CASE("a what-if answer for a failed rack names the shortages", "[what_if]") {
    Fleet fleet;
    fleet.add_hosts(4);
    fleet.offer("n0", in_rack("r1"));
    fleet.offer("n1", in_rack("r1"));
    fleet.offer("n2", in_rack("r2"));
    fleet.want("web", 4);
    fleet.converge();
    const PlanReply reply = ask(fleet, {.fail = {"rack=r1"}});
    CHECK(reply.moves.empty());
    REQUIRE(reply.shortages.size() == 1);
    CHECK(reply.shortages[0] == PlannedShortage{"web", 2, 0, "max_per_node"});
    REQUIRE(reply.gaps.size() == 1);
    CHECK(reply.gaps[0] == PlannedGap{"web", 2, 4});

    const PlanReply both = ask(fleet, {.fail = {"rack=r*", "node=n3"}});
    CHECK(both.after.nodes == 0);
    CHECK(both.shortages.at(0) == PlannedShortage{"web", 4, 0, "no_nodes"});
}

TEST_CASE("a what-if answer for a failed node counts tasks of every node as bound to nodes",
          "[what_if]") {
    Fleet fleet;
    fleet.add_hosts(3);
    PlacementRule everywhere;
    everywhere.every_node = true;
    fleet.want_placed("mon", 1, everywhere);
    fleet.converge();
    const PlanReply reply = ask(fleet, {.fail = {"node=n0"}});
    CHECK(reply.moves.empty());
    CHECK(reply.shortages.empty());
    REQUIRE(reply.gaps.size() == 1);
    CHECK(reply.gaps[0] == PlannedGap{"mon", 1, 3});
}

TEST_CASE("a what-if answer with added nodes or an omitted task shows the balance after it",
          "[what_if]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want("a", 2);
    fleet.want("b", 2);
    fleet.want("c", 3);
    fleet.converge();
    const PlanReply more = ask(fleet, {.add_nodes = 1});
    CHECK(more.added == 1);
    CHECK(more.added_like == "n1");
    CHECK(more.shortages.empty());
    CHECK(more.before == PlannedSpread{2, 3, 3, 6});
    CHECK(more.after.nodes == 3);
    CHECK(more.after.instances == 7);
    const auto placed = std::find_if(more.moves.begin(), more.moves.end(),
                                     [](const PlannedMove& move) { return move.from.empty(); });
    REQUIRE(placed != more.moves.end());
    CHECK(placed->cause == "missing");
    CHECK(placed->to == "added-1");

    const PlanReply fewer = ask(fleet, {.without_tasks = {"c", "b*"}});
    CHECK(fewer.after == PlannedSpread{2, 1, 1, 2});
    CHECK(fewer.moves.empty());
}

// Goal: the present state in an answer is true. Method: moves to a new node are decided and may not
// begin.
TEST_CASE("a what-if answer counts an instance with a decided move where it still is",
          "[what_if]") {
    Fleet fleet;
    fleet.add_hosts(1);
    for (const char* const name : {"a", "b", "c", "d"}) {
        fleet.want(name, 1);
    }
    fleet.converge();
    fleet.add("n1");
    Scope none_begins;
    none_begins.moves = 0;
    fleet.round(none_begins);
    const PlanReply reply = ask(fleet, {.rebalance = true});
    CHECK(reply.pending == 2);
    CHECK(reply.before == PlannedSpread{2, 0, 4, 4});
    CHECK(reply.after == PlannedSpread{2, 2, 2, 4});
}

// Goal: an added node has the offer of an existing one.
// Method: the node in the middle is listed and has never reported an offer.
TEST_CASE("a what-if question adds nodes like one that serves and does not fail", "[what_if]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.offer("n0", in_rack("r1"));
    fleet.offer("n2", in_rack("r1"));
    fleet.lose("n1");
    PlacementRule rule;
    rule.constraints = {*parse_constraint("rack = r1")};
    fleet.want_placed("web", 3, rule);
    fleet.converge();
    const PlanReply more = ask(fleet, {.add_nodes = 1});
    CHECK(more.added_like == "n2");
    CHECK(more.shortages.empty());
    CHECK(ask(fleet, {.fail = {"node=n2"}, .add_nodes = 1}).added_like == "n0");
    CHECK(ask(fleet, {.fail = {"node=n*"}, .add_nodes = 1}).added_like == "n1");
}

// Method: a node is to be drained, and the plan for that is not made yet.
TEST_CASE("a what-if answer for a failed node uses no node that is being drained", "[what_if]") {
    Fleet fleet;
    fleet.add_hosts(4);
    fleet.want("web", 2);
    fleet.converge();
    fleet.drain("n1");
    const PlanReply reply = ask(fleet, {.fail = {"node=n0"}});
    REQUIRE(reply.moves.size() == 2);
    CHECK(reply.moves[0].from == "n0");
    CHECK(reply.moves[0].cause == "lost");
    CHECK(reply.moves[1].from == "n1");
    CHECK(reply.moves[1].cause == "drain");
}

TEST_CASE("a what-if answer for a node that its tasks wait for shows their final nodes",
          "[what_if]") {
    Fleet fleet;
    fleet.add_hosts(2);
    PlacementRule patient;
    patient.reschedule_after = 5min;
    fleet.want_placed("web", 1, patient);
    fleet.converge();
    const PlanReply reply = ask(fleet, {.fail = {"node=n0"}});
    CHECK(reply.shortages.empty());
    REQUIRE(reply.moves.size() == 1);
    CHECK(reply.moves[0].to == "n1");
}

// Goal: only consequences of the question are shown as its effects.
// Method: four instances may not start yet, then one has no place; a node is added.
TEST_CASE("a what-if answer with added nodes does not claim starts that happen anyway",
          "[what_if]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want("web", 2);
    fleet.want("db", 2);
    Scope one;
    one.starts = 0;
    fleet.carry_out(fleet.planner.plan(one));
    PlanReply reply = ask(fleet, {.add_nodes = 1});
    CHECK(reply.moves.empty());
    CHECK(reply.pending == 4);
    fleet.want("web", 3);
    REQUIRE(fleet.converge());
    reply = ask(fleet, {.add_nodes = 1});
    CHECK(reply.pending == 0);
    CHECK(std::ranges::any_of(reply.moves, [](const PlannedMove& move) {
        return move.from.empty() && move.to == "added-1";
    }));
}

// Goal: the answer is true: an instance that used up its tries stays where it is.
// Method: it fails on one node after another; ask before and after the last try.
TEST_CASE("a what-if answer shows no retry of an instance that used up its tries", "[what_if]") {
    Fleet fleet;
    fleet.add_hosts(4);
    fleet.want("bad", 1);
    fleet.want("ok", 1);
    fleet.converge();
    const auto fail_bad = [&] { fleet.fail(homes(fleet).at({"bad", 0}), {"bad", 0}); };
    fail_bad();
    const PlanReply tried = ask(fleet, {.without_tasks = {"ok"}});
    REQUIRE(tried.moves.size() == 1);
    CHECK(tried.moves[0].cause == "retry");
    for (int tries = 0; tries < 3; ++tries) {
        fleet.converge();
        fail_bad();
    }
    fleet.converge();
    CHECK(ask(fleet, {.without_tasks = {"ok"}}).moves.empty());
    CHECK(ask(fleet, {.rebalance = true}).moves.empty());
    CHECK(ask(fleet, {.add_nodes = 1}).moves.empty());
}

// Goal: nodes without instances have no effect.
TEST_CASE("a what-if answer for failed nodes without instances changes nothing",
          "[what_if][GO-18]") {
    Fleet fleet;
    fleet.add_hosts(4);
    fleet.want("web", 2);
    fleet.converge();
    for (const auto& [name, host] : fleet.hosts()) {
        if (host.runs.empty()) {
            const PlanReply reply = ask(fleet, {.fail = {"node=" + name}});
            CHECK(reply.moves.empty());
            CHECK(reply.gaps.empty());
            CHECK(reply.shortages.empty());
        }
    }
}

TEST_CASE("a what-if question selects nodes by any value of a label", "[what_if]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.offer("n0", in_rack("EU-1:a/b"));
    fleet.want("web", 1);
    fleet.converge();
    fleet.offer("n1", in_rack("AS-1"));  // Labels sort unlike their nodes.
    CHECK(ask(fleet, {.fail = {"rack=EU-1:a/b"}}).shortages.empty());
    CHECK(refusal(fleet, {.fail = {"rack=EU-2"}}).code == Errc::not_found);
    CHECK(refusal(fleet, {.fail = {"rack=E*"}}).code == Errc::invalid);
}

TEST_CASE("a question about unknown nodes or tasks is refused with similar names", "[what_if]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.offer("n0", in_rack("r1"));
    fleet.want("web", 1);
    fleet.converge();
    CHECK(refusal(fleet, {.fail = {"node=n7"}}).code == Errc::not_found);
    CHECK(refusal(fleet, {.fail = {"rack=r7"}}).code == Errc::not_found);
    const auto unknown = refusal(fleet, {.fail = {"rak=r1"}});
    CHECK(unknown.code == Errc::invalid);
    CHECK(unknown.detail == "no node has a label 'rak'; did you mean rack?");
    CHECK(refusal(fleet, {.fail = {"n7"}}).detail.find("write node=n7") != std::string::npos);
    CHECK(refusal(fleet, {.fail = {"=r1"}}).detail.find("write node=n7") != std::string::npos);
    CHECK(refusal(fleet, {.fail = {"node=n[3-1]"}}).code == Errc::invalid);
    CHECK(refusal(fleet, {.without_tasks = {"db"}}).code == Errc::not_found);
    CHECK(refusal(fleet, {.add_nodes = 4'000'000}).code == Errc::too_large);
}

TEST_CASE("a mistyped label gets twenty of many suggestions", "[what_if]") {
    Fleet fleet;
    fleet.add_hosts(1);
    Offer offer;
    for (int i = 10; i < 35; ++i) {
        offer.labels["key" + std::to_string(i)] = "1";
    }
    fleet.offer("n0", offer);
    const std::string detail = refusal(fleet, {.fail = {"zzzzzzzzzz=1"}}).detail;
    CHECK(detail.starts_with("no node has a label 'zzzzzzzzzz'; the labels are key10, key11, "));
    CHECK(detail.ends_with(", key29 and more"));
}

// A cluster without nodes has no labels, so none is unknown.
TEST_CASE("a what-if question to an empty cluster shows what it would need", "[what_if]") {
    Fleet fleet;
    fleet.want("web", 1);
    CHECK(refusal(fleet, {.fail = {"rack=r1"}}).code == Errc::not_found);
    CHECK(ask(fleet, {}).after == PlannedSpread{});
    fleet.add("added-1");
    const PlanReply reply = ask(fleet, {.add_nodes = 2});
    CHECK(reply.after.nodes == 3);
    CHECK(reply.shortages.empty());
}

// Goal: a question costs a bounded time, whatever it selects.
// Method: the most selectors allowed, over many nodes: names, patterns with rare prefixes, one
// pattern repeatedly, and patterns that need a scan of all nodes.
TEST_CASE("many selectors cost little, or are refused", "[what_if]") {
    Fleet fleet;
    fleet.add_hosts(20'000);
    fleet.offer("n7", in_rack("r1"));
    fleet.want("web", 1);
    PlanRequest names;
    PlanRequest beginnings;
    PlanRequest same;
    PlanRequest walks;
    PlanRequest labels;
    PlanRequest tasks;
    PlanRequest walks_of_tasks;
    PlanRequest many_labels;
    Offer many;
    for (std::size_t task = 0; task < 4'000; ++task) {
        fleet.want("task" + std::to_string(task), 1);
    }
    for (std::size_t i = 0; i < limits::what_if_selectors; ++i) {
        const std::string number = std::to_string(i);
        names.fail.push_back("node=n" + std::to_string(10'000 + i));
        beginnings.fail.push_back("node=n10" + std::to_string(100 + i % 100) + "*");
        same.fail.emplace_back("node=*9");
        walks.fail.push_back("node=*" + number + "*");
        labels.fail.push_back("rack" + number + "=r1");
        tasks.without_tasks.emplace_back("w[0-9,1,2,3,4,5,6,7,8,9]");
        walks_of_tasks.without_tasks.push_back("*" + number + "*");
        if (i < 40) {
            many.labels["key" + number] = "1";
            many_labels.fail.push_back("key" + number + "=1");
        }
    }
    fleet.offer("n9", many);
    CHECK(ask(fleet, names).after.nodes == 20'000 - limits::what_if_selectors);
    CHECK(ask(fleet, beginnings).after.nodes == 20'000 - 100);
    CHECK(ask(fleet, same).after.nodes == 18'000);
    CHECK(refusal(fleet, walks).code == Errc::too_large);
    CHECK(refusal(fleet, walks).detail.starts_with("these patterns take too long"));
    CHECK(refusal(fleet, many_labels).code == Errc::too_large);
    CHECK(refusal(fleet, walks_of_tasks).code == Errc::too_large);
    CHECK(refusal(fleet, labels).code == Errc::invalid);
    CHECK(refusal(fleet, tasks).code == Errc::not_found);
    CHECK(ask(fleet, {.fail = {"rack=r*", "node=n8", "node=n[8-9]"}}).after.nodes == 19'997);
}

// Goal: the answer is a true prediction. Method: ask, then lose the nodes.
TEST_CASE("the prediction of a failure is what happens when it occurs", "[what_if]") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        Random random{seed};
        Fleet fleet;
        const auto hosts = static_cast<std::uint32_t>(3 + random.below(6));
        fleet.add_hosts(hosts);
        for (std::uint64_t task = 1 + random.below(5); task > 0; --task) {
            fleet.want("t" + std::to_string(task), static_cast<std::uint32_t>(random.below(hosts)));
        }
        fleet.converge();
        std::set<std::string> failing;
        PlanRequest request;
        for (std::uint64_t left = 1 + random.below(2); left > 0; --left) {
            failing.insert("n" + std::to_string(random.below(hosts)));
        }
        for (const std::string& name : failing) {
            request.fail.push_back("node=" + name);
        }
        const PlanReply reply = ask(fleet, request);
        auto expected = homes(fleet);
        std::erase_if(expected, [&](const auto& entry) { return failing.contains(entry.second); });
        for (const PlannedMove& move : reply.moves) {
            expected[move.id] = move.to;
        }
        for (const std::string& name : failing) {
            fleet.lose(name);
        }
        fleet.converge();
        CHECK(homes(fleet) == expected);
    }
}
