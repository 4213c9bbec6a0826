#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coordinator/core/planning/pass/types.hpp"

namespace muster::coordinator {

/// A stop of the copy is in flight or was obeyed, so the copy does not stay. A copy that is
/// replaced in place is not leaving.
[[nodiscard]] bool is_leaving(const Copy& copy);
/// The copy is reported running, or ran to its end, and no replacement in place is ordered.
[[nodiscard]] bool has_come_up(const Copy& copy, Generation wanted);
/// The copy is not of the wanted generation, and no replacement in place is ordered.
[[nodiscard]] bool is_outdated(const Copy& copy, Generation wanted);

/// The copy counts for a roll-out: it came up, and ran for the task's min_healthy or ended well.
[[nodiscard]] bool is_healthy(const Copy& copy, const Task& task);
/// The copy is of the wanted generation, came up, and is not healthy yet.
[[nodiscard]] bool is_on_trial(const Copy& copy, const Task& task);
/// The copy ended before min_healthy. It halts a roll-out until it has run for min_healthy, or
/// until the task is changed again.
[[nodiscard]] bool halts_roll_out(const Copy& copy, const Task& task);

/// The copies of one wanted ordinal.
struct Slot {
    const Copy* kept = nullptr;  ///< The copy that stays; null if all leave or were not ordered.
    std::uint32_t first = 0;     ///< All copies of the ordinal: copies[first, last).
    std::uint32_t last = 0;
    /// False only with every_node: the ordinal has no node that needs an instance.
    bool is_wanted = true;
    bool is_over = false;  ///< It ended well in the wanted generation, and does not run again.
};

/// A task's copies in the order of ordinals: which copies stay, and which are surplus.
struct Reading {
    std::span<const Copy> copies;
    std::vector<Slot> slots;    ///< One for each wanted ordinal.
    std::uint32_t surplus = 0;  ///< Copies from here on have an ordinal that is not wanted.
    std::uint32_t total = 0;    ///< Copies that may run: reported or in flight, not claimed (S7).
};

/// True if copy `a` of an ordinal stays rather than copy `b`. In this order: ordered there, of the
/// wanted generation, on a serving node, on a node that is not evacuated, the target of a move,
/// running, running the longest (by `reconcile`, the shortest), first by name of node.
[[nodiscard]] bool is_preferred(const Placements& placements, const Task& task, const Copy& a,
                                const Copy& b);

/// Reads a task; `into` is overwritten.
void read(const Workload& workload, const Placements& placements, TaskIndex index, Reading& into);

/// The copies of one ordinal among a task's copies.
[[nodiscard]] std::span<const Copy> copies_of(std::span<const Copy> copies, Ordinal ordinal);

/// The copy is on its way: its start is ordered, or its process does not run yet.
[[nodiscard]] bool is_starting(const Copy& copy);

/// Some copy of an older generation has not been replaced yet.
[[nodiscard]] bool is_rolling_out(const Reading& reading, Generation wanted);

/// A copy of the ordinal exists on the node, or its start is in flight.
[[nodiscard]] bool has_copy(const Placements& placements, TaskIndex index, Ordinal ordinal,
                            NodeIndex node);

/// The copy of the ordinal that stays, as read() finds it.
[[nodiscard]] const Copy* find_kept(const Workload& workload, const Placements& placements,
                                    TaskIndex index, Ordinal ordinal);

/// The status of a task. `shortages`: those of the last pass; their counts are updated. `is_new`:
/// not all copies of its generation are known to have been healthy. `unproven`: the instance whose
/// copy of the wanted generation failed or ended early, even if that copy is gone.
[[nodiscard]] TaskStatus summarise(const Workload& workload, const Placements& placements,
                                   TaskIndex index, const Reading& reading,
                                   std::span<const Shortage> shortages, bool is_new,
                                   std::optional<Ordinal> unproven);

}  // namespace muster::coordinator
