#include "tests/unit/agent/exec/executor_host.hpp"

// Processes that can run until their lease ends: real ones, below real shims.
namespace muster::agent {

TEST_CASE("an exclusive process ends with its lease, without an agent", "[executor][lease]") {
    Host host;
    const auto process = host.lease("echo $MUSTER_TOKEN; exec sleep 1000", 1s, 7);
    host.until([&] { return host.output() == "7\n"; });
    const pid_t pid = host.pid_of(process);
    host.leave();
    const auto lives = [&] { return fs::exists("/proc/" + std::to_string(pid)); };
    while (lives()) {  // The test's own timeout is the bound.
        ::poll(nullptr, 0, 10);
    }
    InstanceImage image;
    image.report.id = {"web", 0};
    image.process = process;
    image.identity = {pid, 1};
    JournalImage journal;
    journal.instances = {image};
    host.begin(journal);
    const auto ended = host.await<ProcessEnded>(process);
    CHECK(ended.by_order);
    CHECK(ended.exit_signal == SIGTERM);
    CHECK(host.executor().state_of(process)->lease_over);
}

// Goal: a lease is extended, never shortened. Method: renewals in the wrong order; the first lease
// passes during a longer operation of the process.
TEST_CASE("a renewed lease continues, and a late renewal does not shorten it",
          "[executor][lease]") {
    Host host;
    const Instant begun = Host::boot_time();
    const auto process = host.lease("sleep 2; echo done", 1s, 7);
    host.executor().renew({process, begun + 1h});
    host.executor().renew({process, begun + 1s});
    const auto ended = host.await<ProcessEnded>(process);
    CHECK(ended.exit_code == 0);
    CHECK_FALSE(host.executor().state_of(process)->lease_over);
    CHECK(host.output() == "done\n");
}

TEST_CASE("a process whose lease has passed is not started", "[executor][lease]") {
    Host host;
    const auto late = host.lease("echo begun", Duration{-1ms}, 7);
    CHECK(host.await<ProcessNotStarted>(late).detail ==
          "its lease had passed before it could begin");
    const auto without = host.lease("echo begun", 1h, 0);
    CHECK(host.await<ProcessNotStarted>(without).detail ==
          "it is exclusive, and there is no lease and token for it");
    CHECK(host.output().empty());
}

// Goal: waiting for the end of a lease does not depend on the grace of an old spec.
TEST_CASE("at the end of a lease the grace of a stop is bounded", "[executor][lease]") {
    const Spawn spawn = [] {
        Spawn of;
        of.process = ProcessId{1};
        of.id = {"web", 0};
        of.spec.argv = {"/bin/true"};
        of.spec.grace = 1h;
        of.spec.exclusive = true;
        of.spec.update.max_surge = 0;
        of.lease = Instant{5s};
        of.token = 7;
        return of;
    }();
    ProcessPlace place;
    place.work = "/";
    const auto order = order_for(spawn, std::nullopt, place, {});
    REQUIRE(order);
    shim::Reader reader{order->message.data(), order->message.size()};
    std::uint64_t grace_ms = 0;
    std::uint64_t lease_ns = 0;
    for (shim::Field field; reader.next(field);) {
        grace_ms = field.tag == shim::Tag::grace_ms ? field.number() : grace_ms;
        lease_ns = field.tag == shim::Tag::lease_ns ? field.number() : lease_ns;
    }
    CHECK(grace_ms == static_cast<std::uint64_t>(to_ms(limits::lease_grace)));
    CHECK(lease_ns == 5'000'000'000);
}

}  // namespace muster::agent
