#include <algorithm>

#include "common/base/ensure.hpp"
#include "coordinator/core/workload/order_proofs.hpp"
#include "coordinator/core/workload/placements.hpp"

// The part of Placements that applies reports.
namespace muster::coordinator {

namespace {

bool has_ended(InstanceState state) {
    return state == InstanceState::backoff || state == InstanceState::exited ||
           state == InstanceState::failed;
}

bool has_ended_well(const InstanceReport& report, const Task& task) {
    return report.state == InstanceState::exited && report.exit_code == 0 &&
           report.exit_signal == 0 && task.keeps_ends() && report.generation == task.generation &&
           report.id.ordinal < task.instances;
}

struct Sorted {
    std::vector<const InstanceReport*> reports;
    bool sound = true;
};

/// The reports sorted by id, each id once. Our own agents send them so.
Sorted sorted(std::span<const InstanceReport> reports) {
    Sorted result;
    result.reports.reserve(reports.size());
    for (const InstanceReport& report : reports) {
        result.sound =
            result.sound && (result.reports.empty() || result.reports.back()->id < report.id);
        result.reports.push_back(&report);
    }
    if (!result.sound) {
        const auto by_id = [](const auto* report) -> const InstanceId& { return report->id; };
        std::ranges::stable_sort(result.reports, {}, by_id);
        const auto rest = std::unique(result.reports.begin(), result.reports.end(),
                                      [](const auto* a, const auto* b) { return a->id == b->id; });
        result.reports.erase(rest, result.reports.end());
    }
    return result;
}

// An earlier leadership may have ordered a new generation, which starts when the old one has ended.
Origin origin_by_orders(bool was_started, const ReportedInstance* before,
                        const InstanceReport& report, const Trust& trust) {
    if (before != nullptr && report.generation <= before->generation) {
        return before->origin;
    }
    if (was_started) {
        return Origin::ordered;
    }
    const bool follows = before != nullptr && before->state == InstanceState::stopping;
    if (follows) {
        return std::max(before->origin, Origin::perhaps_ordered);
    }
    return report.generation <= trust.believed ? Origin::ordered : trust.origin;
}

}  // namespace

Applied Placements::replace(NodeIndex node, std::span<const InstanceReport> instances,
                            Trust trust) {
    ensure(nodes_.is_known(node), "a node that reports was added");
    const std::size_t same = reported_.count_same(node, instances);
    if (same == reported_.count(node) && same == instances.size()) {
        return {};
    }
    const Sorted rest = sorted(instances.subspan(same));
    const bool joins =
        same == 0 || rest.reports.empty() || instances[same - 1].id < rest.reports.front()->id;
    if (joins) {
        Applied applied = merge(node, same, rest.reports, trust);
        applied.sound = rest.sound;
        return applied;
    }
    const Sorted all = sorted(instances);
    Applied applied = merge(node, 0, all.reports, trust);
    applied.sound = false;
    return applied;
}

/// Replaces the instances from position `same` on.
Applied Placements::merge(NodeIndex node, std::size_t same,
                          const std::vector<const InstanceReport*>& reports, const Trust& trust) {
    const std::vector<ReportedInstance> old = reported_.take_rest(node, same, reports.size());
    Applied applied;
    auto next = old.begin();
    const auto drop_before = [&](const InstanceReport* report) {
        while (next != old.end() &&
               (report == nullptr || order_of(workload_, *next, report->id) < 0)) {
            apply_gone(node, *next++, applied);
        }
    };
    for (const InstanceReport* report : reports) {
        drop_before(report);
        const bool known = next != old.end() && order_of(workload_, *next, report->id) == 0;
        if (known && reported_.is_same(node, *next, *report)) {
            reported_.append(node, *next++);
            continue;
        }
        reported_.append(node, apply(node, known ? &*next : nullptr, *report, trust, applied));
        next += known ? 1 : 0;
    }
    drop_before(nullptr);
    return applied;
}

Applied Placements::change(NodeIndex node, std::span<const InstanceReport> changed,
                           std::span<const InstanceId> gone, Trust trust) {
    ensure(nodes_.is_known(node), "a node that reports was added");
    const Sorted reports = sorted(changed);
    Applied applied;
    applied.sound = reports.sound;
    for (const InstanceId& id : gone) {
        if (const ReportedInstance* const held = reported_.find(node, id)) {
            const ReportedInstance was = *held;
            reported_.erase(node, id);
            apply_gone(node, was, applied);
            applied.gone.push_back(&id);
        }
    }
    for (const InstanceReport* report : reports.reports) {
        const ReportedInstance* const held = reported_.find(node, report->id);
        if (held == nullptr || !reported_.is_same(node, *held, *report)) {
            reported_.put(node, report->id, apply(node, held, *report, trust, applied));
        }
    }
    return applied;
}

ReportedInstance Placements::apply(NodeIndex node, const ReportedInstance* before,
                                   const InstanceReport& report, const Trust& trust,
                                   Applied& applied) {
    const TaskIndex task = before ? before->task : workload_.intern(report.id.task);
    const auto [origin, is_stray] = judge(node, task, before, report, trust);
    const ReportedInstance held = reported_.hold(node, task, report, origin);
    copies_.touch(task);
    if (before == nullptr) {
        copies_.refer_to(task);
    }
    if (nodes_.is_counted(node)) {
        // A new instance can have a copy already only by an order in flight.
        copies_.on_reported(node, held, before != nullptr || orders_.count(node) > 0);
    }
    const bool had_ended = before != nullptr && has_ended(before->state);
    applied.changed = true;
    applied.ended = applied.ended || (has_ended(report.state) && !had_ended);
    applied.instances.push_back(&report);
    // An instance that ends does not show that no other copy runs: its lease may have ended. Nor
    // does one of an earlier generation, whose task may not have been exclusive.
    if (origin == Origin::ordered && workload_[task].wanted &&
        report.generation == workload_[task].generation && report.state != InstanceState::exited &&
        report.state != InstanceState::failed && report.state != InstanceState::stopping) {
        applied.accounted.push_back(&report);
    }
    const Task& ours = workload_[task];
    if (has_ended_well(report, ours) &&
        (origin == Origin::ordered || (is_perhaps_ordered(origin) && trust.of_store))) {
        applied.ended_well.push_back({task, report.id.ordinal});
    }
    const Generation latest = ours.wanted ? ours.generation : workload_.counter();
    const Generation noted = applied.foreign ? applied.foreign->generation : Generation{};
    if (report.generation > std::max(latest, noted)) {
        applied.foreign = &report;
    }
    const Origin origin_before = before != nullptr ? before->origin : Origin::ordered;
    if (is_stray) {
        applied.stray = applied.stray == nullptr ? &report : applied.stray;
        ++applied.strays;
    } else if (origin != Origin::ordered && origin != origin_before && origin >= trust.origin) {
        applied.claimed = applied.claimed == nullptr ? &report : applied.claimed;
        ++applied.claims;
    }
    return held;
}

Placements::Judged Placements::judge(NodeIndex node, TaskIndex task, const ReportedInstance* before,
                                     const InstanceReport& report, const Trust& trust) const {
    const bool was_known = before != nullptr && report.generation == before->generation;
    if (was_known && before->proof_mark == proof_mark(report.proof)) {
        return {before->origin};
    }
    const bool was_started = orders_.was_started(node, task, report.id.ordinal, report.generation);
    const Origin origin = origin_by_orders(was_started, before, report, trust);
    if (trust.proofs == nullptr || was_started) {
        return {origin};
    }
    switch (trust.proofs->judge(report)) {
        case ProofVerdict::right: return {origin};
        // This life may have been ordered to stop it, and repeat the proof of its earlier life.
        case ProofVerdict::earlier_life:
            return {was_known ? origin : std::max(origin, Origin::perhaps_ordered)};
        case ProofVerdict::excused: return {std::max(origin, Origin::unproven)};
        case ProofVerdict::wrong:
            return {Origin::unordered, !was_known || before->origin != Origin::unordered};
    }
    return {origin};
}

// Agents stop instances only by an order, and report how others ended. For a node that does not
// count, the orders are no longer known.
void Placements::apply_gone(NodeIndex node, const ReportedInstance& gone, Applied& applied) {
    const bool was_to_run =
        gone.state == InstanceState::pending || gone.state == InstanceState::starting ||
        gone.state == InstanceState::running || gone.state == InstanceState::backoff;
    const Copy* const copy = copies_.find(gone.task, gone.ordinal, node);
    if (was_to_run && copy != nullptr && !copy->orders.stopping && !copy->orders.starting &&
        !workload_.is_foreign(gone.generation)) {
        applied.vanished.push_back({gone.task, gone.ordinal, gone.generation});
    }
    applied.changed = applied.ended = true;
    count_gone(node, gone);
    reported_.drop_detail(node, gone);
    copies_.unrefer(gone.task);
}

void Placements::count_gone(NodeIndex node, const ReportedInstance& instance) {
    const bool was_there =
        copies_.on_gone(node, instance, orders_.started(node, instance.task, instance.ordinal));
    ensure(was_there || !nodes_.is_counted(node), "an instance on a node that counts is a copy");
}

}  // namespace muster::coordinator
