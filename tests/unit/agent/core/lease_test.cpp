#include "tests/catch.hpp"

#include "tests/unit/agent/core/agent_harness.hpp"

// How an agent runs exclusive instances, which never have two processes: under a lease.
namespace muster::agent::testing {

namespace {

constexpr Duration length = 30s;

TaskSpec alone() {
    TaskSpec spec = sleeper();
    spec.exclusive = true;
    spec.update.max_surge = 0;
    return spec;
}

/// An agent and a coordinator that grants leases from the stamps of its reports.
struct Leased : Node {
    using Node::Node;

    BootMs stamp() {
        poll();
        return last<Report>()->stamp;
    }
    static BootMs after(BootMs stamp) { return boot_ms(instant_of(stamp) + length); }
    Batch order(const InstanceId& id, std::uint64_t generation, BootMs lease, std::uint64_t token,
                const TaskSpec& spec = alone()) {
        Batch message = start_batch(id, generation, spec);
        message.starts[0].lease = lease;
        message.starts[0].token = token;
        return message;
    }
    void grant(BootMs lease) {
        Poll message{epoch, Round{++rounds_}, memory().incarnation, {}, {}, false};
        message.lease = lease;
        deliver(message);
    }
    std::optional<Refusal> refusal() {
        const auto ack = last<Ack>();
        return ack && !ack->refusals.empty() ? std::optional{ack->refusals[0]} : std::nullopt;
    }
    [[nodiscard]] bool is_known(const InstanceId& id) { return instance(id).has_value(); }

private:
    std::uint64_t rounds_ = 1'000;
};

}  // namespace

TEST_CASE("a report carries the boot time of its host", "[agent][lease]") {
    Leased node;
    node.join();
    CHECK(node.stamp() == boot_ms(node.now()));
    node.pass(2s);
    CHECK(node.stamp() == boot_ms(node.now()));
}

TEST_CASE("an exclusive instance runs under the lease of its start", "[agent][lease]") {
    Leased node;
    node.join();
    const BootMs stamp = node.stamp();
    node.pass(5s);
    node.deliver(node.order(web0, 3, Leased::after(stamp), 7));
    REQUIRE(node.spawns.size() == 1);
    CHECK(node.spawns[0].lease == instant_of(stamp) + length);
    CHECK(node.spawns[0].token == 7);
}

TEST_CASE("a start that arrives after its lease is refused", "[agent][lease]") {
    Leased node;
    node.join();
    const Batch late = node.order(web0, 3, Leased::after(node.stamp()), 7);
    node.pass(length);
    node.deliver(late);
    CHECK(node.spawns.empty());
    REQUIRE(node.refusal());
    CHECK(node.refusal()->code == Errc::lease_over);
    CHECK(node.refusal()->detail ==
          "it is exclusive, and its lease passed 0 ms before the start came");
}

TEST_CASE("an exclusive instance is not started without a lease, a token, or beyond any lease",
          "[agent][lease]") {
    Leased node;
    node.join();
    const BootMs lease = Leased::after(node.stamp());
    for (const auto& [given, token] :
         {std::pair{BootMs{}, std::uint64_t{7}}, std::pair{lease, std::uint64_t{0}},
          std::pair{boot_ms(node.now() + 1h), std::uint64_t{7}}}) {
        node.messages.clear();
        node.deliver(node.order(web0, 3, given, token));
        REQUIRE(node.refusal());
        CHECK(node.refusal()->code == Errc::refused);
    }
    CHECK(node.spawns.empty());
    node.start(web1, 3);  // An instance that is not exclusive needs neither.
    CHECK(node.spawns.size() == 1);
}

TEST_CASE("a poll extends the lease of all exclusive instances, and never shortens it",
          "[agent][lease]") {
    Leased node;
    node.join();
    const BootMs first = Leased::after(node.stamp());
    node.deliver(node.order(web0, 3, first, 7));
    node.start(web1, 3);
    node.pass(10s);
    const BootMs second = Leased::after(node.stamp());
    node.grant(second);
    REQUIRE(node.renewals.size() == 1);
    CHECK(node.renewals[0].process == node.spawns[0].process);
    CHECK(node.renewals[0].lease == instant_of(second));
    node.grant(first);
    CHECK(node.renewals.size() == 1);
    node.pass(25s);  // Beyond the first lease.
    CHECK(node.state(web0) == "running");
}

// Goal: an instance that may already run elsewhere does not run here again, whatever arrives late.
TEST_CASE("an exclusive instance leaves when its lease ends, and only a start brings it back",
          "[agent][lease]") {
    Leased node;
    node.join();
    node.deliver(node.order(web0, 3, Leased::after(node.stamp()), 7));
    node.pass(length);
    CHECK(node.state(web0) == "stopping");
    CHECK(node.ends.empty());  // The shim ends it.
    node.grant(Leased::after(node.stamp()));
    CHECK(node.renewals.empty());  // Otherwise nothing would end it.
    node.input(ProcessEnded{.process = node.last_process(), .exit_signal = 15, .by_order = true});
    CHECK_FALSE(node.is_known(web0));
    node.pass(length);
    CHECK(node.spawns.size() == 1);
    node.deliver(node.order(web0, 3, Leased::after(node.stamp()), 9));
    CHECK(node.spawns.size() == 2);
    CHECK(node.spawns.back().token == 9);
}

TEST_CASE("an exclusive instance in back-off is gone when the lease ends", "[agent][lease]") {
    Leased node;
    node.join();
    TaskSpec spec = alone();
    spec.restart.backoff = 1min;
    node.deliver(node.order(web0, 3, Leased::after(node.stamp()), 7, spec));
    node.ended(node.last_process(), 1);
    REQUIRE(node.state(web0) == "backoff");
    node.pass(length);
    CHECK_FALSE(node.is_known(web0));
    node.grant(Leased::after(node.stamp()));
    node.pass(5min);
    CHECK(node.spawns.size() == 1);
}

TEST_CASE("an exclusive instance that ends is restarted while its lease is valid",
          "[agent][lease]") {
    Leased node;
    node.join();
    node.deliver(node.order(web0, 3, Leased::after(node.stamp()), 7));
    node.pass(10s);
    node.grant(Leased::after(node.stamp()));
    node.ended(node.last_process(), 1);
    node.pass(2s);
    REQUIRE(node.spawns.size() == 2);
    CHECK(node.spawns.back().token == 7);
    CHECK(node.spawns.back().lease > node.spawns.front().lease);
}

// Goal: an agent that was paused beyond its lease restarts nothing. Method: its first input is a
// poll that would renew the lease.
TEST_CASE("a paused agent does not renew a lease that ended meanwhile", "[agent][lease]") {
    Leased node{{.processes_answer = false}};
    node.join();
    node.deliver(node.order(web0, 3, Leased::after(node.stamp()), 7));
    node.input(ProcessNotStarted{node.last_process(), false, true, "no memory"});
    REQUIRE(node.state(web0) == "backoff");
    node.sleep(10min);
    node.grant(Leased::after(boot_ms(node.now())));
    CHECK_FALSE(node.is_known(web0));
    node.pass(10s);
    CHECK(node.spawns.size() == 1);
}

TEST_CASE("an adopted exclusive process keeps running, and is not restarted when it ends",
          "[agent][lease]") {
    InstanceImage image;
    image.report.id = web0;
    image.report.generation = Generation{3};
    image.report.state = InstanceState::running;
    image.digest = digest_of(alone());
    image.process = ProcessId{5};
    image.identity = {77, 5};
    InstanceImage waiting = image;
    waiting.report.id = web1;
    waiting.report.state = InstanceState::backoff;
    waiting.process = {};
    waiting.identity = {};
    RecoveredState recovered;
    recovered.journal.instances = {image, waiting};
    recovered.journal.specs = {{"web", alone()}};
    Leased node{{.recovered = recovered}};
    node.join();
    CHECK(node.state(web0) == "running");
    CHECK_FALSE(node.is_known(web1));  // It may already run elsewhere.
    const BootMs lease = Leased::after(node.stamp());
    node.grant(lease);
    REQUIRE(node.renewals.size() == 1);
    CHECK(node.renewals[0].lease == instant_of(lease));
    node.ended(ProcessId{5}, 1);
    CHECK_FALSE(node.is_known(web0));
    node.pass(10s);
    CHECK(node.spawns.empty());
}

}  // namespace muster::agent::testing
