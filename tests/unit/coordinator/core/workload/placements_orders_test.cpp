#include <vector>

#include "tests/catch.hpp"

#include "coordinator/core/workload/views.hpp"
#include "tests/unit/coordinator/core/workload/placements_fixture.hpp"

// Orders in flight, and what decides them.
namespace muster::coordinator::placements_test {

// Goal: an order in flight counts until an answer decides it.
// Method: a start reported, one not obeyed, and a stop.
TEST_CASE("an order is in flight until an answered poll that names it", "[placements]") {
    Two two;
    two.placements.orders().launched(two.start("a", 0, n0), Sequence{4});
    two.placements.orders().launched(two.start("b", 0, n0), Sequence{5});
    CHECK(two.placements.orders().count(n0) == 2);
    CHECK(views_on(two.workload, two.placements, n0).front().state == "ordered");
    two.placements.replace(n0, std::vector{instance("a", 0)});
    two.placements.orders().resolve(n0, Sequence{4});
    CHECK(two.placements.orders().count(n0) == 1);
    CHECK(two.copies("b") == 1);
    two.placements.orders().launched(two.stop("a", 0, n0), Sequence{6});
    CHECK(two.placements.copies().of(*two.workload.find("a")).front().orders.stopping);
    two.placements.orders().resolve(n0, Sequence{6});
    CHECK(two.copies("b") == 0);
    CHECK_FALSE(two.placements.copies().of(*two.workload.find("a")).front().orders.stopping);
    CHECK(two.placements.orders().count() == 0);
}

// Goal: a copy that a roll-out took down counts as up again with the first of two events: its
// report as running, or the answer that decides the order.
// Method: a copy is replaced in place; its new process is reported in two steps before the answer.
TEST_CASE("a replaced copy is up again even before its order is decided", "[placements]") {
    Two two;
    InstanceReport before = instance("a", 0);
    before.generation = Generation{2};
    two.placements.replace(n0, std::vector{before});
    two.placements.orders().launched(two.start("a", 0, n0), Sequence{1});
    const TaskIndex task = *two.workload.find("a");
    CHECK(two.placements.copies().of(task).front().orders.taken_down);
    two.placements.replace(n0, std::vector{instance("a", 0, InstanceState::starting)});
    two.placements.replace(n0, std::vector{instance("a", 0)});
    two.placements.orders().resolve(n0, Sequence{1});
    CHECK_FALSE(two.placements.copies().of(task).front().orders.taken_down);
}

// Goal: the decision of an old order does not decide a newer one of the same instance.
// Method: stop, then start the same instance; only the stop is answered.
TEST_CASE("a later order of the same instance stays in flight", "[placements]") {
    Two two;
    two.placements.replace(n0, std::vector{instance("a", 0)});
    two.placements.orders().launched(two.stop("a", 0, n0), Sequence{1});
    two.placements.replace(n0, {});
    CHECK(two.copies("a") == 0);
    two.placements.orders().launched(two.start("a", 0, n0), Sequence{2});
    two.placements.orders().resolve(n0, Sequence{1});
    CHECK(two.copies("a") == 1);
    two.placements.orders().resolve(n0, Sequence{2});
    CHECK(two.copies("a") == 0);
}

// Goal: a copy that started and ended while its orders were in flight leaves nothing behind.
// Method: start and stop one; a delta reports that it ran and that it is gone.
TEST_CASE("a copy that is gone before its orders are decided stays gone after", "[placements]") {
    Two two;
    two.placements.orders().launched(two.start("a", 0, n0), Sequence{1});
    two.placements.change(n0, std::vector{instance("a", 0)}, {});
    two.placements.orders().launched(two.stop("a", 0, n0), Sequence{2});
    two.placements.change(n0, {}, std::vector<InstanceId>{{"a", 0}});
    CHECK(two.copies("a") == 1);  // The start may come last.
    SECTION("one after the other") {
        two.placements.orders().resolve(n0, Sequence{1});
        CHECK(two.copies("a") == 0);
    }
    SECTION("both at once") {
        two.placements.orders().resolve(n0, Sequence{2});
        CHECK(two.copies("a") == 0);
    }
    two.placements.orders().resolve(n0, Sequence{2});
    CHECK(two.placements.orders().count() == 0);
    CHECK(two.placements.copies().is_unused(*two.workload.find("a")));
}

// Goal: a refusal decides the order that it names, not another one of the same instance.
// Method: a stop of the old and a start of the new generation; the start is refused.
TEST_CASE("a refused order is not in flight, another of the same instance is", "[placements]") {
    Two two;
    two.placements.replace(n0, std::vector{instance("a", 0)});
    two.placements.orders().launched(two.stop("a", 0, n0), Sequence{1});
    Order start = two.start("a", 0, n0);
    start.generation = Generation{4};
    two.placements.orders().launched(start, Sequence{2});
    two.placements.orders().refused(n0, {"a", 0}, Generation{4}, OrdersInFlight::everything);
    const Copy& copy = two.placements.copies().of(*two.workload.find("a")).front();
    CHECK(copy.orders.stopping);
    CHECK_FALSE(copy.orders.starting);
    CHECK(two.placements.orders().count(n0) == 1);
    two.placements.orders().refused(n0, {"nobody", 0}, Generation{4}, OrdersInFlight::everything);
    CHECK(two.placements.orders().count(n0) == 1);
}

}  // namespace muster::coordinator::placements_test
