#include "agent/core/instances/supervisor.hpp"

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

namespace muster::agent {

namespace {

std::string how_it_ended(const ProcessEnded& event) {
    if (event.unseen) {
        return "ended, and it is not known how";
    }
    if (event.exit_signal != 0) {
        return "ended by signal " + std::to_string(event.exit_signal) +
               (event.out_of_memory ? ": it needed more memory than its limit" : "");
    }
    return "ended with exit code " + std::to_string(event.exit_code);
}

bool restarts_after(RestartPolicy policy, const ProcessEnded& event) {
    switch (policy) {
        case RestartPolicy::always: return true;
        case RestartPolicy::on_failure: return event.exit_code != 0;
        case RestartPolicy::never: return false;
    }
    return false;
}

}  // namespace

// ---- commands ----

// A start of the same generation may follow a stop, when a task shrinks and grows again.
bool Supervisor::would_change(const Start& command) const {
    const auto found = lives_.instances().find(command.id);
    if (found == lives_.instances().end()) {
        return true;
    }
    const Instance& instance = found->second;
    if (instance.next) {
        return command.generation > instance.next->generation;
    }
    return command.generation > instance.report.generation ||
           (instance.leaving && command.generation == instance.report.generation);
}

Result<void> Supervisor::start(Instant now, const Start& command) {
    if (!would_change(command)) {
        take_proof(command);
        return {};
    }
    if (shutting_down_) {
        return fail(Errc::refused, "the agent shuts down");
    }
    if (lives_.find_spec(command.id, command.digest) == nullptr) {
        return fail(Errc::spec_unknown, "no spec of this digest was sent");
    }
    if (!command.objection.empty()) {
        return fail(Errc::spec_unsupported, command.objection);
    }
    const bool exclusive = is_exclusive(command.id, command.digest);
    if (auto judged = HostLease::judge(now, command); exclusive && !judged) {
        return judged;
    }
    const std::size_t count = lives_.instances().size();
    if (!lives_.instances().contains(command.id) && count >= limits::instances_per_node) {
        return fail(Errc::too_large,
                    "the node has " + std::to_string(count) + " instances, its limit");
    }
    if (exclusive) {
        extend_lease(now, command.lease);
    }
    Entry& entry = lives_.table().add(command.id);
    const Version version{command.generation, command.digest, command.token, command.proof};
    if (!entry.second.has_process()) {
        lives_.become(entry, version);
    } else {
        entry.second.next = version;
        lives_.end_process(entry);
    }
    return {};
}

// The coordinator may order again what runs already, because it did not know it, or did not believe
// that it was ordered here.
void Supervisor::take_proof(const Start& command) {
    Entry* const entry = lives_.table().find(command.id);
    if (entry == nullptr || command.proof.is_none()) {
        return;
    }
    auto& [id, instance] = *entry;
    if (instance.next) {
        if (instance.next->generation == command.generation) {
            instance.next->proof = command.proof;
        }
    } else if (instance.report.generation == command.generation &&
               instance.report.proof != command.proof) {
        instance.report.proof = command.proof;
        lives_.table().touch(id);
    }
}

void Supervisor::stop(const Stop& command) {
    Entry* const entry = lives_.table().find(command.id);
    if (entry == nullptr || entry->second.report.generation > command.generation) {
        return;
    }
    auto& next = entry->second.next;
    if (next && next->generation <= command.generation) {
        next.reset();
    }
    entry->second.ends_with_agent = false;
    leave(*entry);
}

// An instance that has ended by itself stays in the journal. Otherwise it would be started again if
// the coordinator has no report of its end.
void Supervisor::shut_down() {
    shutting_down_ = true;
    for (Entry& entry : lives_.table()) {
        Instance& instance = entry.second;
        instance.next.reset();
        if (instance.report.state != InstanceState::exited) {
            instance.ends_with_agent = !instance.leaving;
            leave(entry);
        }
    }
}

/// Removes the instance, unless another version follows.
void Supervisor::leave(Entry& entry) {
    if (entry.second.has_process()) {
        lives_.end_process(entry);
    } else {
        lives_.replace_or_leave(entry);
    }
}

// ---- the lease of exclusive instances ----

bool Supervisor::is_exclusive(const InstanceId& id, Digest digest) const {
    const TaskSpec* spec = lives_.find_spec(id, digest);
    return spec != nullptr && spec->exclusive;
}

void Supervisor::extend_lease(Instant now, BootMs lease) {
    if (!lease_.extend(now, lease)) {
        return;
    }
    Processes& processes = lives_.processes();
    for (const auto& [id, instance] : lives_.instances()) {
        const bool is_made = instance.has_process() && !processes.is_intended(instance.process.id);
        if (is_made && !instance.is_lapsed && is_exclusive(id, instance.digest)) {
            processes.renew(instance.process.id, *lease_.until());
        }
    }
}

void Supervisor::end_lease_if_due(Instant now) {
    if (!lease_.end_if_due(now)) {
        return;
    }
    for (Entry& entry : lives_.table()) {
        Instance& instance = entry.second;
        if (instance.next && is_exclusive(entry.first, instance.next->digest)) {
            instance.next.reset();
        }
        if (is_exclusive(entry.first, instance.digest)) {
            leave_with_lease(entry);
        }
    }
}

void Supervisor::leave_with_lease(Entry& entry) {
    const Instance& instance = entry.second;
    if (lives_.processes().is_intended(instance.process.id)) {
        lives_.end_process(entry);
    } else if (instance.has_process()) {
        lives_.end_with_lease(entry);
    } else if (!instance.gone && !instance.is_over()) {
        lives_.replace_or_leave(entry);
    }
}

// ---- reports about processes ----

void Supervisor::on_started(Instant now, const ProcessStarted& event) {
    if (lives_.processes().is_leftover(event.process)) {
        return;
    }
    Entry& entry = lives_.entry_of(event.process);
    Instance& instance = entry.second;
    ensure(!instance.process.runs, "a process starts once");
    lives_.processes().end_start();
    spawn_failing_ = false;
    instance.process.runs = true;
    instance.process.identity = event.identity;
    instance.report.started = event.at;
    instance.record.running(now);
    if (instance.leaving) {
        lives_.table().touch(entry.first);
    } else {
        lives_.processes().shims().on_report(event.process);
        lives_.table().set_state(entry, InstanceState::running);
    }
}

void Supervisor::on_not_started(Instant now, const ProcessNotStarted& event) {
    if (lives_.processes().is_leftover(event.process)) {
        lives_.processes().release_leftover(event.process);
        return;
    }
    Entry& entry = lives_.entry_of(event.process);
    ensure(!entry.second.process.runs, "a process that started cannot fail to start");
    lives_.processes().end_start();
    lives_.release_process(entry);
    if (event.host_at_fault || event.never_made || event.needs_order) {
        spawn_failing_ = spawn_failing_ || event.host_at_fault;
        entry.second.record.forgive_start();
    }
    // The coordinator places an instance that is gone, and sends the values with its start.
    if (entry.second.leaving || event.needs_order ||
        (!event.permanent && !may_start_again(entry))) {
        lives_.replace_or_leave(entry);
    } else if (event.never_made) {
        lives_.wait_for_turn(entry);
    } else if (event.permanent) {
        lives_.fail_for_now(now, entry, event.detail);
    } else {
        lives_.restart_or_give_up(now, entry, event.detail);
    }
}

/// The process had ended by itself before the agent shut down. A command that came since to start
/// the same generation was obeyed long ago.
void Supervisor::stay_ended(Entry& entry) {
    Instance& instance = entry.second;
    if (instance.next && instance.next->generation == instance.report.generation) {
        instance.next.reset();
    }
    instance.ends_with_agent = false;
    instance.leaving = instance.next.has_value();
}

void Supervisor::on_ended(Instant now, const ProcessEnded& event) {
    if (lives_.processes().is_leftover(event.process)) {
        lives_.processes().release_leftover(event.process);
        return;
    }
    Entry& entry = lives_.entry_of(event.process);
    Instance& instance = entry.second;
    ensure(instance.process.runs, "only a process that started can end");
    lives_.release_process(entry);
    instance.report.exit_code = event.exit_code;
    instance.report.exit_signal = event.exit_signal;
    const bool is_to_run = restarts_after(lives_.spec_of(entry).restart.policy, event);
    if (instance.ends_with_agent && !event.by_order && !event.unseen && !is_to_run) {
        stay_ended(entry);
    }
    if (instance.leaving || event.by_order || (is_to_run && !may_start_again(entry))) {
        lives_.replace_or_leave(entry);
    } else if (!is_to_run) {
        lives_.table().set_state(entry, InstanceState::exited, how_it_ended(event));
    } else {
        lives_.restart_or_give_up(now, entry, how_it_ended(event));
    }
}

void Supervisor::on_journal_failed(Instant now, const std::string& why) {
    const bool spawn_failing = spawn_failing_;
    for (const ProcessId process : lives_.on_journal_failed(now)) {
        on_not_started(now, {process, false, true, "its start cannot be recorded: " + why});
    }
    spawn_failing_ = spawn_failing;  // No process was tried.
}

}  // namespace muster::agent
