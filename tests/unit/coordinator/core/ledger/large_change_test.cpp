#include <algorithm>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/base/random.hpp"
#include "coordinator/core/ledger/write_in_parts.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;

namespace {

CoordinatorOptions with_rows_of_step(std::size_t rows) {
    CoordinatorOptions options;
    options.rows_of_step = rows;
    return options;
}

std::vector<WantedTask> tasks_named(const std::vector<std::string>& names,
                                    std::uint32_t instances = 1) {
    std::vector<WantedTask> tasks;
    for (const std::string& name : names) {
        tasks.push_back(CoordinatorHarness::wanted(name, instances));
    }
    return tasks;
}

ApplyRequest five() { return {.tasks = tasks_named({"a", "b", "c", "d", "e"})}; }

std::vector<std::string> tasks_of(CoordinatorHarness& harness) {
    std::vector<std::string> names;
    for (const TaskView& task : harness.read<TaskListReply>(TaskListRequest{}).tasks) {
        names.push_back(task.name);
    }
    return names;
}

/// A request of any kind that changes some of a few task names; many are refused.
CoreRequestBody any_change(Random& random) {
    const auto any_tasks = [&] {
        std::vector<WantedTask> tasks;
        for (char name = 'a'; name <= 'h'; ++name) {
            if (random.chance(1, 2)) {
                tasks.push_back(CoordinatorHarness::wanted(
                    std::string{name}, static_cast<std::uint32_t>(random.below(4)),
                    random.chance(1, 4) ? "/bin/cat" : "/bin/sleep"));
                tasks.back().place.every_node = random.chance(1, 8);
                if (random.chance(1, 16)) {
                    tasks.back().place.spread = "no-such-label";
                }
            }
        }
        if (!tasks.empty() && random.chance(1, 16)) {
            tasks.push_back(tasks.front());
        }
        if (!tasks.empty() && random.chance(1, 16)) {
            tasks.back().spec.argv.clear();
        }
        return tasks;
    };
    constexpr const char* patterns[] = {"*", "a", "[a-d]", "[!b]", "x"};
    const std::string pattern = patterns[random.below(std::size(patterns))];
    switch (random.below(5)) {
        case 0: return TaskRemoveRequest{pattern};
        case 1: return TaskScaleRequest{pattern, static_cast<std::uint32_t>(random.below(3))};
        case 2: return TaskRestartRequest{pattern};
        case 3: return TaskAddRequest{CoordinatorHarness::wanted("a", 2)};
        default:
            return ApplyRequest{.tasks = any_tasks(),
                                .replace = random.chance(1, 3),
                                .dry_run = random.chance(1, 6),
                                .force = random.chance(1, 2)};
    }
}

/// What must be the same for any number of steps.
std::vector<std::string> published_of_tasks(const CoordinatorHarness& harness) {
    std::vector<std::string> lines;
    for (const Event& event : harness.events) {
        constexpr const char* changes[] = {"task.added", "task.removed", "task.scaled",
                                           "task.restarted", "task.changed"};
        if (std::ranges::find(changes, event.topic) != std::end(changes)) {
            lines.push_back(event.topic + ' ' + event.name + ' ' + event.detail);
        }
    }
    return lines;
}

}  // namespace

// Goal: the number of steps of a change is not observable.
// Method: any requests, to a core that makes each in one step and to one with few rows a step.
TEST_CASE("a change in several steps is the same as in one", "[coordinator][large]") {
    const auto seed = GENERATE(range<std::uint64_t>(1, 61));
    CAPTURE(seed);
    Random random{seed};
    const std::size_t rows = 1 + random.below(3);
    CoordinatorHarness whole;
    CoordinatorHarness parts{CoordinatorHarness::empty_store(), with_rows_of_step(rows)};
    for (CoordinatorHarness* const harness : {&whole, &parts}) {
        harness->join("n1");
        harness->pass(3s);
    }
    for (int request = 0; request < 12; ++request) {
        const CoreRequestBody body = any_change(random);
        const RequestId id = CoordinatorHarness::id_made_at(
            CoordinatorHarness::civil_start, 100U + seed * 50U + static_cast<unsigned>(request));
        for (const char* const attempt : {"first", "retry"}) {
            const Ticket to_whole = whole.request(body, id);
            const Ticket to_parts = parts.request(body, id);
            whole.pass(0s);
            parts.pass(0s);
            CAPTURE(request, body.index(), attempt);
            REQUIRE(whole.reply_to(to_whole));
            CHECK(whole.reply_to(to_whole) == parts.reply_to(to_parts));
        }
        CHECK(tasks_of(whole) == tasks_of(parts));
        CHECK(whole.status().counter == parts.status().counter);
    }
    CHECK(published_of_tasks(whole) == published_of_tasks(parts));
    CHECK_FALSE(parts.coordinator.has_incomplete_change());
}

