#include <cstddef>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/allocations.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

namespace muster::coordinator::test {
namespace {

using testing::CoordinatorHarness;
using testing::FakeAgent;

FakeAgent& fake_of(CoordinatorHarness& harness, Session session) {
    for (auto& [name, fake] : harness.fakes) {
        if (fake.session == session) {
            return fake;
        }
    }
    FAIL("a poll to nobody");
    return harness.fakes.begin()->second;
}

constexpr std::size_t rounds = 10;

/// The allocations of this number of rounds without a change. Work for a task allocates some: a
/// list of the tasks to read, what was read of one, its orders.
std::size_t bytes_of_quiet_rounds(std::uint32_t tasks) {
    CoordinatorHarness harness;
    for (const char* const name : {"n0", "n1", "n2", "n3"}) {
        harness.join(name);
    }
    ApplyRequest apply;
    for (std::uint32_t i = 0; i < tasks; ++i) {
        apply.tasks.push_back(CoordinatorHarness::wanted("t" + std::to_string(i), 1));
    }
    harness.ask(apply, harness.fresh_id());
    harness.pass(2min);
    REQUIRE(harness.status().running == tasks);
    REQUIRE(harness.status().converged);

    std::size_t bytes = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
        harness.now = harness.coordinator.next_deadline();
        Output opened;
        bytes +=
            allocations::bytes_of([&] { opened = harness.coordinator.step(harness.now, Wake{}); });
        REQUIRE(opened.polls.size() == 4);
        for (const PollTo& poll : opened.polls) {
            FakeAgent& fake = fake_of(harness, poll.session);
            const Input answer = FromAgent{poll.session, harness.report_of(fake, poll.poll)};
            Output output;
            const std::size_t of_answer = allocations::bytes_of(
                [&] { output = harness.coordinator.step(harness.now, answer); });
            CHECK(output.messages.empty());
            // Sometimes a node is asked for a complete report.
            const bool is_quiet = poll.poll.seen == fake.revision;
            bytes += is_quiet ? of_answer : 0;
        }
    }
    return bytes;
}

}  // namespace

// Goal: what does not change costs nothing, however much there is.
// Method: count the allocations of quiet rounds, with few tasks and with a hundred times as many.
TEST_CASE("a quiet round costs no more with a thousand tasks than with ten",
          "[coordinator][SP-7]") {
    // The ring of events grows in blocks, so some rounds allocate one and some do not.
    constexpr std::size_t block = 512;
    const std::size_t most = bytes_of_quiet_rounds(10) + rounds * block;
    CHECK(bytes_of_quiet_rounds(200) < most);
    CHECK(bytes_of_quiet_rounds(1'000) < most);
}

}  // namespace muster::coordinator::test
