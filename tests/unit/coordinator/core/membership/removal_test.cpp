#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "coordinator/core/ledger/removed_tasks.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

// Goal: a removal means the same in every state of the task, and says what it found (SC-23).
// Method: one task for each case, beside an unrelated one.
TEST_CASE("a removed task is stopped, or never starts, and a second removal says so", "[SC-23]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("other", 1);
    const auto remove = [&](const std::string& task, RequestId id = {}) {
        return harness.ask(TaskRemoveRequest{task}, id).value();
    };

    SECTION("a running one is stopped, the others are untouched") {
        harness.want("web", 1);
        harness.pass(3s);
        CHECK(harness.running("web") == 1);
        CHECK(remove("web").result);
        harness.pass(3s);
        CHECK(harness.running("web") == 0);
    }
    SECTION("an unknown one is an error") {
        const Reply reply = remove("nobody");
        REQUIRE_FALSE(reply.result);
        CHECK(reply.result.error().code == Errc::not_found);
        CHECK(reply.result.error().detail == "no task matches 'nobody'");
    }
    SECTION("a finished one is forgotten") {
        harness.want("web", 1);
        harness.pass(3s);
        n1.instances.at({"web", 0}).state = InstanceState::exited;
        n1.revision = next(n1.revision);
        harness.pass(2s);
        CHECK(remove("web").result);
        harness.pass(3s);
        CHECK_FALSE(n1.instances.contains({"web", 0}));
    }
    SECTION("one that has not started never does") {
        WantedTask web = CoordinatorHarness::wanted("web", 2);
        harness.ask(TaskAddRequest{web}, harness.fresh_id());
        CHECK(remove("web").result);
        FakeAgent& n2 = harness.join("n2");
        harness.pass(5s);
        CHECK_FALSE(n2.instances.contains({"web", 1}));
        CHECK(harness.running("web") == 0);
    }
    SECTION("the second time the answer says so, under the same id it is the first answer") {
        harness.want("web", 1);
        const RequestId id = harness.fresh_id();
        const Reply first = remove("web", id);
        REQUIRE(first.result);
        const auto change = std::get<ChangeReply>(*first.result).counter;
        const Reply second = remove("web", harness.fresh_id());
        REQUIRE_FALSE(second.result);
        CHECK(second.result.error().code == Errc::not_found);
        CHECK(second.result.error().detail ==
              "task 'web' was removed already, by change " + std::to_string(raw(change)));
        CHECK(remove("web", id) == first);

        harness.want("web", 1);
        CHECK(remove("web").result);
    }
    harness.pass(3s);
    CHECK(harness.running("other") == 1);
}

// Goal: the record of removed tasks is bounded.
// Method: one name more than is kept.
TEST_CASE("the oldest removed tasks are forgotten first", "[proposed]") {
    RemovedTasks removed;
    for (std::uint64_t i = 0; i <= limits::removed_names; ++i) {
        removed.add("t" + std::to_string(i), Generation{i});
    }
    CHECK_FALSE(removed.by("t0"));
    CHECK(removed.by("t1") == Generation{1});
}
