#include "agent/core/supervisor.hpp"

#include <csignal>
#include <cstdint>

#include "common/ensure.hpp"
#include "common/limits.hpp"

namespace muster {

namespace {

std::string bounded(std::string text) {
    if (text.size() > limits::detail_bytes) {
        std::size_t end = limits::detail_bytes;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) {
            --end;  // Not in the middle of a UTF-8 character.
        }
        text.resize(end);
    }
    return text;
}

std::string how_it_ended(const ProcessEnded& event) {
    if (event.exit_signal != 0) {
        return "ended by signal " + std::to_string(event.exit_signal);
    }
    return "ended with exit code " + std::to_string(event.exit_code);
}

std::string seconds(Duration duration) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(duration).count()) +
           " s";
}

bool restarts_after(RestartPolicy policy, const ProcessEnded& event) {
    switch (policy) {
        case RestartPolicy::always: return true;
        case RestartPolicy::on_failure: return event.exit_signal != 0 || event.exit_code != 0;
        case RestartPolicy::never: return false;
    }
    return false;
}

}  // namespace

// ---- commands ----

Result<void> Supervisor::learn(const SpecVersion& version) {
    std::set<Specs::Key> used;
    if (specs_.full()) {
        for (const auto& [id, instance] : instances_) {
            used.insert({id.task, instance.digest});
            if (instance.next) {
                used.insert({id.task, instance.next->digest});
            }
        }
    }
    return specs_.learn(version, used);
}

// A stop may be followed by a start of the same generation, when a task shrinks and grows again.
bool Supervisor::would_change(const Start& command) const {
    const auto found = instances_.find(command.id);
    if (found == instances_.end()) {
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
        return {};
    }
    if (shutting_down_) {
        return fail(Errc::refused, "the agent shuts down");
    }
    if (specs_.find(command.id.task, command.digest) == nullptr) {
        return fail(Errc::spec_unknown, "no spec of this digest was sent");
    }
    const bool known = instances_.contains(command.id);
    if (!known && instances_.size() >= limits::instances_per_node) {
        return fail(Errc::too_large,
                    "the node has " + std::to_string(instances_.size()) + " instances, its limit");
    }
    Entry& entry = *instances_.try_emplace(command.id).first;
    entry.second.report.id = command.id;
    const Version version{command.generation, command.digest};
    if (entry.second.process == ProcessId{}) {
        become(entry, version);
    } else {
        entry.second.next = version;
        end_process(now, entry);
    }
    return {};
}

void Supervisor::stop(Instant now, const Stop& command) {
    const auto found = instances_.find(command.id);
    if (found == instances_.end() || found->second.report.generation > command.generation) {
        return;
    }
    Entry& entry = *found;
    auto& next = entry.second.next;
    if (next && next->generation <= command.generation) {
        next.reset();
    }
    if (entry.second.process == ProcessId{}) {
        replace_or_leave(entry);
    } else {
        end_process(now, entry);
    }
}

void Supervisor::shut_down(Instant now) {
    shutting_down_ = true;
    for (auto next = instances_.begin(); next != instances_.end();) {
        Entry& entry = *next++;  // It may leave the map.
        entry.second.next.reset();
        if (entry.second.process == ProcessId{}) {
            replace_or_leave(entry);
        } else {
            end_process(now, entry);
        }
    }
}

// ---- what became of processes ----

void Supervisor::process_started(Instant now, const ProcessStarted& event) {
    Entry& entry = entry_of(event.process);
    Instance& instance = entry.second;
    ensure(!instance.process_runs, "a process starts once");
    --starting_;
    spawn_failing_ = false;
    instance.process_runs = true;
    instance.report.started = event.at;
    instance.record.running(now);
    if (instance.leaving) {
        touched_.insert(entry.first);
        send_stop_signal(now, entry);
    } else {
        set_state(entry, InstanceState::running);
    }
}

void Supervisor::process_not_started(Instant now, const ProcessNotStarted& event) {
    Entry& entry = entry_of(event.process);
    ensure(!entry.second.process_runs, "a process that started cannot fail to start");
    --starting_;
    release_process(entry);
    if (event.host_at_fault) {
        spawn_failing_ = true;
        entry.second.record.forgive_start();
    }
    if (entry.second.leaving) {
        replace_or_leave(entry);
    } else if (event.permanent) {
        set_state(entry, InstanceState::failed, event.detail);
    } else {
        restart_or_give_up(now, entry, event.detail);
    }
}

void Supervisor::process_ended(Instant now, const ProcessEnded& event) {
    Entry& entry = entry_of(event.process);
    Instance& instance = entry.second;
    ensure(instance.process_runs, "only a process that started can end");
    release_process(entry);
    instance.report.exit_code = event.exit_code;
    instance.report.exit_signal = event.exit_signal;
    if (instance.leaving) {
        replace_or_leave(entry);
    } else if (!restarts_after(spec_of(entry).restart.policy, event)) {
        set_state(entry, InstanceState::exited, how_it_ended(event));
    } else {
        restart_or_give_up(now, entry, how_it_ended(event));
    }
}

