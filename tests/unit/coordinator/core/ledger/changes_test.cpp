#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/spec/description.hpp"
#include "coordinator/core/ledger/reply_cache.hpp"
#include "coordinator/core/operators/task_draft.hpp"
#include "tests/unit/common/codec/codec_samples.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

ChangeReply change_in(const std::optional<Reply>& reply) {
    REQUIRE(reply);
    REQUIRE(reply->result);
    return std::get<ChangeReply>(*reply->result);
}

Errc error_in(const std::optional<Reply>& reply) {
    REQUIRE(reply);
    REQUIRE_FALSE(reply->result);
    return reply->result.error().code;
}

}  // namespace

// Goal: a request takes effect at most once, and a retry gets the first answer (S3).
// Method: the same request before and after it is durable.
TEST_CASE("a retry gets the first answer and changes nothing", "[coordinator][requests][S3]") {
    CoordinatorHarness harness;
    const RequestId id = harness.fresh_id();
    const auto body = ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 1)}};
    harness.store_works = false;
    const Ticket first = harness.request(body, id);
    const Ticket retry = harness.request(body, id);
    CHECK(harness.persisted.size() == 1);
    harness.confirm();
    REQUIRE(harness.reply_to(first));
    CHECK(harness.reply_to(first) == harness.reply_to(retry));
    CHECK(harness.ask(body, id) == harness.reply_to(first));
    CHECK(harness.status().tasks == 1);
    CHECK(harness.status().counter == Generation{11});
    CHECK(harness.reply_counts[first] == 1);
    CHECK(harness.reply_counts[retry] == 1);
}

// Goal: a client that uses an id twice gets no success for the second change.
// Method: another request under the id, before the first is durable and after it.
TEST_CASE("another request under the id of a change is a conflict and changes nothing",
          "[coordinator][requests][S3]") {
    CoordinatorHarness harness;
    const RequestId id = harness.fresh_id();
    harness.store_works = false;
    const Ticket first =
        harness.request(ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 1)}}, id);
    CHECK(error_in(harness.ask(TaskAddRequest{CoordinatorHarness::wanted("db", 1)}, id)) ==
          Errc::conflict);
    harness.confirm();
    REQUIRE(harness.reply_to(first));
    CHECK(harness.reply_to(first)->result);
    CHECK(error_in(harness.ask(TaskRemoveRequest{"web"}, id)) == Errc::conflict);
    CHECK(error_in(harness.ask(ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 2)}},
                               id)) == Errc::conflict);
    CHECK(harness.persisted.size() == 1);
    CHECK(harness.status().tasks == 1);
}

// Goal: a refusal is as durable as a success.
// Method: retry an add that was refused with `exists` after the task was removed.
TEST_CASE("a retry of a refused change gets the same refusal", "[coordinator][requests][S3]") {
    CoordinatorHarness harness;
    harness.want("web", 1);
    const RequestId id = harness.fresh_id();
    CHECK(error_in(harness.ask(TaskAddRequest{CoordinatorHarness::wanted("web", 2)}, id)) ==
          Errc::exists);
    harness.ask(TaskRemoveRequest{"web"}, harness.fresh_id());
    CHECK(error_in(harness.ask(TaskAddRequest{CoordinatorHarness::wanted("web", 2)}, id)) ==
          Errc::exists);
}

// Goal: answers survive the leadership that gave them.
// Method: a store image with a stored answer.
TEST_CASE("a new leadership gives the answers of the old one", "[coordinator][requests][S3]") {
    StoreImage image = CoordinatorHarness::empty_store();
    const RequestId id = CoordinatorHarness::id_made_at(CoordinatorHarness::civil_start, 1);
    const Reply reply{id, ReplyBody{ChangeReply{Generation{10}, false, {}}}};
    image.requests = {{id, reply, digest_of(CoreRequestBody{TaskRemoveRequest{"*"}})}};
    CoordinatorHarness harness{image};
    CHECK(harness.ask(TaskRemoveRequest{"*"}, id) == reply);
    CHECK(error_in(harness.ask(TaskRemoveRequest{"web"}, id)) == Errc::conflict);
}

