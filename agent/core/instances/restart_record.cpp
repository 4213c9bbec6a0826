#include "agent/core/instances/restart_record.hpp"

#include <algorithm>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

namespace muster::agent {

void RestartRecord::starting(Instant now, const RestartRule& rule) {
    forget_old(now, rule);
    ensure(history_.starts.size() < rule.max, "no start after an instance was given up");
    history_.starts.push_back(now);
    history_.running_since.reset();
}

void RestartRecord::running(Instant now) { history_.running_since = now; }

void RestartRecord::forgive_start() {
    if (!history_.starts.empty()) {  // One of a life whose journal was lost is not known.
        history_.starts.pop_back();
    }
}

std::optional<Duration> RestartRecord::after_end(Instant now, const RestartRule& rule) {
    if (history_.running_since && now - *history_.running_since >= limits::good_conduct) {
        history_.starts.clear();
        history_.delay = {};
    }
    history_.running_since.reset();
    forget_old(now, rule);
    if (history_.starts.size() >= rule.max) {
        return std::nullopt;
    }
    const Duration delay = std::max(history_.delay, rule.backoff);
    history_.delay = std::min(delay * 2, limits::backoff_max);
    return delay;
}

void RestartRecord::forget_old(Instant now, const RestartRule& rule) {
    std::erase_if(history_.starts, [&](Instant start) { return now - start >= rule.window; });
}

}  // namespace muster::agent