// Goal: the store never has half of a change. Method: five tasks with two a step, while a node
// joins in between: every Persist but the last continues in the next.
TEST_CASE("everything that is given to the store during a change belongs to it",
          "[coordinator][large]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), with_rows_of_step(2)};
    harness.pass(2s);
    harness.store_works = false;
    const std::size_t before = harness.persisted.size();
    harness.request(five(), harness.fresh_id());
    while (harness.persisted.size() == before) {
        harness.give(Wake{});
    }
    harness.join("n1");
    harness.pass(0s);
    REQUIRE(harness.persisted.size() > before + 3);
    for (std::size_t at = before; at < harness.persisted.size(); ++at) {
        CHECK(continues(harness.persisted[at]) == (at + 1 < harness.persisted.size()));
    }
    std::vector<Persist> queue{harness.persisted.begin() + static_cast<std::ptrdiff_t>(before),
                               harness.persisted.end()};
    const Persist last = queue.back();
    queue.pop_back();
    CHECK(take_whole(queue).empty());
    queue.push_back(last);
    CHECK(take_whole(queue).back().number == last.number);
    CHECK(queue.empty());
}

// Goal: a change is checked whole before any part is proposed. Method: the last of five tasks is
// invalid; then add the same names, as if there had been no request.
TEST_CASE("a large change with one error has no effect", "[coordinator][large]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), with_rows_of_step(1)};
    harness.pass(2s);
    ApplyRequest faulty = five();
    faulty.tasks.back().spec.argv.clear();
    const std::size_t before = harness.persisted.size();
    const Ticket asked = harness.request(faulty);
    harness.pass(0s);
    REQUIRE(harness.reply_to(asked));
    CHECK(harness.reply_to(asked)->result.error().code == Errc::invalid);
    CHECK(harness.persisted.size() == before);
    CHECK(tasks_of(harness).empty());
    CHECK_FALSE(harness.coordinator.has_incomplete_change());
}

