#include "agent/core/instances/shim_watch.hpp"

#include "common/base/limits.hpp"

namespace muster::agent {

void ShimWatch::await(ProcessId process, Duration patience) {
    on_told(process);
    begun_.emplace(process, patience);
}

void ShimWatch::on_told(ProcessId process) {
    begun_.erase(process);
    if (const auto found = awaited_.find(process); found != awaited_.end()) {
        due_.erase({found->second, process});
        awaited_.erase(found);
    }
}

std::vector<ProcessId> ShimWatch::take_overdue(Instant now) {
    std::vector<ProcessId> overdue;
    while (!due_.empty() && due_.begin()->first <= now) {
        const ProcessId process = due_.begin()->second;
        overdue.push_back(process);
        on_told(process);
        await_until(process, now + limits::shim_patience);
    }
    for (const auto& [process, patience] : std::exchange(begun_, {})) {
        await_until(process, now + patience);
    }
    return overdue;
}

void ShimWatch::await_until(ProcessId process, Instant due) {
    awaited_.emplace(process, due);
    due_.emplace(due, process);
}

std::optional<Instant> ShimWatch::next_deadline() const {
    return due_.empty() ? std::nullopt : std::optional{due_.begin()->first};
}

}  // namespace muster::agent
