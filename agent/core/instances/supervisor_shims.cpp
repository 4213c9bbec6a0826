#include <csignal>

#include "agent/core/instances/supervisor.hpp"
#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

/// What a supervisor awaits of the shims of its processes, and what it does when that is overdue.
namespace muster::agent {

void Supervisor::await_start(const Entry& entry) {
    shims_.await(entry.second.process, spec_of(entry).start_timeout + limits::shim_patience);
}

void Supervisor::await_end(const Entry& entry) {
    shims_.await(entry.second.process, spec_of(entry).grace + limits::shim_patience);
}

void Supervisor::order_end(const Entry& entry) {
    const TaskSpec& spec = spec_of(entry);
    const auto number = stop_signal_number(spec.stop_signal);
    ensure(number.has_value(), "a spec is validated when it is learned");
    orders_.ends.push_back({entry.second.process, *number, spec.grace});
}

/// A lost order to end is given again: what was told by the old link may be lost. A shim that was
/// told already sends no second signal, and waits no longer.
void Supervisor::ask(ProcessId process) {
    orders_.asks.push_back({process});
    if (is_stray(process)) {
        orders_.ends.push_back({process, SIGKILL, {}});
        return;
    }
    const Entry& entry = entry_of(process);
    if (entry.second.leaving && !entry.second.is_lapsed) {
        order_end(entry);
    }
}

}  // namespace muster::agent