// Goal: a client that asks during a change sees all of it or nothing, and a read does not wait.
// Method: a read, a removal, a retry and a wait while five tasks are processed.
TEST_CASE("changes queue behind a large one, and reads do not", "[coordinator][large]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), with_rows_of_step(1)};
    harness.join("n1");
    harness.pass(3s);
    const RequestId id = harness.fresh_id();
    const Ticket first = harness.request(five(), id);
    const Ticket removal = harness.request(TaskRemoveRequest{"*"}, harness.fresh_id());
    const Ticket retry = harness.request(five(), id);
    const Ticket wait = harness.request(WaitRequest{.pattern = "*", .timeout_ms = 60'000});
    REQUIRE(harness.coordinator.has_incomplete_change());
    CHECK(harness.read<TaskListReply>(TaskListRequest{}).tasks.empty());
    CHECK_FALSE(harness.reply_to(first));
    CHECK_FALSE(harness.reply_to(removal));
    harness.pass(0s);
    REQUIRE(harness.reply_to(first));
    CHECK(harness.reply_to(first) == harness.reply_to(retry));
    CHECK(harness.reply_counts[retry] == 1);
    REQUIRE(harness.reply_to(removal));
    CHECK(std::get<ChangeReply>(*harness.reply_to(removal)->result).changes.size() == 5);
    REQUIRE(harness.reply_to(wait));
    CHECK(harness.reply_to(wait)->result.error().code == Errc::not_found);
    CHECK(tasks_of(harness).empty());
}

// Goal: no client is answered before the whole change is applied. Method: the change is durable,
// and its tasks are applied one a step. A retry before that, one during it and a wait.
TEST_CASE("no client learns of a large change before it is applied whole", "[coordinator][large]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), with_rows_of_step(1)};
    harness.pass(2s);
    harness.store_works = false;
    const RequestId id = harness.fresh_id();
    std::vector<Ticket> tickets{harness.request(five(), id)};
    harness.pass(0s);
    const Ticket wait = harness.request(WaitRequest{.pattern = "e", .timeout_ms = 60'000});
    tickets.push_back(harness.request(five(), id));
    harness.confirm();
    REQUIRE(harness.coordinator.has_incomplete_change());
    CHECK(tasks_of(harness) == std::vector<std::string>{"a"});
    tickets.push_back(harness.request(five(), id));
    for (const Ticket ticket : tickets) {
        CHECK_FALSE(harness.reply_to(ticket));
    }
    harness.pass(0s);
    CHECK(tasks_of(harness).size() == 5);
    for (const Ticket ticket : tickets) {
        CHECK(harness.reply_counts[ticket] == 1);
        CHECK(harness.reply_to(ticket) == harness.reply_to(tickets.front()));
    }
    CHECK_FALSE(harness.reply_to(wait));  // No node runs it. An earlier look would find no task.
}

// Goal: each request is answered once, also if leadership ends during a change. Method: the store
// fails after each number of wakes.
TEST_CASE("a store that fails during a change leaves no request unanswered",
          "[coordinator][large]") {
    const int wakes = GENERATE(range(0, 12));
    CAPTURE(wakes);
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), with_rows_of_step(1)};
    harness.pass(2s);
    harness.store_works = false;
    const Ticket first = harness.request(five(), harness.fresh_id());
    const Ticket second = harness.request(TaskRemoveRequest{"a"}, harness.fresh_id());
    for (int wake = 0; wake < wakes; ++wake) {
        harness.give(Wake{});
    }
    harness.give(StoreFailed{"no space"});
    for (const Ticket ticket : {first, second}) {
        CHECK(harness.reply_counts[ticket] == 1);
        CHECK(harness.reply_to(ticket)->result.error().code == Errc::store_failed);
    }
}

// Goal: a store that was not given all of a change yet is not slow. Method: steps a round apart,
// then the same once everything is given.
TEST_CASE("a store with only parts of a change is not called slow", "[coordinator][large]") {
    const auto reports_slow = [](CoordinatorHarness& harness) {
        return std::ranges::any_of(harness.status().alarms, [](const std::string& alarm) {
            return alarm.find("the store confirms nothing") != std::string::npos;
        });
    };
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), with_rows_of_step(1)};
    harness.join("n1");
    harness.pass(3s);
    harness.store_works = false;
    const std::size_t before = harness.persisted.size();
    ApplyRequest apply = five();
    harness.request(apply, harness.fresh_id());
    while (harness.persisted.size() < before + apply.tasks.size() - 1) {
        harness.now += 600ms;
        harness.give(Wake{});
        CHECK_FALSE(reports_slow(harness));
    }
    harness.pass(3s);
    CHECK(reports_slow(harness));
}

// Goal: the queue has a bound. Method: more requests than may wait.
TEST_CASE("no more requests can queue than for the store", "[coordinator][large]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), with_rows_of_step(1)};
    harness.pass(2s);
    harness.request(five(), harness.fresh_id());
    for (std::size_t other = 0; other < limits::pending_changes; ++other) {
        REQUIRE_FALSE(harness.ask(TaskRemoveRequest{"nobody"}));
    }
    const auto refused = harness.ask(TaskRemoveRequest{"nobody"});
    REQUIRE(refused);
    CHECK(refused->result.error().code == Errc::busy);
    harness.pass(0s);
    CHECK_FALSE(harness.coordinator.has_incomplete_change());
}