// ---- deadlines ----

void Supervisor::wake(Instant now) {
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
        const auto found = instances_.find(deadlines_.begin()->second);
        ensure(found != instances_.end(), "a deadline belongs to an instance");
        set_deadline(*found, std::nullopt);
        carry_out_deadline(*found);
    }
    while (!pending_.empty() && starting_ < spawns_at_once) {
        const auto found = instances_.find(*pending_.begin());
        ensure(found != instances_.end(), "only a known instance waits for its start");
        pending_.erase(pending_.begin());
        spawn(now, *found);
    }
}

void Supervisor::carry_out_deadline(Entry& entry) {
    if (entry.second.leaving) {
        orders_.kills.push_back({entry.second.process});
        return;
    }
    ensure(entry.second.report.state == InstanceState::backoff, "this deadline ends a back-off");
    ++entry.second.report.restarts;
    set_state(entry, InstanceState::pending);
    pending_.insert(entry.first);
}

std::optional<Instant> Supervisor::next_deadline() const {
    if (deadlines_.empty()) {
        return std::nullopt;
    }
    return deadlines_.begin()->first;
}

// ---- one instance ----

const TaskSpec& Supervisor::spec_of(const Entry& entry) const {
    const TaskSpec* spec = specs_.find(entry.first.task, entry.second.digest);
    ensure(spec != nullptr, "the spec of an instance is kept");
    return *spec;
}

Supervisor::Entry& Supervisor::entry_of(ProcessId process) {
    const auto found = processes_.find(process);
    ensure(found != processes_.end(), "the shell speaks of a process that was ordered");
    const auto entry = instances_.find(found->second);
    ensure(entry != instances_.end() && entry->second.process == process,
           "a process belongs to one instance");
    return *entry;
}

void Supervisor::set_state(Entry& entry, InstanceState state, std::string detail) {
    entry.second.report.state = state;
    entry.second.report.detail = bounded(std::move(detail));
    touched_.insert(entry.first);
}

void Supervisor::set_deadline(Entry& entry, std::optional<Instant> deadline) {
    auto& present = entry.second.deadline;
    if (present) {
        deadlines_.erase({*present, entry.first});
    }
    present = deadline;
    if (present) {
        deadlines_.insert({*present, entry.first});
    }
}

void Supervisor::become(Entry& entry, Version version) {
    ensure(entry.second.process == ProcessId{}, "a generation begins without a process");
    set_deadline(entry, std::nullopt);
    entry.second = Instance{};
    entry.second.report.id = entry.first;
    entry.second.report.generation = version.generation;
    entry.second.digest = version.digest;
    set_state(entry, InstanceState::pending);
    pending_.insert(entry.first);
}

void Supervisor::spawn(Instant now, Entry& entry) {
    ensure(entry.second.process == ProcessId{}, "an instance has one process at a time");
    last_process_ = next(last_process_);
    entry.second.process = last_process_;
    entry.second.record.starting(now);
    processes_.emplace(last_process_, entry.first);
    ++starting_;
    set_state(entry, InstanceState::starting);
    orders_.spawns.push_back(
        {last_process_, entry.first, entry.second.report.generation, spec_of(entry)});
}

void Supervisor::end_process(Instant now, Entry& entry) {
    if (entry.second.leaving) {
        return;
    }
    entry.second.leaving = true;
    set_state(entry, InstanceState::stopping);
    if (entry.second.process_runs) {
        send_stop_signal(now, entry);
    }
}

void Supervisor::send_stop_signal(Instant now, Entry& entry) {
    const TaskSpec& spec = spec_of(entry);
    const auto number = stop_signal_number(spec.stop_signal);
    ensure(number.has_value(), "a spec is validated when it is learned");
    if (*number == SIGKILL || spec.grace <= Duration::zero()) {
        orders_.kills.push_back({entry.second.process});
        return;
    }
    orders_.signals.push_back({entry.second.process, *number});
    set_deadline(entry, now + spec.grace);
}

void Supervisor::release_process(Entry& entry) {
    processes_.erase(entry.second.process);
    entry.second.process = {};
    entry.second.process_runs = false;
    set_deadline(entry, std::nullopt);
}

void Supervisor::replace_or_leave(Entry& entry) {
    if (entry.second.next) {
        become(entry, *entry.second.next);
        return;
    }
    set_deadline(entry, std::nullopt);
    const InstanceId id = entry.first;
    pending_.erase(id);
    touched_.insert(id);
    instances_.erase(id);
}

void Supervisor::restart_or_give_up(Instant now, Entry& entry, const std::string& why) {
    const auto delay = entry.second.record.after_end(now);
    if (!delay) {
        set_state(entry, InstanceState::failed,
                  std::to_string(limits::starts_per_window) + " starts within " +
                      seconds(limits::start_window) + ": " + why);
        return;
    }
    set_state(entry, InstanceState::backoff, why + ", starts again after " + seconds(*delay));
    set_deadline(entry, now + *delay);
}

}  // namespace muster
