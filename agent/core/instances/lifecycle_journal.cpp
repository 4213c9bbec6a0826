#include <algorithm>

#include "agent/core/instances/lifecycle.hpp"

/// What the journal stores about the life of instances, and how the next life restores it.
namespace muster::agent {

namespace {

InstanceImage image_of(const Instance& instance) {
    return {.report = instance.report,
            .digest = instance.digest,
            .process = instance.process.id,
            .identity = instance.process.identity,
            .leaving = instance.leaving && !instance.ends_with_agent,
            .retry_at = instance.deadline,
            .history = instance.record.history()};
}

}  // namespace

// ---- writing ----

std::optional<JournalWrite> Lifecycle::take_journal(Instant now) {
    if (now < writes_.retry().value_or(now)) {
        return std::nullopt;
    }
    writes_.tried();
    if (journal_.is_writing()) {
        return std::nullopt;
    }
    for (const InstanceId& id : table_.take_unwritten()) {
        const Entry* const entry = table_.find(id);
        const bool is_gone = entry == nullptr || entry->second.gone;
        journal_.note(id, is_gone ? std::nullopt : std::optional{image_of(entry->second)});
    }
    auto write = journal_.take();
    if (write) {
        writes_.begun(now);
    }
    return write;
}

void Lifecycle::on_journaled(std::optional<Instant> lease) {
    writes_.succeeded();
    const auto outcome = journal_.written();
    for (const ProcessId process : outcome.released) {
        processes_.release(process);
    }
    for (const InstanceId& id : outcome.gone) {
        table_.erase_gone(id);
    }
    for (const ProcessId process : outcome.noted) {
        if (processes_.take_intent(process)) {
            const Entry& entry = entry_of(process);
            const TaskSpec& spec = spec_of(entry);
            processes_.spawn({process, entry.first, entry.second.report.generation, spec,
                              spec.exclusive ? lease.value_or(Instant{}) : Instant{},
                              entry.second.token, entry.second.report.proof});
            await_start(entry);
        }
    }
}

std::vector<ProcessId> Lifecycle::on_journal_failed(Instant now) {
    writes_.failed(now);
    const auto noted = journal_.failed().noted;
    std::vector<ProcessId> not_made;
    std::ranges::copy_if(noted, std::back_inserter(not_made),
                         [&](ProcessId process) { return processes_.is_intended(process); });
    return not_made;
}

// ---- restoring ----

Lifecycle::Lifecycle(const RecoveredState& recovered) {
    processes_.skip_to(recovered.last_left);
    for (const auto& image : recovered.journal.specs) {
        // Leaves out a spec that an older agent stored and this one rejects, with its instances.
        static_cast<void>(specs_.learn({image.task, Generation{}, image.spec}, {}));
    }
    for (const auto& image : recovered.journal.instances) {
        processes_.skip_to(image.process);
        restore(image, recovered.is_rebooted);
    }
    for (const auto& found : recovered.found) {
        processes_.skip_to(found.process);
        adopt(found);
    }
}

void Lifecycle::restore(const InstanceImage& image, bool is_rebooted) {
    const InstanceId& id = image.report.id;
    const TaskSpec* spec = find_spec(id, image.digest);
    const bool had_process = image.process != ProcessId{};
    const bool ran_once = spec != nullptr && spec->restart.policy == RestartPolicy::never;
    // The coordinator may have placed the instance elsewhere meanwhile, so the agent drops it and
    // the coordinator decides. A process that must not start twice is kept as ended.
    const bool is_lost = is_rebooted && !is_over(image.report.state) && !(ran_once && had_process);
    // An instance without a process waited for one under a lease that is no longer known.
    const bool has_no_lease =
        spec != nullptr && spec->exclusive && !had_process && !is_over(image.report.state);
    if (spec == nullptr || is_lost || has_no_lease) {
        if (spec == nullptr && had_process) {
            processes_.kill_leftover(image.process);
        }
        table_.touch(id);
        return;
    }
    Entry& entry = table_.add(id);
    Instance& instance = entry.second;
    instance.report = image.report;
    instance.digest = image.digest;
    instance.ends_with_agent = !image.leaving && image.report.state == InstanceState::stopping;
    instance.leaving = image.leaving || instance.ends_with_agent;
    instance.is_adopted = true;
    table_.touch_report(id);
    if (!is_rebooted) {
        adopt(image, entry);
        return;
    }
    table_.touch_journal(id);  // The instants in it belong to another boot.
    // A failed instance is not tried again by itself, unlike on the boot on which it failed.
    if (image.report.state != InstanceState::failed && had_process) {
        instance.leaving = instance.ends_with_agent = false;
        table_.set_state(entry, InstanceState::exited,
                         "how it ended is not known: the host restarted while it ran");
    }
}

void Lifecycle::adopt(const InstanceImage& image, Entry& entry) {
    Instance& instance = entry.second;
    instance.record = RestartRecord{image.history};
    if (image.process != ProcessId{}) {
        instance.process = {image.process, image.identity, image.identity.pid != 0};
        processes_.adopt(image.process, entry.first, instance.process.runs);
        if (instance.leaving) {  // The earlier life may have died before it gave this order.
            order_end(entry);
            await_end(entry);
        } else if (!instance.process.runs) {
            await_start(entry);
        }
    } else if (image.report.state == InstanceState::pending) {
        pending_.insert(entry.first);
    } else {
        table_.set_deadline(entry, image.retry_at);
    }
}

// The journal was lost: the order that the shim got is all that is known about the process.
void Lifecycle::adopt(const FoundProcess& found) {
    if (table_.find(found.id) != nullptr ||
        !specs_.learn({found.id.task, found.generation, found.spec}, {})) {
        processes_.kill_leftover(found.process);
        return;
    }
    Entry& entry = table_.add(found.id);
    entry.second.report.generation = found.generation;
    entry.second.report.proof = found.proof;
    entry.second.digest = digest_of(found.spec);
    entry.second.process.id = found.process;
    entry.second.is_adopted = true;
    processes_.adopt(found.process, found.id, false);
    journal_.note(found.id.task, found.spec);
    await_start(entry);
    table_.set_state(entry, InstanceState::starting);
}

}  // namespace muster::agent