// Goal: an id that may have been forgotten, or cannot be valid, is refused.
// Method: ids at the horizon, and over an hour ahead.
TEST_CASE("ids from before the horizon and from the future are refused",
          "[coordinator][requests]") {
    StoreImage image = CoordinatorHarness::empty_store();
    image.meta.request_horizon = CoordinatorHarness::civil_start;
    CoordinatorHarness harness{image};
    const auto body = ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 1)}};
    CHECK(error_in(harness.ask(body, CoordinatorHarness::id_made_at(CoordinatorHarness::civil_start,
                                                                    1))) == Errc::stale_request);
    const auto in_two_hours =
        static_cast<CivilMs>(raw(CoordinatorHarness::civil_start) + to_ms(Duration{2h}));
    CHECK(error_in(harness.ask(body, CoordinatorHarness::id_made_at(in_two_hours, 1))) ==
          Errc::stale_request);
    CHECK(harness.status().tasks == 0);
}

// Goal: a client whose clock is ahead does not block changes of other clients.
// Method: the most changes that it can have, none durable yet, then one with a correct clock.
TEST_CASE("ids ahead of the clock have a separate bound", "[coordinator][requests]") {
    CoordinatorHarness harness;
    harness.store_works = false;
    const auto ahead =
        static_cast<CivilMs>(raw(CoordinatorHarness::civil_start) + to_ms(Duration{59min}));
    const auto body = ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 1)}};
    for (std::size_t i = 0; i < limits::requests_ahead; ++i) {
        CHECK_FALSE(harness.ask(body, CoordinatorHarness::id_made_at(ahead, i)));
    }
    const auto one_more = CoordinatorHarness::id_made_at(ahead, limits::requests_ahead);
    CHECK(error_in(harness.ask(body, one_more)) == Errc::busy);
    harness.confirm();
    harness.give(Wake{});  // More than one step applies them.
    CHECK(error_in(harness.ask(body, one_more)) == Errc::busy);
    harness.store_works = true;
    CHECK(harness.want("api", 1)->result);
    harness.give(CivilTime{ahead});
    CHECK(harness.ask(body, one_more)->result);
}

// Goal: stored answers are bounded by a day, and dropping them raises the horizon.
// Method: a change, a day and a minute, another change.
TEST_CASE("answers older than a day are dropped and the horizon is raised",
          "[coordinator][requests]") {
    CoordinatorHarness harness;
    const RequestId old_id = harness.fresh_id();
    harness.ask(ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 1)}}, old_id);
    const auto tomorrow = static_cast<CivilMs>(raw(CoordinatorHarness::civil_start) +
                                               to_ms(limits::request_id_kept + 1min));
    harness.give(CivilTime{tomorrow});
    harness.ask(ApplyRequest{.tasks = {CoordinatorHarness::wanted("api", 1)}},
                CoordinatorHarness::id_made_at(tomorrow, 1));
    bool erased = false;
    bool horizon_stored = false;
    for (const Write& write : harness.persisted.back().writes) {
        erased = erased || std::holds_alternative<EraseOldRequests>(write);
        const auto* meta = std::get_if<Meta>(&write);
        horizon_stored = horizon_stored || (meta != nullptr && meta->request_horizon ==
                                                                   CoordinatorHarness::civil_start);
    }
    CHECK(erased);
    CHECK(horizon_stored);
    CHECK(error_in(harness.ask(TaskRemoveRequest{"web"}, old_id)) == Errc::stale_request);
}

// Goal: a failed store ends the leadership, and everybody who waits gets an error (S23).
// Method: two changes and a wait are pending when the store fails.
TEST_CASE("when the store fails, everything pending gets an error and leadership ends",
          "[coordinator][durable][S23]") {
    CoordinatorHarness harness;
    harness.want("web", 1);
    harness.store_works = false;
    const Ticket one = harness.request(TaskScaleRequest{"web", 2}, harness.fresh_id());
    const Ticket two = harness.request(TaskRemoveRequest{"web"});
    const Ticket wait = harness.request(WaitRequest{"web"});
    harness.give(StoreFailed{"disk full"});
    CHECK(error_in(harness.reply_to(one)) == Errc::store_failed);
    CHECK(error_in(harness.reply_to(two)) == Errc::store_failed);
    CHECK(error_in(harness.reply_to(wait)) == Errc::store_failed);
    REQUIRE(harness.resigned);
    CHECK(error_in(harness.ask(StatusRequest{})) == Errc::not_leader);
    const Output nothing = harness.coordinator.step(harness.now, Wake{});
    CHECK(nothing.polls.empty());
    CHECK(nothing.persist.empty());
}

