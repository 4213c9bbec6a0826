#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

// An instance that ended successfully in a generation is not run in it again.
namespace muster::coordinator::testing {
namespace {

InstanceId job_0() { return {"job", 0}; }

/// Nodes n1 and n2, and a task of two instances that run to their end, one on each.
struct Jobs {
    CoordinatorHarness harness;

    explicit Jobs(const StoreImage& image = CoordinatorHarness::empty_store()) : harness{image} {}

    WantedTask wanted(RestartPolicy policy = RestartPolicy::on_failure) const {
        WantedTask task = CoordinatorHarness::wanted("job", 2);
        task.spec.restart.policy = policy;
        return task;
    }
    void begin(RestartPolicy policy = RestartPolicy::on_failure) {
        harness.join("n1");
        harness.join("n2");
        harness.pass(1s);
        harness.ask(ApplyRequest{.tasks = {wanted(policy)}}, harness.fresh_id());
        REQUIRE(harness.running("job") == 2);
    }
    FakeAgent& host_of(const InstanceId& id) {
        for (auto& [name, fake] : harness.fakes) {
            if (fake.instances.contains(id)) {
                return fake;
            }
        }
        FAIL("it runs nowhere");
        return harness["n1"];
    }
    /// Its process ends, and its agent reports it with the next answer.
    void end(const InstanceId& id, InstanceState state, std::int32_t code) {
        FakeAgent& host = host_of(id);
        host.instances.at(id).state = state;
        host.instances.at(id).exit_code = code;
        host.revision = next(host.revision);
        harness.pass(1s);
    }
    /// Its host and its disk are lost.
    void lose(const InstanceId& id) {
        FakeAgent& host = host_of(id);
        host.answers = host.reports_changes = host.obeys = false;
        host.instances.clear();
        harness.pass(30s);
        REQUIRE(harness.node(host.name).health == "lost");
    }
    std::size_t starts(const InstanceId& id) const {
        std::size_t count = 0;
        for (const auto& [name, fake] : harness.fakes) {
            for (const Batch& batch : fake.batches) {
                count += static_cast<std::size_t>(std::ranges::count(batch.starts, id, &Start::id));
            }
        }
        return count;
    }
    std::vector<StoredEnds> written() const {
        std::vector<StoredEnds> rows;
        for (const Persist& persist : harness.persisted) {
            for (const Write& write : persist.writes) {
                if (const auto* const row = std::get_if<Shared<StoredEnds>>(&write)) {
                    rows.push_back(**row);
                }
            }
        }
        return rows;
    }
    bool erased() const {
        return std::ranges::any_of(harness.persisted, [](const Persist& persist) {
            return std::ranges::any_of(persist.writes, [](const Write& write) {
                return std::holds_alternative<Erase<StoredEnds>>(write);
            });
        });
    }
};

}  // namespace

// Goal: finished work is not repeated because a host dies. Method: as the name says; the other
// instance, which has not ended, moves.
TEST_CASE("an instance that ended successfully is not started again when its node is lost",
          "[coordinator][ends]") {
    Jobs jobs;
    jobs.begin();
    jobs.harness.join("n3");
    jobs.end(job_0(), InstanceState::exited, 0);
    REQUIRE(jobs.written().size() == 1);
    CHECK(jobs.written()[0].ordinals.contains(0));
    CHECK_FALSE(jobs.written()[0].ordinals.contains(1));
    jobs.lose(job_0());
    CHECK(jobs.starts(job_0()) == 1);
    CHECK(jobs.harness.status().exited == 1);
    CHECK(jobs.harness.status().converged);
    const auto shown = jobs.harness.read<TaskShowReply>(TaskShowRequest{"job"});
    CHECK(shown.instances.at(0).state == "exited");
    CHECK(shown.instances.at(0).node.empty());
    jobs.lose({"job", 1});
    CHECK(jobs.starts({"job", 1}) == 2);
}

// Goal: a failure is not taken for finished work. Method: an instance exits with 3 under `never`.
TEST_CASE("an instance that failed runs again when its node is lost", "[coordinator][ends]") {
    Jobs jobs;
    jobs.begin(RestartPolicy::never);
    jobs.harness.join("n3");
    jobs.end(job_0(), InstanceState::exited, 3);
    CHECK(jobs.written().empty());
    jobs.lose(job_0());
    CHECK(jobs.starts(job_0()) == 2);
}

// Goal: neither an agent with an empty journal nor a new leader runs it again.
// Method: a second coordinator with the first one's store; its agents know nothing.
TEST_CASE("an instance that ended successfully is not started again by a new leader",
          "[coordinator][ends]") {
    StoreImage image = CoordinatorHarness::store_with(
        {CoordinatorHarness::stored("n1"), CoordinatorHarness::stored("n2")});
    Jobs first;
    first.begin();
    first.end(job_0(), InstanceState::exited, 0);
    image.ends = first.written();
    REQUIRE(image.ends.size() == 1);
    image.tasks = {StoredTask{first.wanted(), image.ends[0].generation, image.ends[0].generation}};
    image.meta.counter = image.ends[0].generation;
    const bool is_of_another = GENERATE(false, true);
    if (is_of_another) {
        image.ends[0].generation = Generation{77};  // Such a row has no effect.
    }
    Jobs second{image};
    second.harness.join("n1");
    second.harness.join("n2");
    second.harness.pass(10s);
    CHECK(second.starts(job_0()) == (is_of_another ? 1 : 0));
    CHECK(second.starts({"job", 1}) == 1);
    CHECK(second.harness.status().converged);
}

// Goal: an operator can request finished work again. Method: restart the task; then check the old
// row.
TEST_CASE("a new generation runs what ended successfully in the previous one",
          "[coordinator][ends]") {
    Jobs jobs;
    jobs.begin();
    jobs.end(job_0(), InstanceState::exited, 0);
    jobs.harness.ask(TaskRestartRequest{"job"}, jobs.harness.fresh_id());
    jobs.harness.pass(5s);
    CHECK(jobs.starts(job_0()) == 2);
    CHECK(jobs.erased());
}

// Goal: a removed task leaves no rows. Method: remove the task.
TEST_CASE("the ends of a task are erased with it", "[coordinator][ends]") {
    Jobs jobs;
    jobs.begin();
    jobs.end(job_0(), InstanceState::exited, 0);
    CHECK_FALSE(jobs.erased());
    jobs.harness.ask(TaskRemoveRequest{"job"}, jobs.harness.fresh_id());
    CHECK(jobs.erased());
}

// Goal: a script learns the outcome of its job. Method: one instance succeeds, one fails.
TEST_CASE("a wait for the end is answered with the worst exit code", "[coordinator][ends][waits]") {
    Jobs jobs;
    jobs.begin(RestartPolicy::never);
    const Ticket wait =
        jobs.harness.request(WaitRequest{.pattern = "job", .timeout_ms = 60'000, .finished = true});
    jobs.end(job_0(), InstanceState::exited, 0);
    CHECK_FALSE(jobs.harness.reply_to(wait));
    jobs.end({"job", 1}, InstanceState::exited, 3);
    REQUIRE(jobs.harness.reply_to(wait));
    const auto reply = std::get<WaitReply>(jobs.harness.reply_to(wait)->result.value());
    CHECK(reply.exit_code == 3);
    CHECK_THAT(reply.worst, Catch::StartsWith("job.1 on n"));
}

// Goal: an end that was reported to a client is not run again after a power loss. Method: a slow
// store.
TEST_CASE("a wait for the end is answered once the ends are durable",
          "[coordinator][ends][waits]") {
    Jobs jobs;
    jobs.begin();
    const Ticket wait =
        jobs.harness.request(WaitRequest{.pattern = "job", .timeout_ms = 60'000, .finished = true});
    jobs.end(job_0(), InstanceState::exited, 0);
    jobs.harness.store_works = false;
    jobs.end({"job", 1}, InstanceState::exited, 0);
    CHECK_FALSE(jobs.harness.reply_to(wait));
    jobs.harness.store_works = true;
    jobs.harness.confirm();
    REQUIRE(jobs.harness.reply_to(wait));
    CHECK(std::get<WaitReply>(jobs.harness.reply_to(wait)->result.value()).exit_code == 0);
}

// Goal: a job is not reported as failed while it runs on another host. Method: job.0 cannot be
// executed where it is first started.
TEST_CASE("a wait for the end waits for an instance that is tried elsewhere",
          "[coordinator][ends][waits]") {
    Jobs jobs;
    jobs.begin();
    jobs.harness.join("n3");
    const Ticket wait =
        jobs.harness.request(WaitRequest{.pattern = "job", .timeout_ms = 60'000, .finished = true});
    jobs.end({"job", 1}, InstanceState::exited, 0);
    jobs.end(job_0(), InstanceState::failed, 127);
    CHECK_FALSE(jobs.harness.reply_to(wait));
    jobs.harness.pass(3s);
    REQUIRE(jobs.starts(job_0()) == 2);
    jobs.end(job_0(), InstanceState::exited, 0);
    REQUIRE(jobs.harness.reply_to(wait));
    CHECK(std::get<WaitReply>(jobs.harness.reply_to(wait)->result.value()).exit_code == 0);
}

TEST_CASE("a wait for the end of a task that never ends is refused", "[coordinator][ends][waits]") {
    Jobs jobs;
    jobs.begin(RestartPolicy::always);
    const auto reply =
        jobs.harness.ask(WaitRequest{.pattern = "job", .timeout_ms = 60'000, .finished = true});
    REQUIRE(reply);
    REQUIRE_FALSE(reply->result);
    CHECK(reply->result.error().code == Errc::invalid);
}

}  // namespace muster::coordinator::testing
