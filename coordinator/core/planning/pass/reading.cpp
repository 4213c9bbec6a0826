#include "coordinator/core/planning/pass/reading.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace muster::coordinator {

namespace {

bool is_up(const Copy& copy) { return copy.reported && copy.state == InstanceState::running; }

/// Later is worse. A copy that does not run counts as the latest.
std::int64_t running_since(const Copy& copy) {
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    return is_up(copy) && copy.started != CivilMs{} ? raw(copy.started) : never;
}

void choose_kept(const Placements& placements, const Task& task, const Copy& copy,
                 const Copy*& kept) {
    const bool is_elsewhere = task.is_everywhere() && (copy.ordinal >= task.bound.size() ||
                                                       task.bound[copy.ordinal] != copy.node);
    const bool may_keep = is_ours(copy) && !is_leaving(copy) && !is_elsewhere;
    if (may_keep && (kept == nullptr || is_preferred(placements, task, copy, *kept))) {
        kept = &copy;
    }
}

}  // namespace

bool is_preferred(const Placements& placements, const Task& task, const Copy& a, const Copy& b) {
    const auto rank = [&](const Copy& copy) {
        const bool serves = placements.nodes().is_serving(copy.node);
        const std::int64_t since = running_since(copy);
        const bool is_left = !serves && placements.nodes().evacuation(copy.node).has_value();
        return std::tuple{copy.origin,
                          copy.generation != task.generation,
                          !serves,
                          is_left,
                          !copy.orders.moving,
                          !is_up(copy),
                          task.place.reconcile == Reconcile::original ? since : -since,
                          std::string_view{placements.nodes().name(copy.node)}};
    };
    return rank(a) < rank(b);
}

bool is_leaving(const Copy& copy) {
    return copy.orders.stopping ||
           (copy.state == InstanceState::stopping && !copy.orders.replacing);
}

bool is_starting(const Copy& copy) {
    return !copy.reported || copy.orders.starting || copy.state == InstanceState::pending ||
           copy.state == InstanceState::starting;
}

bool is_outdated(const Copy& copy, Generation wanted) {
    return copy.generation < wanted && !copy.orders.replacing;
}

bool has_come_up(const Copy& copy, Generation wanted) {
    return copy.reported && !(copy.orders.replacing && copy.generation < wanted) &&
           has_run(copy.state);
}

bool is_healthy(const Copy& copy, const Task& task) {
    const bool ended_well = copy.state == InstanceState::exited && !copy.faulty;
    return has_come_up(copy, task.generation) &&
           (copy.healthy || ended_well || task.spec.update.min_healthy == Duration::zero());
}

bool is_on_trial(const Copy& copy, const Task& task) {
    return copy.reported && copy.generation >= task.generation && !is_healthy(copy, task) &&
           has_run(copy.state);
}

bool halts_roll_out(const Copy& copy, const Task& task) {
    return copy.reported && copy.ended_early && copy.generation >= task.generation &&
           !is_healthy(copy, task) && task.spec.update.min_healthy > Duration::zero();
}

void read(const Workload& workload, const Placements& placements, TaskIndex index, Reading& into) {
    const Task& task = workload[index];
    into.copies = placements.copies().of(index);
    into.slots.assign(task.ordinals(), Slot{});
    into.total = 0;
    into.surplus = static_cast<std::uint32_t>(into.copies.size());
    for (std::uint32_t at = 0; at < into.copies.size(); ++at) {
        const Copy& copy = into.copies[at];
        into.total += is_ours(copy) ? 1U : 0U;
        if (copy.ordinal >= task.ordinals()) {
            into.surplus = std::min(into.surplus, at);
            continue;
        }
        Slot& slot = into.slots[copy.ordinal];
        slot.first = slot.last == 0 ? at : slot.first;
        slot.last = at + 1;
        choose_kept(placements, task, copy, slot.kept);
    }
    for (Ordinal ordinal = 0; ordinal < task.ordinals() && !task.ended_well.empty(); ++ordinal) {
        into.slots[ordinal].is_over = task.has_ended_well(ordinal);
    }
    for (std::size_t ordinal = 0; ordinal < task.bound.size(); ++ordinal) {
        const NodeIndex node = task.bound[ordinal];
        const bool serves =
            placements.nodes().is_known(node) && placements.nodes().is_serving(node);
        into.slots[ordinal].is_wanted = serves || into.slots[ordinal].kept != nullptr;
    }
}

