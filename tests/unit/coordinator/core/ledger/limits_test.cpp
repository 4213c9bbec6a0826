#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;

namespace {

LimitView limit_in(const std::optional<Reply>& reply, const std::string& name) {
    REQUIRE(reply);
    REQUIRE(reply->result);
    for (const LimitView& limit : std::get<LimitsReply>(*reply->result).limits) {
        if (limit.name == name) {
            return limit;
        }
    }
    FAIL("there is no limit " << name);
    return {};
}

}  // namespace

// Goal: every allowed value is shown with the present use, every other is refused.
// Method: below the minimum, 0, a number, none; then a new leadership.
TEST_CASE("a limit of the cluster is set, shown with its use, and kept", "[limits][SC-24]") {
    CoordinatorHarness harness;
    const auto refused = harness.ask(LimitSetRequest{"moves_per_round", 0});
    REQUIRE_FALSE(refused->result);
    CHECK(refused->result.error().code == Errc::invalid);
    CHECK(refused->result.error().detail == "moves_per_round is at least 1, or none; not 0");
    const auto unknown = harness.ask(LimitSetRequest{"starts", 5});
    REQUIRE_FALSE(unknown->result);
    CHECK(unknown->result.error().code == Errc::not_found);
    CHECK_THAT(unknown->result.error().detail, Catch::Contains("starts_per_round"));
    CHECK(harness.persisted.empty());

    CHECK(limit_in(harness.ask(LimitSetRequest{"starts_per_round", 0}), "starts_per_round").value ==
          0U);
    CHECK(limit_in(harness.ask(LimitSetRequest{"moves_per_round", 7}), "moves_per_round").applies ==
          7U);
    const LimitView none =
        limit_in(harness.ask(LimitSetRequest{"moves_per_round", {}}), "moves_per_round");
    CHECK_FALSE(none.value);
    CHECK(none.applies == 1U);
    CHECK(limit_in(harness.ask(LimitListRequest{}), "starts_per_round").value == 0U);

    StoreImage image = CoordinatorHarness::empty_store();
    for (const Persist& persist : harness.persisted) {
        for (const Write& write : persist.writes) {
            if (const auto* row = std::get_if<StoredSetting>(&write)) {
                std::erase_if(image.settings,
                              [&](const auto& old) { return old.name == row->name; });
                image.settings.push_back(*row);
            }
        }
    }
    CoordinatorHarness next_leader{image};
    CHECK(limit_in(next_leader.ask(LimitListRequest{}), "starts_per_round").value == 0U);
}

// Goal: each limit is shown with its use in the present round, whatever the limit is.
// Method: ten starts under a limit of 3, which is then 0, then none; a move under a limit of 5.
TEST_CASE("a limit is shown with its use in the present round", "[limits][SC-24]") {
    CoordinatorOptions options = CoordinatorHarness::losing_quickly();
    options.move_cooldown = {};  // Moves for the balance begin at once.
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), options};
    for (int i = 0; i < 5; ++i) {
        harness.join("n" + std::to_string(i));
    }
    const auto starts = [&] {
        return limit_in(harness.ask(LimitListRequest{}), "starts_per_round");
    };
    const auto set_starts = [&](std::optional<std::uint32_t> value) {
        return limit_in(harness.ask(LimitSetRequest{"starts_per_round", value}),
                        "starts_per_round");
    };
    CHECK(set_starts(3).used == 0);
    harness.pass(2s);
    harness.want("api", 5);
    harness.want("web", 5);
    CHECK(starts().value == 3U);
    CHECK(starts().applies == 3U);
    CHECK(starts().used == 3);
    const LimitView zero = set_starts(0);
    CHECK(zero.value == 0U);
    CHECK(zero.applies == 0U);
    CHECK(zero.used == 3);
    harness.pass(1s);
    CHECK(starts().used == 0);
    const LimitView none = set_starts({});
    CHECK_FALSE(none.value);
    CHECK_FALSE(none.applies);
    CHECK(none.used == 0);
    CHECK_FALSE(starts().value);
    CHECK(starts().used == 7);
    harness.pass(1s);
    CHECK(starts().used == 0);

    const auto moves = [&] { return limit_in(harness.ask(LimitListRequest{}), "moves_per_round"); };
    const LimitView five =
        limit_in(harness.ask(LimitSetRequest{"moves_per_round", 5}), "moves_per_round");
    CHECK(five.value == 5U);
    CHECK(five.used == 0);
    harness.join("n5");
    std::uint32_t used = 0;
    for (int round = 0; round < 5; ++round) {
        harness.pass(1s);
        CHECK(moves().used <= 5);
        used += moves().used;
    }
    CHECK(used == 1);  // The new node gets one of the ten instances.
    CHECK(harness["n5"].instances.size() == 1);
    CHECK(moves().used == 0);
}

// Goal: no round exceeds the limit on starts over all tasks, and everything is started in the end.
// Method: two tasks, a limit of 3; then 0; then none.
TEST_CASE("starts in one round never exceed their limit", "[limits][SC-24]") {
    CoordinatorHarness harness;
    for (int i = 0; i < 5; ++i) {
        harness.join("n" + std::to_string(i));
    }
    REQUIRE(harness.ask(LimitSetRequest{"starts_per_round", 3})->result);
    harness.pass(2s);
    harness.want("api", 5);
    harness.want("web", 5);
    std::size_t before = harness.running("api") + harness.running("web");
    CHECK(before == 3);
    for (int round = 0; round < 3; ++round) {
        harness.pass(1s);
        const std::size_t now = harness.running("api") + harness.running("web");
        CHECK(now <= before + 3);
        CHECK(now > before);
        before = now;
    }
    CHECK(before == 10);

    harness.ask(LimitSetRequest{"starts_per_round", 0});
    harness.want("new", 2);
    harness.pass(5s);
    CHECK(harness.running("new") == 0);
    const StatusReply status = harness.status();
    CHECK(status.unplaced == 2);
    REQUIRE(status.unplaced_reasons.size() == 1);
    CHECK(status.unplaced_reasons.front().code == "starts_per_round");
    harness.ask(LimitSetRequest{"starts_per_round", {}});
    harness.pass(2s);
    CHECK(harness.running("new") == 2);
}

TEST_CASE("a task of every node reaches its nodes as slowly as starts are allowed",
          "[limits][SC-24]") {
    CoordinatorHarness harness;
    for (int i = 0; i < 4; ++i) {
        harness.join("n" + std::to_string(i));
    }
    REQUIRE(harness.ask(LimitSetRequest{"starts_per_round", 1})->result);
    harness.pass(2s);
    WantedTask log = CoordinatorHarness::wanted("log", 1);
    log.place.every_node = true;
    harness.ask(TaskAddRequest{log});
    for (std::size_t running = 1; running <= 4; ++running) {
        CHECK(harness.running("log") == running);
        const StatusReply status = harness.status();
        CHECK(status.unplaced == 4 - running);
        if (running < 4) {
            CHECK(status.unplaced_reasons.front().code == "starts_per_round");
        }
        harness.pass(1s);
    }
}
