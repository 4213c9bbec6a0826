#include "agent/core/instances/processes.hpp"

#include <csignal>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

namespace muster::agent {

ProcessId Processes::begin(const InstanceId& id) {
    last_ = next(last_);
    instances_.emplace(last_, id);
    intents_.insert(last_);
    ++starting_;
    return last_;
}

void Processes::adopt(ProcessId process, const InstanceId& id, bool runs) {
    instances_.emplace(process, id);
    starting_ += runs ? 0 : 1;
}

bool Processes::forget(ProcessId process) {
    instances_.erase(process);
    shims_.on_report(process);
    return intents_.erase(process) > 0;
}

const InstanceId& Processes::instance_of(ProcessId process) const {
    const auto found = instances_.find(process);
    ensure(found != instances_.end(), "the shell reports only processes that were ordered");
    return found->second;
}

void Processes::ask(ProcessId process) {
    orders_.asks.push_back({process});
    if (is_leftover(process)) {
        orders_.ends.push_back({process, SIGKILL, {}});
    }
}

void Processes::kill_leftover(ProcessId process) {
    leftovers_.insert(process);
    orders_.ends.push_back({process, SIGKILL, {}});
    shims_.await(process, limits::shim_patience);
}

void Processes::release_leftover(ProcessId process) {
    ensure(leftovers_.erase(process) == 1, "a leftover ends once");
    shims_.on_report(process);
    release(process);
}

void ShimWatch::await(ProcessId process, Duration patience) {
    on_report(process);
    begun_.emplace(process, patience);
}

void ShimWatch::on_report(ProcessId process) {
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
        on_report(process);
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

}  // namespace muster::agent