// Goal: each durable change takes one number, and the Meta row is written with it.
// Method: check the writes to the store.
TEST_CASE("a change, its counter and its answer are one write", "[coordinator][durable]") {
    CoordinatorHarness harness;
    const RequestId id = harness.fresh_id();
    const std::vector<WantedTask> tasks{CoordinatorHarness::wanted("api", 1),
                                        CoordinatorHarness::wanted("web", 2)};
    const ChangeReply reply = change_in(harness.ask(ApplyRequest{.tasks = tasks}, id));
    CHECK(reply.counter == Generation{11});
    REQUIRE(harness.persisted.size() == 1);
    std::size_t task_rows = 0;
    std::size_t request_rows = 0;
    std::optional<Meta> meta;
    for (const Write& write : harness.persisted.front().writes) {
        task_rows += std::holds_alternative<Shared<StoredTask>>(write) ? 1U : 0U;
        request_rows += std::holds_alternative<StoredRequest>(write) ? 1U : 0U;
        if (const auto* row = std::get_if<Meta>(&write)) {
            meta = *row;
        }
    }
    CHECK(task_rows == 2);
    CHECK(request_rows == 1);
    REQUIRE(meta);
    CHECK(meta->counter == Generation{11});
}

// Goal: applying the present state changes nothing.
// Method: the same apply again, with and without an id.
TEST_CASE("an unchanged apply takes no number", "[coordinator][changes]") {
    CoordinatorHarness harness;
    harness.want("web", 1);
    const std::size_t writes = harness.persisted.size();
    const auto body = ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 1)}};
    const ChangeReply reply = change_in(harness.ask(body));
    CHECK(reply.counter == Generation{11});
    REQUIRE(reply.changes.size() == 1);
    CHECK(reply.changes.front().action == "unchanged");
    CHECK(harness.persisted.size() == writes);
    CHECK(change_in(harness.ask(body, harness.fresh_id())).counter == Generation{11});
}

// Goal: changes in quick succession see each other.
// Method: add, scale and remove while nothing is durable yet.
TEST_CASE("a change is checked against the wanted and the pending state",
          "[coordinator][changes][durable]") {
    CoordinatorHarness harness;
    harness.store_works = false;
    harness.request(TaskAddRequest{CoordinatorHarness::wanted("web", 1)}, harness.fresh_id());
    const Ticket again =
        harness.request(TaskAddRequest{CoordinatorHarness::wanted("web", 1)}, harness.fresh_id());
    const Ticket scale = harness.request(TaskScaleRequest{"web", 3}, harness.fresh_id());
    const Ticket remove = harness.request(TaskRemoveRequest{"w*"}, harness.fresh_id());
    const Ticket gone = harness.request(TaskScaleRequest{"web", 4}, harness.fresh_id());
    const Ticket unchanged = harness.request(ApplyRequest{});
    CHECK_FALSE(harness.reply_to(unchanged));  // It must not confirm what is not durable yet.
    harness.confirm();
    CHECK(error_in(harness.reply_to(again)) == Errc::exists);
    CHECK(change_in(harness.reply_to(scale)).counter == Generation{12});
    CHECK(change_in(harness.reply_to(remove)).counter == Generation{13});
    CHECK(error_in(harness.reply_to(gone)) == Errc::not_found);
    CHECK(change_in(harness.reply_to(unchanged)).counter == Generation{13});
    CHECK(harness.status().tasks == 0);
}

