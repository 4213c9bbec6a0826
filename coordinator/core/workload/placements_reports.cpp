#include <algorithm>
#include <compare>
#include <limits>
#include <utility>

#include "common/base/ensure.hpp"
#include "coordinator/core/workload/placements.hpp"

// The part of Placements that takes in reports.
namespace muster::coordinator {

namespace {

std::int16_t narrow_signal(std::int32_t signal) {
    constexpr std::int32_t least = std::numeric_limits<std::int16_t>::min();
    constexpr std::int32_t most = std::numeric_limits<std::int16_t>::max();
    return static_cast<std::int16_t>(std::clamp(signal, least, most));
}

bool has_ended(InstanceState state) {
    return state == InstanceState::backoff || state == InstanceState::exited ||
           state == InstanceState::failed;
}

std::strong_ordering order_of(std::string_view task, Ordinal ordinal, const InstanceId& id) {
    const std::strong_ordering by_name = task <=> std::string_view{id.task};
    return by_name != 0 ? by_name : ordinal <=> id.ordinal;
}

bool is_claim(Origin origin, Origin before, const Trust& trust) {
    return origin != Origin::ordered && origin != before && origin == trust.origin;
}

void note_claim(const InstanceReport& report, Applied& applied) {
    applied.claimed = applied.claimed == nullptr ? &report : applied.claimed;
    ++applied.claims;
}

struct Sorted {
    std::vector<const InstanceReport*> reports;
    bool sound = true;
};

/// The reports by id, each id once; as our own agents send them.
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

}  // namespace

Applied Placements::replace(NodeIndex node, std::span<const InstanceReport> instances,
                            Trust trust) {
    const std::vector<Held>& held = at(node).held;
    const std::size_t shorter = std::min(held.size(), instances.size());
    std::size_t same = 0;
    while (same < shorter && is_same(node, held[same], instances[same])) {
        ++same;
    }
    if (same == held.size() && same == instances.size()) {
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

/// Replaces what is held from position `same` on.
Applied Placements::merge(NodeIndex index, std::size_t same,
                          const std::vector<const InstanceReport*>& reports, const Trust& trust) {
    Node& node = at(index);
    const std::vector<Held> old(node.held.begin() + static_cast<std::ptrdiff_t>(same),
                                node.held.end());
    std::vector<Held> merged;
    merged.reserve(same + reports.size());
    merged.assign(node.held.begin(), node.held.begin() + static_cast<std::ptrdiff_t>(same));
    node.held = std::move(merged);
    Applied applied;
    auto next = old.begin();
    const auto drop_before = [&](const InstanceReport* report) {
        while (next != old.end() &&
               (report == nullptr ||
                order_of(workload_.name(next->task), next->ordinal, report->id) < 0)) {
            applied.changed = applied.ended = true;
            note_gone(index, *next, applied);
            count_gone(index, *next);
            drop(index, *next);
            ++next;
        }
    };
    for (const InstanceReport* report : reports) {
        drop_before(report);
        const bool known = next != old.end() &&
                           order_of(workload_.name(next->task), next->ordinal, report->id) == 0;
        if (known && is_same(index, *next, *report)) {
            node.held.push_back(*next++);
            continue;
        }
        const TaskIndex task = known ? next->task : workload_.intern(report->id.task);
        const Origin origin = origin_of(index, task, known ? &*next : nullptr, *report, trust);
        node.held.push_back(make_held(index, task, *report, origin));
        applied.changed = true;
        applied.ended =
            applied.ended || (has_ended(report->state) && !(known && has_ended(next->state)));
        entry(task).references += known ? 0 : 1;
        count(index, node.held.back(), !known);
        note(node.held.back(), *report, applied);
        if (is_claim(origin, known ? next->origin : Origin::ordered, trust)) {
            note_claim(*report, applied);
        }
        next += known ? 1 : 0;
    }
    drop_before(nullptr);
    return applied;
}

Applied Placements::change(NodeIndex index, std::span<const InstanceReport> changed,
                           std::span<const InstanceId> gone, Trust trust) {
    const Sorted reports = sorted(changed);
    Applied applied;
    applied.sound = reports.sound;
    Node& node = at(index);
    const auto position = [&](const InstanceId& id) {
        return node.held.begin() + static_cast<std::ptrdiff_t>(position_of(node, id));
    };
    const auto is_at = [&](auto where, const InstanceId& id) {
        return where != node.held.end() &&
               order_of(workload_.name(where->task), where->ordinal, id) == 0;
    };
    for (const InstanceId& id : gone) {
        const auto where = position(id);
        if (is_at(where, id)) {
            const Held held = *where;
            node.held.erase(where);
            note_gone(index, held, applied);
            count_gone(index, held);
            drop(index, held);
            applied.changed = applied.ended = true;
            applied.gone.push_back(&id);
        }
    }
    for (const InstanceReport* report : reports.reports) {
        auto where = position(report->id);
        const bool known = is_at(where, report->id);
        if (known && is_same(index, *where, *report)) {
            continue;
        }
        const TaskIndex task = known ? where->task : workload_.intern(report->id.task);
        const Origin origin = origin_of(index, task, known ? &*where : nullptr, *report, trust);
        const Origin before = known ? where->origin : Origin::ordered;
        applied.changed = true;
        applied.ended =
            applied.ended || (has_ended(report->state) && !(known && has_ended(where->state)));
        if (!known) {
            entry(task).references += 1;
            where = node.held.insert(where, Held{});
        }
        *where = make_held(index, task, *report, origin);
        count(index, *where, !known);
        note(*where, *report, applied);
        if (is_claim(origin, before, trust)) {
            note_claim(*report, applied);
        }
    }
    return applied;
}

// What an earlier leadership ordered of a copy begins once the one before has ended.
Origin Placements::origin_of(NodeIndex index, TaskIndex task, const Held* before,
                             const InstanceReport& report, const Trust& trust) const {
    if (before != nullptr && report.generation <= before->generation) {
        return before->origin;
    }
    const Node& node = at(index);
    const bool is_ordered = std::ranges::any_of(node.in_flight, [&](const InFlight& order) {
        return order.action == Order::Action::start && order.task == task &&
               order.ordinal == report.id.ordinal && order.generation == report.generation;
    });
    const Lapsed lapsed{report.generation, report.id.ordinal};
    if (is_ordered || std::ranges::find(node.lapsed, lapsed) != node.lapsed.end()) {
        return Origin::ordered;
    }
    const bool follows = before != nullptr && before->state == InstanceState::stopping;
    if (follows) {
        return std::max(before->origin, Origin::unasked);
    }
    return report.generation <= trust.believed ? Origin::ordered : trust.origin;
}

void Placements::note(const Held& held, const InstanceReport& report, Applied& applied) const {
    applied.instances.push_back(&report);
    const Task& ours = workload_[held.task];
    const Generation latest = ours.wanted ? ours.generation : workload_.counter();
    const Generation noted = applied.not_ours ? applied.not_ours->generation : Generation{};
    if (report.generation > std::max(latest, noted)) {
        applied.not_ours = &report;
    }
}

std::size_t Placements::position_of(const Node& node, const InstanceId& id) const {
    const auto found = std::lower_bound(
        node.held.begin(), node.held.end(), id, [&](const Held& held, const InstanceId& wanted) {
            return order_of(workload_.name(held.task), held.ordinal, wanted) < 0;
        });
    return static_cast<std::size_t>(found - node.held.begin());
}

bool Placements::is_same(NodeIndex node, const Held& held, const InstanceReport& report) const {
    if (held.ordinal != report.id.ordinal || held.generation != report.generation ||
        held.state != report.state || held.started != report.started ||
        held.restarts != report.restarts || held.exit_code != report.exit_code ||
        held.exit_signal != narrow_signal(report.exit_signal) ||
        held.detailed == report.detail.empty() || workload_.name(held.task) != report.id.task) {
        return false;
    }
    return !held.detailed || details_.at({node, held.task, held.ordinal}) == report.detail;
}

Placements::Held Placements::make_held(NodeIndex node, TaskIndex task, const InstanceReport& report,
                                       Origin origin) {
    if (report.detail.empty()) {
        details_.erase({node, task, report.id.ordinal});
    } else {
        details_[{node, task, report.id.ordinal}] = report.detail;
    }
    return {.generation = report.generation,
            .started = report.started,
            .task = task,
            .ordinal = report.id.ordinal,
            .restarts = report.restarts,
            .exit_code = report.exit_code,
            .exit_signal = narrow_signal(report.exit_signal),
            .state = report.state,
            .origin = origin,
            .detailed = !report.detail.empty()};
}

void Placements::count(NodeIndex index, const Held& held, bool fresh) {
    touch(held.task);
    const Node& node = at(index);
    if (!node.counted) {
        return;
    }
    // What was not held can only be known already by an order in flight.
    const bool may_be_ordered = !fresh || !node.in_flight.empty();
    Copy* copy = may_be_ordered ? find(entry(held.task), held.ordinal, index) : nullptr;
    if (copy == nullptr) {
        copy = &insert(held.task, held.ordinal, index);
    }
    const bool obeyed = !copy->reported || held.generation > copy->generation;
    if (obeyed || !copy->starting) {
        copy->replacing = copy->replacing && held.state == InstanceState::stopping;
        copy->taken_down = copy->taken_down && !has_run(held.state);
    }
    copy->generation = held.generation;
    copy->started = held.started;
    copy->state = held.state;
    copy->origin = held.origin;
    copy->faulty = held.exit_signal != 0 || held.exit_code > 0;
    copy->reported = true;
}

// Agents end nothing without an order, and say how what ended by itself did. Of a node that does
// not count nobody knows any more what was ordered there.
void Placements::note_gone(NodeIndex index, const Held& held, Applied& applied) const {
    const bool was_to_run =
        held.state == InstanceState::pending || held.state == InstanceState::starting ||
        held.state == InstanceState::running || held.state == InstanceState::backoff;
    const Copy* const copy = find(held.task, held.ordinal, index);
    if (was_to_run && copy != nullptr && !copy->stopping && !copy->starting &&
        !is_foreign(held.generation)) {
        applied.vanished.push_back({held.task, held.ordinal, held.generation});
    }
}

void Placements::count_gone(NodeIndex index, const Held& held) {
    touch(held.task);
    Copy* copy = find(entry(held.task), held.ordinal, index);
    if (copy == nullptr) {
        ensure(!at(index).counted, "what is held of a node that counts is a copy");
        return;
    }
    if (!copy->starting) {
        erase(held.task, *copy);
        return;
    }
    // A start is on its way: it may yet come to be.
    copy->reported = false;
    copy->state = InstanceState::pending;
    copy->origin = Origin::ordered;
    copy->started = {};
    for (const InFlight& order : at(index).in_flight) {
        if (order.task == held.task && order.ordinal == held.ordinal &&
            order.action == Order::Action::start) {
            copy->generation = order.generation;
        }
    }
}

/// The entry is not held any more.
void Placements::drop(NodeIndex node, const Held& held) {
    if (held.detailed) {
        details_.erase({node, held.task, held.ordinal});
    }
    ensure(entry(held.task).references > 0, "each entry held is counted");
    entry(held.task).references -= 1;
    touch(held.task);
}

}  // namespace muster::coordinator
