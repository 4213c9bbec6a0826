#include "agent/core/instances/lifecycle.hpp"

#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "common/spec/duration.hpp"
#include "common/text/utf8.hpp"

namespace muster::agent {

Result<void> Lifecycle::learn(const SpecVersion& version) {
    std::set<Specs::Key> used;
    if (specs_.full()) {
        for (const auto& [id, instance] : table_.all()) {
            used.insert({id.task, instance.digest});
            if (instance.next) {
                used.insert({id.task, instance.next->digest});
            }
        }
    }
    return specs_.learn(version, used);
}

const TaskSpec& Lifecycle::spec_of(const Entry& entry) const {
    const TaskSpec* spec = find_spec(entry.first, entry.second.digest);
    ensure(spec != nullptr, "the spec of an instance is kept");
    return *spec;
}

Lifecycle::Entry& Lifecycle::entry_of(ProcessId process) {
    Entry& entry = table_.at(processes_.instance_of(process));
    ensure(entry.second.process.id == process, "a process belongs to one instance");
    return entry;
}

// ---- one instance ----

void Lifecycle::become(Entry& entry, const Version& version) {
    ensure(!entry.second.has_process(), "a generation begins without a process");
    table_.set_deadline(entry, std::nullopt);
    const auto [generation, digest, token, proof] = version;  // `version` may lie in it.
    entry.second = Instance{};
    entry.second.report.id = entry.first;
    entry.second.report.generation = generation;
    entry.second.report.proof = proof;
    entry.second.digest = digest;
    entry.second.token = token;
    journal_.note(entry.first.task, spec_of(entry));
    wait_for_turn(entry);
}

void Lifecycle::wait_for_turn(Entry& entry) {
    table_.set_state(entry, InstanceState::pending);
    pending_.insert(entry.first);
}

void Lifecycle::spawn(Instant now, Entry& entry) {
    ensure(!entry.second.has_process(), "an instance has one process at a time");
    entry.second.process.id = processes_.begin(entry.first);
    entry.second.record.starting(now, spec_of(entry).restart);
    if (entry.second.report.state == InstanceState::failed) {
        table_.touch_journal(entry.first);  // It stays failed until it runs.
    } else {
        table_.set_state(entry, InstanceState::starting);
    }
}

void Lifecycle::end_process(Entry& entry) {
    if (std::exchange(entry.second.leaving, true)) {
        return;
    }
    table_.set_state(entry, InstanceState::stopping);
    if (processes_.is_intended(entry.second.process.id)) {  // Never created.
        processes_.end_start();
        release_process(entry);
        replace_or_leave(entry);
        return;
    }
    order_end(entry);
    await_end(entry);
}

void Lifecycle::end_with_lease(Entry& entry) {
    entry.second.is_lapsed = true;
    await_end(entry);
    if (!std::exchange(entry.second.leaving, true)) {
        table_.set_state(entry, InstanceState::stopping, "its lease ended");
    }
}

void Lifecycle::release_process(Entry& entry) {
    const Instance::Process process = std::exchange(entry.second.process, {});
    if (!processes_.forget(process.id)) {
        journal_.note_ended(entry.first, process.id);
    }
}

void Lifecycle::replace_or_leave(Entry& entry) {
    if (entry.second.next) {
        become(entry, *entry.second.next);
        return;
    }
    table_.set_deadline(entry, std::nullopt);
    pending_.erase(entry.first);
    entry.second.leaving = true;
    entry.second.gone = true;
    table_.set_state(entry, InstanceState::stopping);
}

// An executable that is missing today may be installed tomorrow, so the agent tries again without a
// report and without counting. An exclusive instance is not tried again: another copy may run
// meanwhile.
void Lifecycle::fail_for_now(Instant now, Entry& entry, const std::string& why) {
    entry.second.record.forgive_start();
    const InstanceReport& report = entry.second.report;
    if (report.state == InstanceState::failed && report.detail == cut(why, limits::detail_bytes)) {
        table_.touch_journal(entry.first);
    } else {
        table_.set_state(entry, InstanceState::failed, why);
    }
    if (!spec_of(entry).exclusive) {
        table_.set_deadline(entry, now + limits::between_tries_of_failed);
    }
}

void Lifecycle::restart_or_give_up(Instant now, Entry& entry, const std::string& why) {
    const RestartRule& rule = spec_of(entry).restart;
    const auto delay = entry.second.record.after_end(now, rule);
    if (!delay) {
        table_.set_state(
            entry, InstanceState::failed,
            std::to_string(rule.max) + " starts within " + to_string(rule.window) + ": " + why);
        return;
    }
    table_.set_state(entry, InstanceState::backoff,
                     why + ", starts again after " + to_string(*delay));
    table_.set_deadline(entry, now + *delay);
}

// ---- deadlines ----

void Lifecycle::wake(Instant now) {
    for (const ProcessId process : processes_.shims().take_overdue(now)) {
        processes_.ask(process);
        // The order to end is repeated, because the old link may have lost it. A shim that already
        // has the order sends no second signal and does not extend its grace.
        if (!processes_.is_leftover(process)) {
            const Entry& entry = entry_of(process);
            if (entry.second.leaving && !entry.second.is_lapsed) {
                order_end(entry);
            }
        }
    }
    while (Entry* const entry = table_.take_due(now)) {
        if (entry->second.report.state != InstanceState::failed) {
            ensure(entry->second.report.state == InstanceState::backoff, "this ends a back-off");
            ++entry->second.report.restarts;
            table_.set_state(*entry, InstanceState::pending);
        }
        pending_.insert(entry->first);
    }
    while (!pending_.empty() && processes_.may_begin()) {
        Entry& entry = table_.at(*pending_.begin());
        pending_.erase(pending_.begin());
        spawn(now, entry);
    }
}

std::optional<Instant> Lifecycle::next_deadline() const {
    const auto due = table_.next_deadline();
    const auto overdue = processes_.shims().next_deadline();
    return due && overdue ? std::min(due, overdue) : due ? due : overdue;
}

void Lifecycle::order_end(const Entry& entry) {
    const TaskSpec& spec = spec_of(entry);
    const auto number = stop_signal_number(spec.stop_signal);
    ensure(number.has_value(), "a spec is validated when it is learned");
    processes_.end({entry.second.process.id, *number, spec.grace});
}

void Lifecycle::await_start(const Entry& entry) {
    processes_.shims().await(entry.second.process.id,
                             spec_of(entry).start_timeout + limits::shim_patience);
}

void Lifecycle::await_end(const Entry& entry) {
    processes_.shims().await(entry.second.process.id, spec_of(entry).grace + limits::shim_patience);
}

}  // namespace muster::agent