// Goal: `plan` shows what `apply` would do.
// Method: a dry run of a file that adds, changes, scales and removes.
TEST_CASE("a dry run shows the diff by field and changes nothing", "[coordinator][changes]") {
    CoordinatorHarness harness;
    harness.want("api", 1);
    harness.want("web", 1);
    harness.want("old", 2);
    ApplyRequest request{.tasks = {CoordinatorHarness::wanted("api", 4),
                                   CoordinatorHarness::wanted("web", 1, "/other"),
                                   CoordinatorHarness::wanted("new", 1)},
                         .replace = true,
                         .dry_run = true};
    const ChangeReply reply = change_in(harness.ask(request, harness.fresh_id()));
    CHECK(reply.dry_run);
    REQUIRE(reply.changes.size() == 4);
    CHECK(reply.changes[0] == TaskChange{"api", "scale", 1, 4, {}, Generation{11}});
    CHECK(reply.changes[1] == TaskChange{"web", "change", 1, 1, {"argv"}, Generation{14}});
    CHECK(reply.changes[2] == TaskChange{"new", "add", 0, 1, {}, Generation{14}});
    CHECK(reply.changes[3] == TaskChange{"old", "remove", 2, 0, {}, Generation{13}});
    CHECK(harness.status().counter == Generation{13});
    request.dry_run = false;
    CHECK(change_in(harness.ask(request, harness.fresh_id())).counter == Generation{14});
    CHECK(harness.status().tasks == 3);
}

// Goal: every change of a spec is a new generation. Method: change each field of the wire format
// alone, so that a later field cannot be forgotten.
TEST_CASE("a change of any field of a spec is named and has another digest",
          "[coordinator][changes][spec]") {
    Random random{1};
    TaskSpec plain;
    plain.argv = {"x"};
    std::size_t fields_of_spec = 1;
    for (std::size_t at = 0; at < fields_of_spec; ++at) {
        TaskSpec changed = plain;
        std::string changed_name;
        for (int i = 0; i < 100 && changed == plain; ++i) {
            std::size_t index = 0;
            const auto visit = [&](std::string_view name, auto& member, const codec::Rule& rule) {
                if (index++ == at) {
                    codec_samples::Filler{random}.fill(member, rule);
                    changed_name = name;
                }
            };
            codec::fields(visit, changed);
            fields_of_spec = index;
        }
        const auto unit = changed_name.find("_ms");
        changed_name.resize(std::min(unit, changed_name.size()));
        CHECK(differing_fields(plain, changed) == std::vector{changed_name});
        CHECK(digest_of(plain) != digest_of(changed));
    }
    CHECK(fields_of_spec == 24);
}

// Goal: a new spec is a new generation that replaces the old one; so is a restart, with the same
// spec. Method: change, then restart, and check what runs.
TEST_CASE("a changed spec and a restart replace what runs, a scale does not",
          "[coordinator][changes]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    CHECK(n1.instances.at({"web", 0}).generation == Generation{11});
    harness.want("web", 1, "/bin/other");
    harness.pass(5s);
    CHECK(n1.instances.at({"web", 0}).generation == Generation{12});
    harness.ask(TaskRestartRequest{"web"}, harness.fresh_id());
    harness.pass(5s);
    CHECK(n1.instances.at({"web", 0}).generation == Generation{13});
    harness.ask(TaskScaleRequest{"web", 2}, harness.fresh_id());
    harness.pass(5s);
    CHECK(n1.instances.at({"web", 0}).generation == Generation{13});
    CHECK(harness.read<TaskShowReply>(TaskShowRequest{"web"}).task.generation == Generation{13});
}

// Goal: placement rules are durable, and no reason to restart instances.
// Method: change the rule alone, with the spec, and back; and through a new leadership.
TEST_CASE("another placement rule is a change without a new generation",
          "[coordinator][changes][placement]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    auto task = CoordinatorHarness::wanted("web", 1);
    task.place.constraints = {*parse_constraint("rack != r7")};
    task.place.priority = 5;
    const ChangeReply reply = change_in(harness.ask(ApplyRequest{.tasks = {task}, .force = true}));
    REQUIRE(reply.changes.size() == 1);
    CHECK(reply.changes[0] ==
          TaskChange{"web", "change", 1, 1, {"constraints", "priority"}, Generation{11}});
    CHECK(reply.counter == Generation{12});
    CHECK(harness.read<TaskShowReply>(TaskShowRequest{"web"}).wanted == task);
    harness.ask(TaskScaleRequest{"web", 2}, harness.fresh_id());
    task.instances = 2;
    CHECK(harness.read<TaskShowReply>(TaskShowRequest{"web"}).wanted == task);
    CHECK(change_in(harness.ask(ApplyRequest{.tasks = {task}})).changes[0].action == "unchanged");
    harness.pass(5s);
    CHECK(n1.instances.at({"web", 0}).generation == Generation{11});
    harness.ask(TaskRestartRequest{"web"}, harness.fresh_id());
    CHECK(harness.read<TaskShowReply>(TaskShowRequest{"web"}).wanted == task);
}

