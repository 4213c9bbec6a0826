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

std::vector<std::string> tasks_of(CoordinatorHarness& bench) {
    std::vector<std::string> names;
    for (const TaskView& task : bench.read<TaskListReply>(TaskListRequest{}).tasks) {
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
std::vector<std::string> published_of_tasks(const CoordinatorHarness& bench) {
    std::vector<std::string> lines;
    for (const Event& event : bench.events) {
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
    for (CoordinatorHarness* const bench : {&whole, &parts}) {
        bench->join("n1");
        bench->pass(3s);
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
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), with_rows_of_step(2)};
    bench.pass(2s);
    bench.store_works = false;
    const std::size_t before = bench.persisted.size();
    bench.request(five(), bench.fresh_id());
    while (bench.persisted.size() == before) {
        bench.give(Wake{});
    }
    bench.join("n1");
    bench.pass(0s);
    REQUIRE(bench.persisted.size() > before + 3);
    for (std::size_t at = before; at < bench.persisted.size(); ++at) {
        CHECK(continues(bench.persisted[at]) == (at + 1 < bench.persisted.size()));
    }
    std::vector<Persist> queue{bench.persisted.begin() + static_cast<std::ptrdiff_t>(before),
                               bench.persisted.end()};
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
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), with_rows_of_step(1)};
    bench.pass(2s);
    ApplyRequest faulty = five();
    faulty.tasks.back().spec.argv.clear();
    const std::size_t before = bench.persisted.size();
    const Ticket asked = bench.request(faulty);
    bench.pass(0s);
    REQUIRE(bench.reply_to(asked));
    CHECK(bench.reply_to(asked)->result.error().code == Errc::invalid);
    CHECK(bench.persisted.size() == before);
    CHECK(tasks_of(bench).empty());
    CHECK_FALSE(bench.coordinator.has_incomplete_change());
}

// Goal: a client that asks during a change sees all of it or nothing, and a read does not wait.
// Method: a read, a removal, a retry and a wait while five tasks are processed.
TEST_CASE("changes queue behind a large one, and reads do not", "[coordinator][large]") {
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), with_rows_of_step(1)};
    bench.join("n1");
    bench.pass(3s);
    const RequestId id = bench.fresh_id();
    const Ticket first = bench.request(five(), id);
    const Ticket removal = bench.request(TaskRemoveRequest{"*"}, bench.fresh_id());
    const Ticket retry = bench.request(five(), id);
    const Ticket wait = bench.request(WaitRequest{.pattern = "*", .timeout_ms = 60'000});
    REQUIRE(bench.coordinator.has_incomplete_change());
    CHECK(bench.read<TaskListReply>(TaskListRequest{}).tasks.empty());
    CHECK_FALSE(bench.reply_to(first));
    CHECK_FALSE(bench.reply_to(removal));
    bench.pass(0s);
    REQUIRE(bench.reply_to(first));
    CHECK(bench.reply_to(first) == bench.reply_to(retry));
    CHECK(bench.reply_counts[retry] == 1);
    REQUIRE(bench.reply_to(removal));
    CHECK(std::get<ChangeReply>(*bench.reply_to(removal)->result).changes.size() == 5);
    REQUIRE(bench.reply_to(wait));
    CHECK(bench.reply_to(wait)->result.error().code == Errc::not_found);
    CHECK(tasks_of(bench).empty());
}

// Goal: no client is answered before the whole change is applied. Method: the change is durable,
// and its tasks are applied one a step. A retry before that, one during it and a wait.
TEST_CASE("no client learns of a large change before it is applied whole", "[coordinator][large]") {
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), with_rows_of_step(1)};
    bench.pass(2s);
    bench.store_works = false;
    const RequestId id = bench.fresh_id();
    std::vector<Ticket> tickets{bench.request(five(), id)};
    bench.pass(0s);
    const Ticket wait = bench.request(WaitRequest{.pattern = "e", .timeout_ms = 60'000});
    tickets.push_back(bench.request(five(), id));
    bench.confirm();
    REQUIRE(bench.coordinator.has_incomplete_change());
    CHECK(tasks_of(bench) == std::vector<std::string>{"a"});
    tickets.push_back(bench.request(five(), id));
    for (const Ticket ticket : tickets) {
        CHECK_FALSE(bench.reply_to(ticket));
    }
    bench.pass(0s);
    CHECK(tasks_of(bench).size() == 5);
    for (const Ticket ticket : tickets) {
        CHECK(bench.reply_counts[ticket] == 1);
        CHECK(bench.reply_to(ticket) == bench.reply_to(tickets.front()));
    }
    CHECK_FALSE(bench.reply_to(wait));  // No node runs it. An earlier look would find no task.
}

// Goal: each request is answered once, also if leadership ends during a change. Method: the store
// fails after each number of wakes.
TEST_CASE("a store that fails during a change leaves no request unanswered",
          "[coordinator][large]") {
    const int wakes = GENERATE(range(0, 12));
    CAPTURE(wakes);
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), with_rows_of_step(1)};
    bench.pass(2s);
    bench.store_works = false;
    const Ticket first = bench.request(five(), bench.fresh_id());
    const Ticket second = bench.request(TaskRemoveRequest{"a"}, bench.fresh_id());
    for (int wake = 0; wake < wakes; ++wake) {
        bench.give(Wake{});
    }
    bench.give(StoreFailed{"no space"});
    for (const Ticket ticket : {first, second}) {
        CHECK(bench.reply_counts[ticket] == 1);
        CHECK(bench.reply_to(ticket)->result.error().code == Errc::store_failed);
    }
}

// Goal: a store that was not given all of a change yet is not slow. Method: steps a round apart,
// then the same once everything is given.
TEST_CASE("a store with only parts of a change is not called slow", "[coordinator][large]") {
    const auto reports_slow = [](CoordinatorHarness& bench) {
        return std::ranges::any_of(bench.status().alarms, [](const std::string& alarm) {
            return alarm.find("the store confirms nothing") != std::string::npos;
        });
    };
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), with_rows_of_step(1)};
    bench.join("n1");
    bench.pass(3s);
    bench.store_works = false;
    const std::size_t before = bench.persisted.size();
    ApplyRequest apply = five();
    bench.request(apply, bench.fresh_id());
    while (bench.persisted.size() < before + apply.tasks.size() - 1) {
        bench.now += 600ms;
        bench.give(Wake{});
        CHECK_FALSE(reports_slow(bench));
    }
    bench.pass(3s);
    CHECK(reports_slow(bench));
}

// Goal: the queue has a bound. Method: more requests than may wait.
TEST_CASE("no more requests can queue than for the store", "[coordinator][large]") {
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), with_rows_of_step(1)};
    bench.pass(2s);
    bench.request(five(), bench.fresh_id());
    for (std::size_t other = 0; other < limits::pending_changes; ++other) {
        REQUIRE_FALSE(bench.ask(TaskRemoveRequest{"nobody"}));
    }
    const auto refused = bench.ask(TaskRemoveRequest{"nobody"});
    REQUIRE(refused);
    CHECK(refused->result.error().code == Errc::busy);
    bench.pass(0s);
    CHECK_FALSE(bench.coordinator.has_incomplete_change());
}
