#include "coordinator/core/planning/pass/retry.hpp"

#include <iterator>

namespace muster::coordinator {

namespace {

constexpr Duration first_pause = 1s;
constexpr Duration longest_pause = 5min;
constexpr Duration quiet_period = 10min;
constexpr std::size_t sentence_most = 256;  // Of one refusal, stored for each instance.

Duration pause_after(std::uint32_t refusals) {
    Duration pause = first_pause;
    for (; refusals > 1 && pause < longest_pause; --refusals) {
        pause *= 2;
    }
    return std::min(pause, longest_pause);
}

bool is_over(const FailureRecord& record) {
    return !record.has_failed() && record.refusals.empty();
}

}  // namespace

bool FailureRecord::excludes(NodeIndex node, Instant now) const {
    return has_failed_on(node) || std::ranges::any_of(refusals, [&](const Refusal& refusal) {
               return refusal.node == node && now < refusal.again;
           });
}

bool FailureRecord::has_vanished_on(NodeIndex node) const {
    const auto found = std::ranges::find(refusals, node, &Refusal::node);
    return found != refusals.end() && found->vanished;
}

const FailureRecord::Refusal* FailureRecord::refusal_of(NodeIndex node) const {
    const auto found = std::ranges::find(refusals, node, &Refusal::node);
    return found != refusals.end() && !found->vanished ? &*found : nullptr;
}

std::uint32_t FailureRecord::refused() const {
    std::uint32_t count = 0;
    for (const Refusal& refusal : refusals) {
        count += refusal.count;
    }
    return count;
}

bool FailureRecord::holds_up(const Copy* kept, Generation wanted, bool has_home,
                             Instant now) const {
    if (kept != nullptr) {
        return !has_come_up(*kept, wanted);
    }
    // An instance that was only refused may start after its pause. If it has no place then, it only
    // lacks a place and does not hold up the roll-out.
    return has_home || has_failed() || std::ranges::any_of(refusals, [&](const Refusal& refusal) {
               return now < refusal.again;
           });
}

// ---- updates of the records ----

FailureRecord& RecentFailures::at(const Key& key, Generation generation) {
    FailureRecord& record = records_[key];
    if (record.generation != generation) {
        record = {};
        record.generation = generation;
    }
    return record;
}

void RecentFailures::on_start_failed(Instant now, Generation generation,
                                     const FailedInstance& what) {
    FailureRecord& record = at({what.task, what.ordinal}, generation);
    auto refusal = std::ranges::find(record.refusals, what.node, &FailureRecord::Refusal::node);
    if (refusal == record.refusals.end()) {
        refusal = record.refusals.insert(refusal, {.node = what.node});
    }
    refusal->count += 1;
    refusal->again = now + pause_after(refusal->count);
    refusal->why = what.why.substr(0, sentence_most);
    record.last_refusal = refusal->why;
    if (what.vanished) {
        refusal->vanished = true;
        record.good_since.reset();
    }
}

void RecentFailures::clear_failures(NodeIndex node) {
    for (auto at = records_.begin(); at != records_.end();) {
        std::erase_if(at->second.refusals, [&](const FailureRecord::Refusal& refusal) {
            return refusal.vanished && refusal.node == node;
        });
        at = is_over(at->second) ? records_.erase(at) : std::next(at);
    }
}

void RecentFailures::on_read(Instant now, TaskIndex index, const Task& task,
                             const Reading& reading) {
    const bool had_any = has_any(index);
    if (had_any) {
        keep(index, task);
    }
    for (Ordinal ordinal = 0; ordinal < task.ordinals(); ++ordinal) {
        const Copy* const kept = reading.slots[ordinal].kept;
        if (kept == nullptr || !kept->reported || kept->generation != task.generation) {
            continue;
        }
        const Key key{index, ordinal};
        if (halts_roll_out(*kept, task)) {
            at(key, task.generation).ended_early = true;
        }
        if (kept->state == InstanceState::failed) {
            failed(key, task.generation, kept->node);
        } else if (had_any) {
            reported(now, key, task, *kept);
        }
    }
}

/// Drops records of other generations of the task, and of ordinals that are not wanted any more.
void RecentFailures::keep(TaskIndex index, const Task& task) {
    for (auto [at, end] = of_task(records_, index); at != end;) {
        const Ordinal ordinal = at->first.second;
        const bool stays = at->second.generation == task.generation && ordinal < task.ordinals() &&
                           (!task.is_everywhere() || task.bound[ordinal] != no_node);
        at = stays ? std::next(at) : records_.erase(at);
    }
}

void RecentFailures::failed(const Key& key, Generation generation, NodeIndex node) {
    FailureRecord& record = at(key, generation);
    record.good_since.reset();
    if (!record.has_failed_on(node)) {
        record.failed_on.push_back(node);
    }
}

/// The instance did not fail, and its node reports whether it runs.
void RecentFailures::reported(Instant now, const Key& key, const Task& task, const Copy& kept) {
    const auto found = records_.find(key);
    if (found == records_.end()) {
        return;
    }
    FailureRecord& record = found->second;
    const bool runs = kept.state == InstanceState::running;
    record.ended_early = record.ended_early && !is_healthy(kept, task);
    // Vanished entries stay: otherwise a node where the instance keeps vanishing would be tried
    // first again.
    std::erase_if(record.refusals, [](const auto& refusal) { return !refusal.vanished; });
    if (!runs) {
        record.good_since.reset();
    } else if (!record.good_since) {
        record.good_since = now;
    }
    if (is_over(record) || (runs && now - *record.good_since >= quiet_period)) {
        records_.erase(found);
    }
}

// ---- the rule ----

std::optional<Ordinal> RecentFailures::unproven(TaskIndex index, const Task& task,
                                                const Reading& reading) const {
    if (task.spec.update.min_healthy == Duration::zero()) {
        return std::nullopt;
    }
    for (auto [at, end] = of_task(records_, index); at != end; ++at) {
        const Ordinal ordinal = at->first.second;
        const Copy* const kept =
            ordinal < reading.slots.size() ? reading.slots[ordinal].kept : nullptr;
        const bool is_proven =
            kept != nullptr && kept->generation >= task.generation && is_healthy(*kept, task);
        if (at->second.has_failed() && !is_proven) {
            return ordinal;
        }
    }
    return std::nullopt;
}

bool RecentFailures::is_to_retry(const Key& key, const Copy* kept) const {
    const bool has_failed = kept != nullptr && kept->reported &&
                            kept->state == InstanceState::failed && !kept->orders.starting;
    const FailureRecord* const record = has_failed ? find(key) : nullptr;
    return record != nullptr && !record->is_given_up();
}

bool RecentFailures::excludes(const Key& key, NodeIndex node, Instant now) const {
    const FailureRecord* const record = find(key);
    return record != nullptr && record->excludes(node, now);
}

}  // namespace muster::coordinator