// Goal: a typing error in a label is reported. Method: labels that no node has, before any node is
// known, with one, by force, and again when it is already wanted.
TEST_CASE("a label that no node has is refused with similar ones, unless forced",
          "[coordinator][changes][placement]") {
    CoordinatorHarness harness;
    auto early = CoordinatorHarness::wanted("early", 1);
    early.place.constraints = {*parse_constraint("anything exists")};
    CHECK(change_in(harness.ask(ApplyRequest{.tasks = {early}})).changes[0].action == "add");

    FakeAgent& n1 = harness.add("n1");
    Hello hello = CoordinatorHarness::hello_of(n1);
    hello.offer.labels = {{"rack", "r7"}, {"zone", "a"}};
    harness.give(FromAgent{n1.session, hello});
    harness.pass(2s);
    auto task = CoordinatorHarness::wanted("web", 1);
    task.place.constraints = {*parse_constraint("rack = r7"), *parse_constraint("zoen = a")};
    const auto refused =
        harness.ask(ApplyRequest{.tasks = {CoordinatorHarness::wanted("ok", 1), task}});
    CHECK(error_in(refused) == Errc::invalid);
    CHECK(refused->result.error().detail ==
          "task 'web': no node has a label 'zoen'; did you mean zone? --force accepts it anyway");
    CHECK(error_in(harness.ask(TaskAddRequest{task})) == Errc::invalid);
    task.place.constraints.pop_back();
    task.place.spread = "rak";
    CHECK(error_in(harness.ask(ApplyRequest{.tasks = {task}, .dry_run = true})) == Errc::invalid);
    CHECK(harness.status().tasks == 1);

    CHECK(change_in(harness.ask(TaskAddRequest{task, true})).changes[0].action == "add");
    CHECK(change_in(harness.ask(ApplyRequest{.tasks = {early, task}})).changes[1].action ==
          "unchanged");
}

// Goal: a typing error in a pool is reported. Method: a pool without a node, before any node is
// known, with one, by force, and again when it is already wanted.
TEST_CASE("a pool that no node is in is refused with similar ones, unless forced",
          "[coordinator][changes][placement]") {
    CoordinatorHarness harness;
    auto early = CoordinatorHarness::wanted("early", 1);
    early.place.pool = "fast";
    CHECK(change_in(harness.ask(ApplyRequest{.tasks = {early}})).changes[0].action == "add");

    FakeAgent& n1 = harness.add("n1");
    Hello hello = CoordinatorHarness::hello_of(n1);
    hello.offer.pool = "gpu-large";
    harness.give(FromAgent{n1.session, hello});
    harness.pass(2s);
    auto task = CoordinatorHarness::wanted("web", 1);
    task.place.pool = "gpu-lage";
    const auto refused = harness.ask(ApplyRequest{.tasks = {early, task}});
    CHECK(error_in(refused) == Errc::invalid);
    CHECK(refused->result.error().detail ==
          "task 'web': no node is in pool 'gpu-lage'; did you mean gpu-large? --force accepts it "
          "anyway");
    task.place.pool = "x";
    const auto other = harness.ask(TaskAddRequest{task});
    CHECK(error_in(other) == Errc::invalid);
    CHECK(other->result.error().detail ==
          "task 'web': no node is in pool 'x'; the pools are gpu-large; --force accepts it anyway");

    CHECK(change_in(harness.ask(TaskAddRequest{task, true})).changes[0].action == "add");
    CHECK(change_in(harness.ask(ApplyRequest{.tasks = {early, task}})).changes[1].action ==
          "unchanged");
    task.place.pool = "gpu-large";
    CHECK(change_in(harness.ask(ApplyRequest{.tasks = {task}})).changes[0].action == "change");
}

