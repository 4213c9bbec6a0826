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
    shims_.on_told(process);
    return intents_.erase(process) > 0;
}

const InstanceId& Processes::instance_of(ProcessId process) const {
    const auto found = instances_.find(process);
    ensure(found != instances_.end(), "the shell speaks of a process that was ordered");
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
    shims_.on_told(process);
    release(process);
}

}  // namespace muster::agent
