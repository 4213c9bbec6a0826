#include "agent/core/fencing/session.hpp"

namespace muster::agent {

namespace {

// A coordinator that asks for a hello again and again gets one this often.
constexpr Duration between_hellos = 20ms;
// A leader with long rounds is not silent between its polls.
constexpr int patience_rounds = 3;

}  // namespace

void Session::on_message(Instant now) {
    if (leader_) {
        hello_due_ = after_silence(now);
    }
}

void Session::on_welcome(Instant now, const Welcome& welcome) {
    leader_ = welcome;
    hello_due_ = after_silence(now);
}

void Session::on_refused(Instant now, Duration retry_after) {
    leader_.reset();
    hello_due_ = retry_after > Duration::zero() ? now + retry_after : after_silence(now);
}

void Session::on_unknown(Instant now) {
    leader_.reset();
    hello_due_ = hello_sent_ ? std::max(now, *hello_sent_ + between_hellos) : now;
}

bool Session::take_hello(Instant now) {
    if (now < hello_due_) {
        return false;
    }
    hello_sent_ = now;
    hello_due_ = after_silence(now);
    return true;
}

Duration Session::patience() const {
    const Duration round = leader_ ? std::chrono::milliseconds{leader_->round_ms} : 0ms;
    return std::max(silence_, round * patience_rounds);
}

// Jittered by half, so that a fleet that lost its coordinator does not send all hellos at once.
Instant Session::after_silence(Instant now) {
    const Duration patience_now = patience();
    const auto spread = static_cast<std::uint64_t>(patience_now.count() / 2 + 1);
    return now + patience_now + Duration{static_cast<Duration::rep>(random_.below(spread))};
}

}  // namespace muster::agent