TEST_CASE("a retry with another placement rule is another request",
          "[coordinator][requests][placement]") {
    CoordinatorHarness harness;
    const RequestId id = harness.fresh_id();
    auto task = CoordinatorHarness::wanted("web", 1);
    task.place.group = "front";
    CHECK(change_in(harness.ask(TaskAddRequest{task}, id)).changes.size() == 1);
    CHECK(change_in(harness.ask(TaskAddRequest{task}, id)).changes.size() == 1);
    task.place.group = "back";
    CHECK(error_in(harness.ask(TaskAddRequest{task}, id)) == Errc::conflict);
}

TEST_CASE("a task on every node is not scaled above one for each",
          "[coordinator][changes][placement]") {
    CoordinatorHarness harness;
    auto task = CoordinatorHarness::wanted("watch", 1);
    task.place.every_node = true;
    CHECK(change_in(harness.ask(TaskAddRequest{task})).changes[0].every_node);
    CHECK(error_in(harness.ask(TaskScaleRequest{"watch", 2})) == Errc::invalid);
    CHECK(change_in(harness.ask(TaskScaleRequest{"watch", 0})).changes[0].action == "scale");
}

// Goal: bad input is refused whole, with a sentence.
// Method: one request for each rule.
TEST_CASE("a request that breaks a rule is refused whole", "[coordinator][changes]") {
    CoordinatorHarness harness;
    WantedTask nameless = CoordinatorHarness::wanted("../x", 1);
    CHECK(error_in(harness.ask(ApplyRequest{
              .tasks = {CoordinatorHarness::wanted("ok", 1), nameless}})) == Errc::invalid);
    CHECK(error_in(harness.ask(ApplyRequest{.tasks = {CoordinatorHarness::wanted("a", 1),
                                                      CoordinatorHarness::wanted("a", 2)}})) ==
          Errc::invalid);
    CHECK(error_in(harness.ask(TaskScaleRequest{"*", limits::instances_per_task + 1})) ==
          Errc::invalid);
    WantedTask nowhere = CoordinatorHarness::wanted("web", 1);
    nowhere.place.constraints = {*parse_constraint("rack = r7"), *parse_constraint("rack = r8")};
    CHECK(error_in(harness.ask(ApplyRequest{
              .tasks = {CoordinatorHarness::wanted("ok", 1), nowhere}})) == Errc::invalid);
    CHECK(error_in(harness.ask(TaskRemoveRequest{"nobody"})) == Errc::not_found);
    CHECK(error_in(harness.ask(TaskRemoveRequest{"n[3-1]"})) == Errc::invalid);
    std::vector<WantedTask> too_many;
    too_many.reserve(21);
    for (int i = 0; i < 21; ++i) {
        too_many.push_back(
            CoordinatorHarness::wanted("t" + std::to_string(i), limits::instances_per_task));
    }
    CHECK(error_in(harness.ask(ApplyRequest{.tasks = too_many})) == Errc::too_large);
    CHECK(harness.status().tasks == 0);
    CHECK(harness.persisted.empty());
}

// Goal: a slow store makes operators wait, and does not exhaust memory.
// Method: more changes than can be pending.
TEST_CASE("too many pending changes are refused as busy", "[coordinator][changes]") {
    CoordinatorHarness harness;
    harness.store_works = false;
    for (std::size_t i = 0; i < limits::pending_changes; ++i) {
        harness.request(
            ApplyRequest{.tasks = {CoordinatorHarness::wanted("t", 1 + (i % 2 == 0 ? 0U : 1U))}});
    }
    CHECK(error_in(harness.ask(TaskRemoveRequest{"t"})) == Errc::busy);
    harness.confirm();
    harness.give(Wake{});  // More than one step applies them.
    harness.store_works = true;
    CHECK(harness.ask(TaskRemoveRequest{"t"})->result);
}
