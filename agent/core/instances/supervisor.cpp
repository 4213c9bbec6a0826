#include "agent/core/instances/supervisor.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "common/spec/duration.hpp"

namespace muster::agent {

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
    if (event.unseen) {
        return "ended, and nobody saw how";
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
    const bool exclusive = is_exclusive(command.id, command.digest);
    if (auto judged = Grant::judge(now, command); exclusive && !judged) {
        return judged;
    }
    const bool known = instances_.contains(command.id);
    if (!known && instances_.size() >= limits::instances_per_node) {
        return fail(Errc::too_large,
                    "the node has " + std::to_string(instances_.size()) + " instances, its limit");
    }
    if (exclusive) {
        extend_lease(now, command.lease);
    }
    Entry& entry = *instances_.try_emplace(command.id).first;
    entry.second.report.id = command.id;
    const Version version{command.generation, command.digest, command.token};
    if (entry.second.process == ProcessId{}) {
        become(entry, version);
    } else {
        entry.second.next = version;
        end_process(entry);
    }
    return {};
}

void Supervisor::stop(const Stop& command) {
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
        end_process(entry);
    }
}

void Supervisor::shut_down() {
    shutting_down_ = true;
    for (auto next = instances_.begin(); next != instances_.end();) {
        Entry& entry = *next++;  // It may leave the map.
        entry.second.next.reset();
        if (entry.second.process == ProcessId{}) {
            replace_or_leave(entry);
        } else {
            end_process(entry);
        }
    }
}

// ---- the lease of what is exclusive ----

bool Supervisor::is_exclusive(const InstanceId& id, Digest digest) const {
    const TaskSpec* spec = specs_.find(id.task, digest);
    return spec != nullptr && spec->exclusive;
}

void Supervisor::extend_lease(Instant now, BootMs lease) {
    if (!grant_.extend(now, lease)) {
        return;
    }
    for (const auto& [id, instance] : instances_) {
        const bool is_made =
            instance.process != ProcessId{} && !intents_.contains(instance.process);
        if (is_made && !instance.is_lapsed && is_exclusive(id, instance.digest)) {
            orders_.renewals.push_back({instance.process, *grant_.until()});
        }
    }
}

void Supervisor::end_lease_if_due(Instant now) {
    if (!grant_.end_if_due(now)) {
        return;
    }
    for (Entry& entry : instances_) {
        Instance& instance = entry.second;
        if (instance.next && is_exclusive(entry.first, instance.next->digest)) {
            instance.next.reset();
        }
        if (is_exclusive(entry.first, instance.digest)) {
            leave_with_lease(entry);
        }
    }
}

/// A process is ended by its shim, which counts the same lease, and longer than we do.
void Supervisor::leave_with_lease(Entry& entry) {
    Instance& instance = entry.second;
    const InstanceState state = instance.report.state;
    const bool is_over = state == InstanceState::exited || state == InstanceState::failed;
    if (intents_.contains(instance.process)) {
        end_process(entry);
    } else if (instance.process == ProcessId{}) {
        if (!instance.gone && !is_over) {
            replace_or_leave(entry);
        }
    } else {
        instance.is_lapsed = true;
        await_end(entry);
        if (!std::exchange(instance.leaving, true)) {
            set_state(entry, InstanceState::stopping, "its lease is over");
        }
    }
}

/// Nobody else has been given it since it was started here.
bool Supervisor::may_start_again(const Entry& entry) const {
    return !spec_of(entry).exclusive || (grant_.until() && !entry.second.is_adopted);
}

// ---- what became of processes ----

void Supervisor::process_started(Instant now, const ProcessStarted& event) {
    if (is_stray(event.process)) {
        return;
    }
    Entry& entry = entry_of(event.process);
    Instance& instance = entry.second;
    ensure(!instance.process_runs, "a process starts once");
    --starting_;
    spawn_failing_ = false;
    instance.process_runs = true;
    instance.identity = event.identity;
    instance.report.started = event.at;
    instance.record.running(now);
    if (instance.leaving) {
        touch(entry.first);
    } else {
        shims_.heard(event.process);
        set_state(entry, InstanceState::running);
    }
}

void Supervisor::process_not_started(Instant now, const ProcessNotStarted& event) {
    if (is_stray(event.process)) {
        release_stray(event.process);
        return;
    }
    Entry& entry = entry_of(event.process);
    ensure(!entry.second.process_runs, "a process that started cannot fail to start");
    --starting_;
    release_process(entry);
    if (event.host_at_fault || event.never_made) {
        spawn_failing_ = spawn_failing_ || event.host_at_fault;
        entry.second.record.forgive_start();
    }
    if (entry.second.leaving || (!event.permanent && !may_start_again(entry))) {
        replace_or_leave(entry);
    } else if (event.never_made) {
        set_state(entry, InstanceState::pending);
        pending_.insert(entry.first);
    } else if (event.permanent) {
        fail_for_now(now, entry, event.detail);
    } else {
        restart_or_give_up(now, entry, event.detail);
    }
}

