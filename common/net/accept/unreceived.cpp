#include "common/net/accept/unreceived.hpp"

#include <algorithm>

namespace muster::net {
namespace {

// Heartbeats never reach the application. Honest ones come at half this rate.
constexpr Duration between_heartbeats = 1s;

std::uint64_t cost_of(std::uint64_t frames, std::uint64_t bytes) {
    return bytes + frames * Unreceived::frame_cost;
}

/// At most what is there. Returns how much.
template <class Number>
Number take(std::atomic<Number>& from, Number amount) {
    Number before = from;
    while (!from.compare_exchange_weak(before, before - std::min(before, amount))) {
    }
    return std::min(before, amount);
}

}  // namespace

void Unreceived::begin(Instant now, const Bounds& at_most, All& all) {
    end(all);
    bound(at_most);
    judged_ = now;
}

void Unreceived::bound(const Bounds& at_most) {
    at_most_ = at_most.all;
    frame_at_most_ = at_most.frame;
}

Unreceived::Verdict Unreceived::add(const Amount& arrived, All& all) {
    if (arrived.bytes > at_most_ || (arrived.frames == 1 && arrived.bytes > frame_at_most_)) {
        return Verdict::too_much;  // Not added, so that no sum overflows.
    }
    const auto frames = frames_ += arrived.frames;
    const auto bytes = bytes_ += arrived.bytes;
    const auto sum = all += cost_of(arrived.frames, arrived.bytes);
    if (frames > most_frames || bytes > at_most_) {
        return Verdict::too_much;
    }
    return sum > most_of_all ? Verdict::all_full : Verdict::within;
}

void Unreceived::take_off(Instant now, const Amount& received, All& all) {
    const auto frames = take(frames_, received.frames + heartbeats_until(now));
    all -= cost_of(frames, take(bytes_, received.bytes));
}

std::uint64_t Unreceived::cost() const { return cost_of(frames_, bytes_); }

void Unreceived::end(All& all) { all -= cost_of(frames_.exchange(0), bytes_.exchange(0)); }

// Only with a message: then all that came before it were heartbeats, or it is received as well. A
// peer that sends none gets nothing, or it could add a frame each second for ever.
std::uint32_t Unreceived::heartbeats_until(Instant now) {
    const Instant before = judged_;
    const auto passed = std::max(now - before, Duration::zero()) / between_heartbeats;
    judged_ = before + passed * between_heartbeats;
    return static_cast<std::uint32_t>(std::min<std::int64_t>(passed, most_frames));
}

}  // namespace muster::net
