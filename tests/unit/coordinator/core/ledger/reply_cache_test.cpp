#include "coordinator/core/ledger/reply_cache.hpp"

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "coordinator/core/ledger/pending.hpp"

using namespace muster;
using namespace muster::coordinator;

namespace {

RequestId id_at(std::int64_t ms, std::uint64_t number = 1) {
    return RequestId{static_cast<std::uint64_t>(ms) << 16U, number};
}
Reply reply_to(const RequestId& id, std::size_t changes = 0) {
    ChangeReply change;
    change.changes.resize(changes);
    return Reply{id, ReplyBody{std::move(change)}};
}
FromOperator request(const RequestId& id, const std::string& pattern = "web") {
    return {Ticket{9}, CoreRequest{id, TaskRestartRequest{pattern}}};
}
void remember(ReplyCache& requests, const Reply& reply) {
    requests.remember(reply, digest_of(request(reply.id)));
}

}  // namespace

// Goal: the time is read from the id as from a UUIDv7.
// Method: the example of RFC 9562.
TEST_CASE("a request id contains the time when it was made", "[requests]") {
    const auto id = parse_id<RequestId>("017F22E2-79B0-7CC3-98C4-DC0C0C07398F");
    const auto lower = parse_id<RequestId>("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
    REQUIRE((id || lower));
    CHECK(time_of(lower ? *lower : *id) == CivilMs{1'645'557'742'000});
}

// Goal: a coordinator whose clock was set back reports that, and not that the id is old.
// Method: judge the same id before and after the clock goes back behind the horizon.
TEST_CASE("a clock behind the horizon is reported", "[requests][bad-host]") {
    const ReplyCache requests{CivilMs{500'000}, {}};
    const auto conflict_text = [&](CivilMs now) {
        const auto refusal = requests.refusal_of(id_at(400'000), now);
        REQUIRE(refusal);
        CHECK(refusal->code == Errc::stale_request);
        return refusal->detail;
    };
    CHECK(conflict_text(CivilMs{600'000}) ==
          "the request id is older than what is remembered; ask again with a new id");
    CHECK(conflict_text(CivilMs{400'000}) ==
          "the coordinator's clock was set back behind request ids that it has taken and dropped "
          "since; set the clocks right and ask again with a new id");
}

// Goal: the number of answers is bounded; the oldest are dropped and the horizon is raised.
// Method: fill the cache to the bound, and make room for one more.
TEST_CASE("a full cache drops the oldest answers and raises the horizon", "[requests]") {
    ReplyCache requests{CivilMs{0}, {}};
    for (std::size_t i = 0; i < limits::requests_kept; ++i) {
        remember(requests, reply_to(id_at(1'000 + static_cast<std::int64_t>(i))));
    }
    const CivilMs horizon = requests.next_horizon(CivilMs{200'000});
    CHECK(horizon == CivilMs{1'000});
    CHECK(requests.refusal_of(id_at(1'000, 2), CivilMs{200'000}));
    CHECK_FALSE(requests.refusal_of(id_at(1'001, 2), CivilMs{200'000}));
    CHECK(requests.answer_to(request(id_at(1'000))));
    requests.drop_up_to(horizon);
    CHECK_FALSE(requests.answer_to(request(id_at(1'000))));
    CHECK(requests.answer_to(request(id_at(1'001))));
    CHECK(requests.count() == limits::requests_kept - 1);
}

// Goal: the total size of the answers is bounded too.
// Method: few answers with very many changes each.
TEST_CASE("large answers are dropped before they are many", "[requests]") {
    ReplyCache requests{CivilMs{0}, {}};
    for (std::int64_t i = 0; i < 6; ++i) {
        remember(requests, reply_to(id_at(1'000 + i), 100'000));
    }
    CHECK(requests.next_horizon(CivilMs{2'000}) == CivilMs{1'001});
}

// Goal: one client's ids ahead of the clock never make the others' ids too old.
// Method: the most of them for either bound, then others until the cache is full.
TEST_CASE("a dropped id is never ahead of the clock", "[requests]") {
    constexpr CivilMs now{10'000'000};
    const auto ahead = id_at(raw(now) + 3'000'000);
    const std::size_t weight = GENERATE(std::size_t{0}, std::size_t{100}, 2 * limits::tasks);
    ReplyCache requests{CivilMs{0}, {}};
    std::uint64_t taken = 0;
    while (taken <= limits::requests_ahead && taken * weight < limits::request_changes_kept &&
           !requests.refusal_of(ahead, now)) {
        const auto reply = reply_to(id_at(raw(now) + 1, ++taken), weight);
        requests.propose(reply);
        if (taken % 2 == 0) {  // The others are not durable yet.
            remember(requests, reply);
        }
    }
    REQUIRE(taken > 0);
    REQUIRE(requests.refusal_of(ahead, now));
    CHECK(requests.refusal_of(ahead, now)->code == Errc::busy);
    CHECK_FALSE(requests.refusal_of(ahead, CivilMs{raw(now) + 1}));
    CHECK_FALSE(requests.refusal_of(id_at(raw(now)), now));
    for (std::uint64_t number = 1; number <= taken; ++number) {
        remember(requests, reply_to(id_at(raw(now) + 1, number), weight));
    }
    for (std::int64_t ms = 0; requests.count() < limits::requests_kept; ++ms) {
        remember(requests, reply_to(id_at(raw(now) - ms)));
    }
    CHECK(requests.next_horizon(now) <= now);
}

// Goal: an answer is never replaced.
// Method: store two answers under one id.
TEST_CASE("the first answer stays", "[requests]") {
    ReplyCache requests{CivilMs{0}, {}};
    remember(requests, reply_to(id_at(5), 1));
    remember(requests, reply_to(id_at(5), 2));
    CHECK(*requests.answer_to(request(id_at(5))) == reply_to(id_at(5), 1));
}

// Goal: an id stands for one request, whatever its answer was.
// Method: use the id for another request; and every pair of changes that differ in one field.
TEST_CASE("another request under a used id is a conflict", "[requests]") {
    ReplyCache requests{CivilMs{0}, {}};
    remember(requests, reply_to(id_at(5), 1));
    const auto other = requests.answer_to(request(id_at(5), "db"));
    REQUIRE(other);
    CHECK(other->id == id_at(5));
    CHECK(other->result.error().code == Errc::conflict);

    WantedTask web;
    web.name = "web";
    web.instances = 1;
    web.spec.argv = {"/bin/true"};
    WantedTask more = web;
    more.instances = 2;
    WantedTask changed = web;
    changed.spec.argv = {"/bin/false"};
    const std::vector<CoreRequestBody> changes{
        ApplyRequest{},
        ApplyRequest{{}, true},
        ApplyRequest{{web}},
        ApplyRequest{{more}},
        ApplyRequest{{changed}},
        ApplyRequest{.tasks = {web}, .force = true},
        TaskAddRequest{web},
        TaskAddRequest{.task = web, .force = true},
        TaskAddRequest{more},
        TaskRemoveRequest{"web"},
        TaskRemoveRequest{"db"},
        TaskRestartRequest{"web"},
        TaskScaleRequest{"web", 1},
        TaskScaleRequest{"web", 2},
        StoreAcceptRequest{},
        NodeOfflineRequest{"n1"},
        NodeOfflineRequest{"n1", {.reason = "x"}},
        NodeOnlineRequest{"n1"},
        NodeDrainRequest{.pattern = "n1"},
        NodeDrainRequest{.pattern = "n1", .force = true},
        FreezeOnRequest{},
        FreezeOnRequest{{.reason = "x"}},
        FreezeOffRequest{},
        NodeForgiveRequest{"n1"},
        NodeForgiveRequest{"n1", {.reason = "x"}},
        NodeAddRequest{{{.name = "n1"}}},
        NodeAddRequest{{{.name = "n1", .pool = "a"}}},
        NodeRemoveRequest{.pattern = "n1"},
        NodeRemoveRequest{.pattern = "n1", .force = true},
        NodeApplyRequest{{{.name = "n1"}}},
        NodeApplyRequest{.nodes = {{.name = "n1"}}, .force = true},
        LimitSetRequest{"moves_per_round"},
        LimitSetRequest{"moves_per_round", 0},
        PoolCreateRequest{"web"},
        PoolCreateRequest{"db"},
        PoolCreateRequest{"web", {.min = 0}},
        PoolCreateRequest{"web", {.min = 1}},
        PoolCreateRequest{"web", {.max = 1}},
        PoolCreateRequest{"web", {.step = 1}},
        PoolCreateRequest{"web", {.drain_budget = 1}},
        PoolCreateRequest{"web", {.node_amount = 1}},
        PoolCreateRequest{"web", {.arrive_within_ms = 1}},
        PoolCreateRequest{"web", {.max_drain_ms = 1}},
        PoolCreateRequest{"web", {.up_cooldown_ms = 1}},
        PoolCreateRequest{"web", {.down_cooldown_ms = 1}},
        PoolCreateRequest{"web", {.demand_ttl_ms = 1}},
        PoolCreateRequest{"web", {.unit = PoolUnit::memory_mb}},
        PoolCreateRequest{"web", {.unit = PoolUnit::slots}},
        PoolCreateRequest{"web", {.provider = "trend"}},
        PoolCreateRequest{"web", {.predictor = "trend"}},
        PoolCreateRequest{"web", {.schedule = std::vector<std::string>{}}},
        PoolCreateRequest{"web", {.shadow = std::vector<std::string>{}}},
        PoolCreateRequest{"web", {.match = std::vector<std::string>{}}},
        PoolCreateRequest{"web", {.schedule = std::vector<std::string>{"UTC"}}},
        PoolCreateRequest{"web", {.schedule = std::vector<std::string>{"UT", "C"}}},
        PoolCreateRequest{"web", {.zone = "UTC"}},
        PoolCreateRequest{"web", {}, {.reason = "x"}},
        PoolSetRequest{"web"},
        PoolSetRequest{"web", {.min = 1}},
        PoolSetRequest{"web", {}, {.reason = "x"}},
        PoolRemoveRequest{"web"},
        PoolRemoveRequest{"web", {.reason = "x"}},
        PoolPauseRequest{"web"},
        PoolPauseRequest{"db"},
        PoolResumeRequest{"web"},
        PoolResumeRequest{"db"}};
    for (std::size_t a = 0; a < changes.size(); ++a) {
        CHECK_FALSE(digest_of(changes[a]).is_none());
        for (std::size_t b = 0; b < changes.size(); ++b) {
            CHECK((digest_of(changes[a]) == digest_of(changes[b])) == (a == b));
        }
    }
    CHECK(digest_of(CoreRequestBody{StatusRequest{}}).is_none());
}

// Goal: confirmed writes are returned in order, and only those.
// Method: three writes, two confirmed.
TEST_CASE("pending writes are returned in order up to the number that is durable", "[pending]") {
    Pending pending{Meta{}};
    for (std::uint64_t i = 1; i <= 3; ++i) {
        PendingWrite write;
        write.number = pending.take_number();
        write.meta.counter = Generation{i};
        write.reply = reply_to(id_at(static_cast<std::int64_t>(i)));
        write.request_digest = digest_of(request({}));
        write.tickets = {Ticket{i}};
        pending.add(std::move(write));
    }
    CHECK(pending.proposed().counter == Generation{3});
    CHECK(pending.join(request(id_at(2))).value());
    CHECK_FALSE(pending.join(request(id_at(4))).value());
    CHECK(pending.join(request(id_at(2), "other")).error().code == Errc::conflict);
    CHECK(pending.take_durable(2)->number == 1);
    CHECK(pending.take_durable(2)->tickets == std::vector{Ticket{2}, Ticket{9}});
    CHECK_FALSE(pending.take_durable(2));
    CHECK(pending.take_all().size() == 1);
    CHECK(pending.empty());
}
