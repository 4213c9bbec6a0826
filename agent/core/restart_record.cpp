#include "agent/core/restart_record.hpp"

#include <algorithm>

#include "common/ensure.hpp"

namespace muster {

void RestartRecord::starting(Instant now) {
    forget_old(now);
    ensure(starts_.size() < limits::starts_per_window, "no start after an instance was given up");
    starts_.push_back(now);
    running_since_.reset();
}

void RestartRecord::running(Instant now) { running_since_ = now; }

void RestartRecord::forgive_start() {
    ensure(!starts_.empty(), "only a start that was made can be forgiven");
    starts_.pop_back();
}

std::optional<Duration> RestartRecord::after_end(Instant now) {
    if (running_since_ && now - *running_since_ >= limits::good_conduct) {
        starts_.clear();
        delay_ = limits::backoff_first;
    }
    running_since_.reset();
    forget_old(now);
    if (starts_.size() >= limits::starts_per_window) {
        return std::nullopt;
    }
    const Duration delay = delay_;
    delay_ = std::min(delay_ * 2, limits::backoff_max);
    return delay;
}

void RestartRecord::forget_old(Instant now) {
    std::erase_if(starts_, [&](Instant start) { return now - start >= limits::start_window; });
}

}  // namespace muster