bool is_rolling_out(const Reading& reading, Generation wanted) {
    return std::ranges::any_of(reading.copies.first(reading.surplus), [&](const Copy& copy) {
        return is_ours(copy) && copy.generation < wanted && !is_leaving(copy);
    });
}

std::span<const Copy> copies_of(std::span<const Copy> copies, Ordinal ordinal) {
    const auto first = std::ranges::lower_bound(copies, ordinal, {}, &Copy::ordinal);
    auto last = first;
    while (last != copies.end() && last->ordinal == ordinal) {
        ++last;
    }
    return copies.subspan(static_cast<std::size_t>(first - copies.begin()),
                          static_cast<std::size_t>(last - first));
}

bool has_copy(const Placements& placements, TaskIndex index, Ordinal ordinal, NodeIndex node) {
    return std::ranges::any_of(copies_of(placements.copies().of(index), ordinal),
                               [&](const Copy& copy) { return copy.node == node; });
}

const Copy* find_kept(const Workload& workload, const Placements& placements, TaskIndex index,
                      Ordinal ordinal) {
    const Copy* kept = nullptr;
    for (const Copy& copy : copies_of(placements.copies().of(index), ordinal)) {
        choose_kept(placements, workload[index], copy, kept);
    }
    return kept;
}

namespace {

/// The contribution of one ordinal to its task's status.
struct SlotStatus {
    bool runs = false;       ///< Some copy runs.
    bool outdated = false;   ///< A copy of an older generation still exists.
    bool is_up = false;      ///< A copy of the wanted generation has come up.
    std::uint32_t kept = 0;  ///< Copies that are not surplus: during a move, both.
};

SlotStatus status_of(const Placements& placements, const Reading& reading, const Slot& slot,
                     Generation wanted) {
    SlotStatus status;
    for (const Copy& copy : reading.copies.subspan(slot.first, slot.last - slot.first)) {
        if (placements.copies().is_stray(copy) && &copy != slot.kept) {
            continue;
        }
        status.runs = status.runs || is_up(copy);
        status.outdated = status.outdated || (copy.generation < wanted && !is_leaving(copy));
        status.is_up = status.is_up || (copy.generation >= wanted && has_come_up(copy, wanted));
        const bool is_kept = &copy == slot.kept || slot.kept->orders.moving;
        status.kept += is_kept && !placements.copies().is_stray(copy) ? 1U : 0U;
    }
    return status;
}

/// Each ordinal is counted in one state only, so that the counts add up to what is wanted.
void count_once(const Copy& kept, bool runs, TaskStatus& status) {
    if (runs) {
        ++status.running;
    } else if (kept.reported && kept.state == InstanceState::backoff) {
        ++status.backoff;
    } else if (kept.reported && kept.state == InstanceState::exited) {
        ++status.exited;
    } else if (kept.reported && kept.state == InstanceState::failed) {
        ++status.failed;
    } else {
        ++status.starting;
    }
}

/// Counts an ordinal that ended well. Its copy may still be reported or be gone; a running copy is
/// surplus.
void count_over(const Placements& placements, const Slot& slot, TaskStatus& status) {
    ++status.exited;
    ++status.updated;
    const bool is_kept =
        slot.kept != nullptr && !may_run(*slot.kept) && !placements.copies().is_stray(*slot.kept);
    status.stopping -= is_kept ? 1U : 0U;
}

/// Counts healthy and young copies of the wanted generation.
void count_health(const Copy& kept, const Task& task, TaskStatus& status) {
    if (kept.generation < task.generation) {
        return;
    }
    if (is_healthy(kept, task)) {
        ++status.updated;
    } else if (kept.reported && kept.state == InstanceState::running) {
        ++status.young;
    }
    if (!status.halted_by && halts_roll_out(kept, task)) {
        status.halted_by = kept.ordinal;
    }
}

/// A copy of the wanted generation exists or is ordered.
bool is_tried_again(const Reading& reading, Ordinal ordinal, Generation wanted) {
    return std::ranges::any_of(copies_of(reading.copies, ordinal), [&](const Copy& copy) {
        return is_ours(copy) && !is_leaving(copy) && !is_outdated(copy, wanted);
    });
}

}  // namespace

