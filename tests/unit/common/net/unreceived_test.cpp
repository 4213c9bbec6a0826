#include "common/net/accept/unreceived.hpp"

#include "tests/catch.hpp"

namespace muster {
namespace {

using net::Unreceived;
using Verdict = net::Unreceived::Verdict;

constexpr Instant start{100s};
const Unreceived::Amount heartbeat_frame = Unreceived::frame(40);
const Unreceived::Amount report{2, 10'000};  // A short frame and a long one.

/// One connection.
struct Connection {
    explicit Connection(Unreceived::All& sum, std::uint64_t at_most = 1'000'000) : all{sum} {
        waiting.begin(start, {.all = at_most}, all);
    }
    [[nodiscard]] Verdict add(const Unreceived::Amount& amount) { return waiting.add(amount, all); }
    void take_off(Instant now, const Unreceived::Amount& amount) {
        waiting.take_off(now, amount, all);
    }

    Unreceived waiting;
    Unreceived::All& all;
};

}  // namespace

TEST_CASE("frames and bytes that wait on a connection are bounded", "[net][guard]") {
    Unreceived::All all{0};
    Connection by_frames{all};
    for (std::uint32_t i = 0; i < Unreceived::most_frames; ++i) {
        REQUIRE(by_frames.add(heartbeat_frame) == Verdict::within);
    }
    CHECK(by_frames.add(heartbeat_frame) == Verdict::too_much);
    Connection by_bytes{all, 20'000};
    CHECK(by_bytes.add(report) == Verdict::within);
    CHECK(by_bytes.add(report) == Verdict::within);
    CHECK(by_bytes.add(Unreceived::frame(65)) == Verdict::too_much);
    Connection at_once{all, 20'000};
    CHECK(at_once.add(Unreceived::frame(std::uint64_t{0} - 1)) == Verdict::too_much);
    CHECK(at_once.waiting.cost() == 0);
    CHECK(at_once.add(report) == Verdict::within);
}

// Goal: a frame for which the library ends the connection is counted, too.
TEST_CASE("a frame above the bound of its socket ends the connection", "[net][guard]") {
    Unreceived::All all{0};
    Unreceived waiting;
    waiting.begin(start, {.all = 1'000'000, .frame = 1'000}, all);
    CHECK(waiting.add(Unreceived::frame(1'000), all) == Verdict::within);
    CHECK(waiting.add(Unreceived::frame(1'001), all) == Verdict::too_much);
}

// Goal: a connection may last for ever. Method: a day of reports and heartbeats, at a rate below a
// second, too.
TEST_CASE("heartbeats between messages that are received do not add up", "[net][guard]") {
    const Duration between = GENERATE(Duration{300ms}, Duration{1s}, Duration{30s});
    Unreceived::All all{0};
    Connection agent{all};
    Instant heartbeat = start;
    for (Instant now = start; now < start + 24h; now += between) {
        for (; heartbeat <= now; heartbeat += 2s) {
            REQUIRE(agent.add(heartbeat_frame) == Verdict::within);
        }
        REQUIRE(agent.add(report) == Verdict::within);
        agent.take_off(now, report);
    }
    CHECK(all < 100 * Unreceived::frame_cost);
}

// Goal: frames without end are noticed, however slowly they come.
TEST_CASE("time alone makes no room for frames", "[net][guard]") {
    Unreceived::All all{0};
    Connection peer{all};
    REQUIRE(peer.add(report) == Verdict::within);
    std::uint32_t frames = 0;
    while (peer.add(heartbeat_frame) == Verdict::within && frames < 2 * Unreceived::most_frames) {
        ++frames;
    }
    CHECK(frames < Unreceived::most_frames);
    // Messages that waited before them make room for one frame a second, not for all.
    peer.take_off(start + 5s, report);
    for (int i = 0; i < 6; ++i) {
        CHECK(peer.add(heartbeat_frame) == Verdict::within);
    }
    CHECK(peer.add(heartbeat_frame) == Verdict::too_much);
}

TEST_CASE("what waits on all connections is one sum", "[net][guard]") {
    Unreceived::All all{0};
    Connection large{all, Unreceived::most_bytes};
    Connection small{all};
    REQUIRE(large.add(report) == Verdict::within);
    REQUIRE(large.add(report) == Verdict::within);
    all += Unreceived::most_of_all;
    CHECK(small.add(report) == Verdict::all_full);
    CHECK(large.waiting.cost() == 2 * small.waiting.cost());
    all -= Unreceived::most_of_all;
    CHECK(small.add(report) == Verdict::within);
    large.waiting.end(all);
    CHECK(large.waiting.cost() == 0);
    CHECK(all == small.waiting.cost());
    // More than waits, of a connection that was closed, takes nothing from the others.
    large.take_off(start, report);
    CHECK(large.waiting.cost() == 0);
    CHECK(all == small.waiting.cost());
    small.take_off(start, report);
    small.take_off(start, report);
    CHECK(all == 0);
}

}  // namespace muster