void Supervisor::process_ended(Instant now, const ProcessEnded& event) {
    if (is_stray(event.process)) {
        release_stray(event.process);
        return;
    }
    Entry& entry = entry_of(event.process);
    Instance& instance = entry.second;
    ensure(instance.process_runs, "only a process that started can end");
    release_process(entry);
    instance.report.exit_code = event.exit_code;
    instance.report.exit_signal = event.exit_signal;
    const bool is_to_run = restarts_after(spec_of(entry).restart.policy, event);
    if (instance.leaving || event.by_order || (is_to_run && !may_start_again(entry))) {
        replace_or_leave(entry);
    } else if (!is_to_run) {
        set_state(entry, InstanceState::exited, how_it_ended(event));
    } else {
        restart_or_give_up(now, entry, how_it_ended(event));
    }
}

// ---- deadlines ----

void Supervisor::wake(Instant now) {
    for (const ProcessId process : shims_.take_overdue(now)) {
        ask(process);
    }
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
    if (entry.second.report.state != InstanceState::failed) {
        ensure(entry.second.report.state == InstanceState::backoff, "this ends a back-off");
        ++entry.second.report.restarts;
        set_state(entry, InstanceState::pending);
    }
    pending_.insert(entry.first);
}

std::optional<Instant> Supervisor::next_deadline() const {
    std::optional<Instant> earliest = grant_.until();
    if (!deadlines_.empty()) {
        earliest = std::min(earliest.value_or(Instant::max()), deadlines_.begin()->first);
    }
    if (const auto overdue = shims_.next_deadline()) {
        earliest = std::min(earliest.value_or(Instant::max()), *overdue);
    }
    return earliest;
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
    touch(entry.first);
}

void Supervisor::touch(const InstanceId& id) {
    touched_.insert(id);
    unwritten_.insert(id);
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
    entry.second.token = version.token;
    journal_.note(entry.first.task, spec_of(entry));
    set_state(entry, InstanceState::pending);
    pending_.insert(entry.first);
}

void Supervisor::spawn(Instant now, Entry& entry) {
    ensure(entry.second.process == ProcessId{}, "an instance has one process at a time");
    last_process_ = next(last_process_);
    entry.second.process = last_process_;
    entry.second.record.starting(now, spec_of(entry).restart);
    processes_.emplace(last_process_, entry.first);
    intents_.insert(last_process_);
    ++starting_;
    if (entry.second.report.state == InstanceState::failed) {
        unwritten_.insert(entry.first);  // Failed it stays until it runs.
    } else {
        set_state(entry, InstanceState::starting);
    }
}

void Supervisor::end_process(Entry& entry) {
    if (entry.second.leaving) {
        return;
    }
    entry.second.leaving = true;
    set_state(entry, InstanceState::stopping);
    const ProcessId process = entry.second.process;
    if (intents_.contains(process)) {  // It was not made yet, and is not.
        --starting_;
        release_process(entry);
        replace_or_leave(entry);
        return;
    }
    order_end(entry);
    await_end(entry);
}

void Supervisor::release_process(Entry& entry) {
    const ProcessId process = entry.second.process;
    if (intents_.erase(process) == 0) {
        journal_.note_ended(entry.first, process);
    }
    processes_.erase(process);
    shims_.heard(process);
    entry.second.process = {};
    entry.second.identity = {};
    entry.second.process_runs = false;
}

void Supervisor::replace_or_leave(Entry& entry) {
    if (entry.second.next) {
        become(entry, *entry.second.next);
        return;
    }
    set_deadline(entry, std::nullopt);
    pending_.erase(entry.first);
    entry.second.leaving = true;
    entry.second.gone = true;
    set_state(entry, InstanceState::stopping);
}

std::size_t Supervisor::count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(instances_, [](const Entry& entry) { return !entry.second.gone; }));
}

// What cannot be executed today may be installed tomorrow: it is tried again without a word, and
// without counting. Not where another copy may run meanwhile and must not.
void Supervisor::fail_for_now(Instant now, Entry& entry, const std::string& why) {
    entry.second.record.forgive_start();
    const InstanceReport& report = entry.second.report;
    if (report.state == InstanceState::failed && report.detail == bounded(why)) {
        unwritten_.insert(entry.first);
    } else {
        set_state(entry, InstanceState::failed, why);
    }
    if (!spec_of(entry).exclusive) {
        set_deadline(entry, now + limits::between_tries_of_failed);
    }
}

void Supervisor::restart_or_give_up(Instant now, Entry& entry, const std::string& why) {
    const RestartRule& rule = spec_of(entry).restart;
    const auto delay = entry.second.record.after_end(now, rule);
    if (!delay) {
        set_state(
            entry, InstanceState::failed,
            std::to_string(rule.max) + " starts within " + to_string(rule.window) + ": " + why);
        return;
    }
    set_state(entry, InstanceState::backoff, why + ", starts again after " + to_string(*delay));
    set_deadline(entry, now + *delay);
}

}  // namespace muster::agent