TaskStatus summarise(const Workload& workload, const Placements& placements, TaskIndex index,
                     const Reading& reading, std::span<const Shortage> shortages, bool is_new,
                     std::optional<Ordinal> unproven) {
    const Task& task = workload[index];
    const Generation wanted = task.generation;
    TaskStatus status;
    std::uint32_t missing = 0;
    std::uint32_t unconverged = 0;
    bool has_failed = false;
    for (const Copy& copy : reading.copies) {
        status.strays += placements.copies().is_stray(copy) ? 1U : 0U;
        status.stopping += placements.copies().is_stray(copy) ? 0U : 1U;
    }
    for (const Slot& slot : reading.slots) {
        status.wanted += slot.is_wanted ? 1U : 0U;
        if (slot.is_over) {
            count_over(placements, slot, status);
            continue;
        }
        if (slot.kept == nullptr) {
            missing += slot.is_wanted ? 1U : 0U;
            continue;
        }
        const SlotStatus of_slot = status_of(placements, reading, slot, wanted);
        count_once(*slot.kept, of_slot.runs, status);
        status.stopping -= of_slot.kept;
        status.moving += slot.kept->orders.moving ? 1U : 0U;
        status.rolling += of_slot.outdated ? 1U : 0U;
        unconverged += of_slot.is_up ? 0U : 1U;
        count_health(*slot.kept, task, status);
        has_failed = has_failed || slot.kept->state == InstanceState::failed;
    }
    if (unproven && !status.halted_by && !is_tried_again(reading, *unproven, wanted)) {
        status.halted_by = unproven;
    }
    if (!is_new && status.rolling == 0) {
        status.halted_by.reset();  // There is no roll-out.
    }
    const bool is_held_up =
        !shortages.empty() && shortages.front().code == Obstacle::max_unavailable;
    std::uint32_t left = is_held_up ? status.rolling : missing;
    for (const Shortage& shortage : shortages) {
        const std::uint32_t count = std::min(shortage.count, left);
        left -= count;
        if (count > 0 || shortage.code == Obstacle::recovering) {
            status.shortages.push_back({shortage.code, count});
        }
    }
    status.starting += is_held_up ? missing : left;
    const Shortage largest = status.shortage();
    const bool is_unplaced = !is_held_up && largest.code != Obstacle::recovering;
    // For a task with every_node even the number of missing instances is not known.
    const bool is_unseen =
        largest.code == Obstacle::recovering && (largest.count > 0 || task.is_everywhere());
    if (is_unplaced && largest.count > 0) {
        status.phase = TaskPhase::unplaced;
    } else if (has_failed) {
        status.phase = TaskPhase::failed;
    } else if (status.halted_by) {
        status.phase = TaskPhase::halted;
    } else if (status.rolling > 0) {
        status.phase = TaskPhase::rolling;
    } else if (status.backoff > 0) {
        status.phase = TaskPhase::backoff;
    } else if (is_unseen) {
        status.phase = TaskPhase::recovering;
    } else if (missing + unconverged > 0) {
        status.phase = TaskPhase::placing;
    } else if (status.stopping > 0) {
        status.phase = TaskPhase::stopping;
    }
    return status;
}

}  // namespace muster::coordinator
