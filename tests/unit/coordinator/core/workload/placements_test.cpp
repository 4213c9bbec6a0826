#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/random.hpp"
#include "coordinator/core/workload/views.hpp"
#include "tests/unit/coordinator/core/workload/placements_fixture.hpp"

namespace muster::coordinator::placements_test {

// Goal: reported instances are indexed by node and by task.
// Method: two nodes report two tasks.
TEST_CASE("a snapshot is indexed by node and by task", "[placements]") {
    Two two;
    const Applied applied =
        two.placements.replace(n0, std::vector{instance("a", 0), instance("b", 1)});
    CHECK(applied.sound);
    CHECK(applied.changed);
    CHECK_FALSE(applied.ended);
    two.placements.replace(n1, std::vector{instance("b", 0)});
    CHECK(two.placements.reported().count(n0) == 2);
    CHECK(two.copies("a") == 1);
    const auto copies = two.placements.copies().of(*two.workload.find("b"));
    REQUIRE(copies.size() == 2);
    CHECK(copies[0].ordinal == 0);
    CHECK(copies[0].node == n1);
    CHECK(copies[1].node == n0);
    CHECK(views_on(two.workload, two.placements, n0).size() == 2);
    CHECK(views_on(two.workload, two.placements, n0)[1].id == InstanceId{"b", 1});
}

// Goal: an unchanged snapshot changes nothing and touches no task.
// Method: the same report twice.
TEST_CASE("the same snapshot again changes nothing", "[placements][SP-7]") {
    Two two;
    std::vector<InstanceReport> reports{instance("a", 0), instance("b", 1)};
    reports[1].detail = "killed";
    two.placements.replace(n0, reports);
    CHECK(two.placements.take_touched().size() == 2);
    const Applied again = two.placements.replace(n0, reports);
    CHECK_FALSE(again.changed);
    CHECK(two.placements.take_touched().empty());
    reports[1].detail = "killed again";
    CHECK(two.placements.replace(n0, reports).changed);
    CHECK(two.placements.take_touched() == std::vector{*two.workload.find("b")});
    CHECK(views_on(two.workload, two.placements, n0)[1].detail == "killed again");
}

// Goal: a change of each field of a report is noticed, and shown.
// Method: change one after the other.
TEST_CASE("a change of any field of a report is a change", "[placements]") {
    Two two;
    std::vector<InstanceReport> reports{instance("a", 0)};
    two.placements.replace(n0, reports);
    const auto changes = [&] {
        const bool changed = two.placements.replace(n0, reports).changed;
        const InstanceView view = views_on(two.workload, two.placements, n0).front();
        CHECK(view.generation == reports[0].generation);
        CHECK(view.state == to_string(reports[0].state));
        CHECK(view.restarts == reports[0].restarts);
        CHECK(view.exit_code == reports[0].exit_code);
        CHECK(view.exit_signal == reports[0].exit_signal);
        CHECK(view.started == reports[0].started);
        CHECK(view.detail == reports[0].detail);
        CHECK(view.node == "n0");
        return changed;
    };
    reports[0].generation = Generation{4};
    CHECK(changes());
    reports[0].state = InstanceState::backoff;
    CHECK(changes());
    reports[0].restarts = 7;
    CHECK(changes());
    reports[0].exit_code = -200'000;
    CHECK(changes());
    reports[0].exit_signal = 9;
    CHECK(changes());
    reports[0].started = CivilMs{-5};
    CHECK(changes());
    reports[0].detail = "a sentence";
    CHECK(changes());
    reports[0].detail.clear();
    CHECK(changes());
    CHECK_FALSE(two.placements.replace(n0, reports).changed);
}

// Goal: the caller learns when something stopped running.
// Method: a copy ends, a copy is gone, and one only starts.
TEST_CASE("a report says whether some copy ended", "[placements]") {
    Two two;
    two.placements.replace(n0, std::vector{instance("a", 0, InstanceState::starting)});
    CHECK_FALSE(two.placements.replace(n0, std::vector{instance("a", 0)}).ended);
    CHECK(two.placements.replace(n0, std::vector{instance("a", 0, InstanceState::exited)}).ended);
    CHECK_FALSE(
        two.placements.replace(n0, std::vector{instance("a", 0, InstanceState::failed)}).ended);
    CHECK(two.placements.replace(n0, {}).ended);
    CHECK(two.copies("a") == 0);
}

// Goal: a delta changes only what it names.
// Method: change, add and remove by deltas.
TEST_CASE("a delta changes, adds and removes", "[placements]") {
    Two two;
    two.placements.replace(n0, std::vector{instance("a", 0), instance("b", 0), instance("c", 0)});
    const Applied applied = two.placements.change(
        n0, std::vector{instance("aa", 0), instance("c", 0, InstanceState::backoff)},
        std::vector<InstanceId>{{"b", 0}, {"nobody", 3}});
    CHECK(applied.sound);
    CHECK(applied.ended);
    const auto views = views_on(two.workload, two.placements, n0);
    REQUIRE(views.size() == 3);
    CHECK(views[0].id.task == "a");
    CHECK(views[1].id.task == "aa");
    CHECK(views[2].state == "backoff");
    CHECK(two.copies("b") == 0);
    CHECK_FALSE(two.placements.change(n0, std::vector{instance("aa", 0)}, {}).changed);
}

// Goal: an instance listed twice counts once, and the report is marked as faulty.
// Method: duplicate and shuffle rows of a snapshot and a delta, which may begin like the held
// state.
TEST_CASE("an instance that is listed twice counts once", "[placements][GO-D15]") {
    Two two;
    const std::vector<InstanceReport> twice{instance("a", 0), instance("a", 0), instance("b", 0)};
    CHECK_FALSE(two.placements.replace(n0, twice).sound);
    CHECK(two.placements.reported().count(n0) == 2);
    CHECK(two.copies("a") == 1);
    const Applied again = two.placements.replace(n0, twice);
    CHECK_FALSE(again.sound);
    CHECK_FALSE(again.changed);
    const std::vector<InstanceReport> shuffled{instance("b", 0), instance("c", 0), instance("a", 0),
                                               instance("b", 0)};
    CHECK_FALSE(two.placements.replace(n0, shuffled).sound);
    CHECK(two.placements.reported().count(n0) == 3);
    CHECK_FALSE(
        two.placements.change(n0, std::vector{instance("d", 1), instance("d", 1)}, {}).sound);
    CHECK(two.placements.reported().count(n0) == 4);
    CHECK(two.copies("d") == 1);
    // A report that is faulty only at its end; it begins like the held state.
    const std::vector<InstanceReport> late{instance("a", 0), instance("b", 0), instance("c", 0),
                                           instance("d", 1), instance("a", 0)};
    CHECK_FALSE(two.placements.replace(n0, late).sound);
    CHECK(two.placements.reported().count(n0) == 4);
}

// Goal: a lost node's copies do not count, and count again when it returns.
// Method: lose a node that has a start in flight; let it return.
TEST_CASE("the copies of a lost node do not count until it returns", "[placements]") {
    Two two;
    two.placements.replace(n0, std::vector{instance("a", 0), instance("b", 0)});
    two.placements.orders().launched(two.start("c", 0, n0), Sequence{1});
    CHECK(two.copies("c") == 1);
    two.placements.set_counted(n0, false);
    CHECK(two.copies("a") == 0);
    CHECK(two.copies("c") == 0);
    CHECK(two.placements.orders().count() == 0);
    CHECK(two.placements.reported().count(n0) == 2);
    two.placements.replace(n0, std::vector{instance("b", 0), instance("c", 0)});
    CHECK(two.copies("b") == 0);
    two.placements.set_counted(n0, true);
    CHECK(two.copies("a") == 0);
    CHECK(two.copies("b") == 1);
    CHECK(two.copies("c") == 1);
    two.placements.remove_node(n0);
    CHECK(two.copies("b") == 0);
    CHECK(two.placements.copies().is_unused(*two.workload.find("b")));
}

// Goal: a roll-out replaces what another leader ordered; it is not stopped as a stray.
// Method: a copy that nobody ordered, and one that was; the store that the node knows is accepted.
TEST_CASE("an accepted store exempts what was a stray", "[placements][proof]") {
    Two two;
    two.placements.replace(n0, std::vector{instance("a", 0)}, {.origin = Origin::unordered});
    two.placements.replace(n1, std::vector{instance("b", 0)}, {.origin = Origin::perhaps_ordered});
    const auto origin = [&](const std::string& task, NodeIndex node) {
        return two.placements.copies().find(*two.workload.find(task), 0, node)->origin;
    };
    REQUIRE(origin("a", n0) == Origin::unordered);
    two.placements.exempt(n0);
    two.placements.exempt(n1);
    CHECK(origin("a", n0) == Origin::unproven);
    CHECK(origin("b", n1) == Origin::perhaps_ordered);
    // The next report does not change that.
    two.placements.replace(n0, std::vector{instance("a", 0)}, {.origin = Origin::unordered});
    CHECK(origin("a", n0) == Origin::unproven);
}

// Goal: the order of names does not depend on when nodes came or went.
// Method: nodes of 40 names are added and removed at random, in reused slots, compared with a map.
TEST_CASE("nodes are in the order of their names after any history", "[placements]") {
    Workload workload{Generation{10}};
    Placements placements{workload};
    std::map<std::string, NodeIndex> model;
    std::vector<NodeIndex> free;
    for (std::uint32_t slot = 0; slot < 40; ++slot) {
        free.push_back(NodeIndex{slot});
    }
    Random random{7};
    for (int change = 0; change < 4'000; ++change) {
        const std::string name = "n" + std::to_string(random.below(40));
        if (const auto known = model.find(name); known != model.end()) {
            placements.remove_node(known->second);
            free.push_back(known->second);
            model.erase(known);
        } else {
            placements.add_node(free.back(), name);
            model.emplace(name, free.back());
            free.pop_back();
        }
        if (random.below(4) == 0) {
            std::vector<NodeIndex> in_order;
            in_order.reserve(model.size());
            for (const auto& [of_node, index] : model) {
                in_order.push_back(index);
            }
            REQUIRE(std::ranges::equal(placements.nodes().by_name(), in_order));
        }
    }
}

}  // namespace muster::coordinator::placements_test
