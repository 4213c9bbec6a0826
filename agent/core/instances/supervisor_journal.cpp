#include <algorithm>
#include <csignal>

#include "agent/core/instances/supervisor.hpp"
#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

/// What a supervisor writes down, and what it makes of what an earlier life wrote.
namespace muster::agent {

namespace {

InstanceImage image_of(const Supervisor::Instance& instance) {
    InstanceImage image;
    image.report = instance.report;
    image.digest = instance.digest;
    image.process = instance.process;
    image.identity = instance.identity;
    image.leaving = instance.leaving;
    image.retry_at = instance.deadline;
    image.history = instance.record.history();
    return image;
}

// Who runs nothing and waits for nothing stays as it is, also when the host was started anew.
bool is_over(InstanceState state) {
    return state == InstanceState::exited || state == InstanceState::failed;
}

}  // namespace

// ---- what is written ----

std::optional<JournalWrite> Supervisor::take_journal() {
    if (journal_.is_writing()) {
        return std::nullopt;
    }
    for (const InstanceId& id : std::exchange(unwritten_, {})) {
        const auto found = instances_.find(id);
        const bool is_gone = found == instances_.end() || found->second.gone;
        journal_.note(id, is_gone ? std::nullopt : std::optional{image_of(found->second)});
    }
    return journal_.take();
}

void Supervisor::journaled() {
    const auto outcome = journal_.written();
    for (const ProcessId process : outcome.released) {
        orders_.releases.push_back({process});
    }
    for (const InstanceId& id : outcome.gone) {
        const auto found = instances_.find(id);
        if (found != instances_.end() && found->second.gone && !unwritten_.contains(id)) {
            instances_.erase(found);
            touched_.insert(id);
        }
    }
    for (const ProcessId process : outcome.noted) {
        if (intents_.erase(process) > 0) {
            const Entry& entry = entry_of(process);
            const TaskSpec& spec = spec_of(entry);
            const Instant lease = spec.exclusive ? grant_.until().value_or(Instant{}) : Instant{};
            orders_.spawns.push_back({process, entry.first, entry.second.report.generation, spec,
                                      lease, entry.second.token});
            await_start(entry);
        }
    }
}

void Supervisor::journal_failed(Instant now, const std::string& why) {
    for (const ProcessId process : journal_.failed().noted) {
        if (intents_.contains(process)) {
            process_not_started(
                now, {process, false, true, "it cannot be written that it is to run: " + why});
        }
    }
}

// ---- what was written ----

void Supervisor::restore(const Beginning& beginning) {
    last_process_ = beginning.last_left;
    for (const auto& image : beginning.journal.specs) {
        // A spec of a version that knew no better is left out, with what it ran.
        static_cast<void>(specs_.learn({image.task, Generation{}, image.spec}, {}));
    }
    for (const auto& image : beginning.journal.instances) {
        last_process_ = std::max(last_process_, image.process);
        restore(image, beginning.is_rebooted);
    }
    for (const auto& found : beginning.found) {
        last_process_ = std::max(last_process_, found.process);
        adopt(found);
    }
}

void Supervisor::restore(const InstanceImage& image, bool is_rebooted) {
    const InstanceId& id = image.report.id;
    const TaskSpec* spec = specs_.find(id.task, image.digest);
    const bool ran_once = spec != nullptr && spec->restart.policy == RestartPolicy::never;
    // The coordinator may have placed it elsewhere meanwhile: it is asked anew, unless nobody may
    // start it a second time.
    const bool is_lost =
        is_rebooted && !is_over(image.report.state) && !(ran_once && image.process != ProcessId{});
    // What has no process waited for one under a lease of which nothing is known any more.
    const bool has_no_lease = spec != nullptr && spec->exclusive && image.process == ProcessId{} &&
                              !is_over(image.report.state);
    if (spec == nullptr || is_lost || has_no_lease) {
        if (spec == nullptr && image.process != ProcessId{}) {
            end_stray(image.process);
        }
        touch(id);
        return;
    }
    Entry& entry = *instances_.try_emplace(id).first;
    Instance& instance = entry.second;
    instance.report = image.report;
    instance.digest = image.digest;
    instance.leaving = image.leaving;
    instance.is_adopted = true;
    touched_.insert(id);
    if (is_rebooted) {
        unwritten_.insert(id);  // What it says of moments is of another boot.
    }
    if (is_rebooted && image.report.state == InstanceState::failed) {
        return;  // Nor is it tried again by itself, as it would be on the boot it failed in.
    }
    if (is_rebooted && image.process != ProcessId{}) {
        instance.leaving = false;
        set_state(entry, InstanceState::exited,
                  "how it ended is not known: the host was started anew while it ran");
        return;
    }
    instance.record = is_rebooted ? RestartRecord{} : RestartRecord{image.history};
    if (image.process != ProcessId{}) {
        instance.process = image.process;
        instance.identity = image.identity;
        instance.process_runs = image.identity.pid != 0;
        starting_ += instance.process_runs ? 0 : 1;
        processes_.emplace(image.process, id);
        if (instance.leaving) {  // The life that wrote so may not have come to order it.
            order_end(entry);
            await_end(entry);
        } else if (!instance.process_runs) {
            await_start(entry);
        }
    } else if (image.report.state == InstanceState::pending) {
        pending_.insert(id);
    } else {
        set_deadline(entry, image.retry_at);
    }
}

// Found where the journal was lost: what its shim was ordered is all that is known of it.
void Supervisor::adopt(const FoundProcess& found) {
    if (instances_.contains(found.id) ||
        !specs_.learn({found.id.task, found.generation, found.spec}, {})) {
        end_stray(found.process);
        return;
    }
    Entry& entry = *instances_.try_emplace(found.id).first;
    entry.second.report.id = found.id;
    entry.second.report.generation = found.generation;
    entry.second.digest = digest_of(found.spec);
    entry.second.process = found.process;
    entry.second.is_adopted = true;
    ++starting_;
    processes_.emplace(found.process, found.id);
    journal_.note(found.id.task, found.spec);
    await_start(entry);
    set_state(entry, InstanceState::starting);
}

void Supervisor::end_stray(ProcessId process) {
    strays_.insert(process);
    orders_.ends.push_back({process, SIGKILL, {}});
    shims_.await(process, limits::shim_patience);
}

void Supervisor::release_stray(ProcessId process) {
    ensure(strays_.erase(process) == 1, "a stray ends once");
    shims_.heard(process);
    orders_.releases.push_back({process});
}

}  // namespace muster::agent
