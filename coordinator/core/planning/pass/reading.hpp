#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coordinator/core/planning/pass/types.hpp"

namespace muster::coordinator {

/// A stop is on its way to the copy or was obeyed: it is no one's home any more. One that is being
/// replaced in place goes on.
[[nodiscard]] bool is_leaving(const Copy& copy);
/// Reported running, or run to its end, and nothing is about to take it down.
[[nodiscard]] bool has_come_up(const Copy& copy, Generation wanted);
/// Not of the wanted generation, nor about to be.
[[nodiscard]] bool is_outdated(const Copy& copy, Generation wanted);

/// A copy that counts for a roll-out: it came up, and its run took the task's min_healthy, or it
/// ended well.
[[nodiscard]] bool is_healthy(const Copy& copy, const Task& task);
/// A copy of the wanted generation that came up or ended, and is not healthy (yet).
[[nodiscard]] bool is_on_trial(const Copy& copy, const Task& task);
/// One on trial that has ended before min_healthy was over. It halts a roll-out until it has run
/// that long after all, or until the task is changed again.
[[nodiscard]] bool halts_roll_out(const Copy& copy, const Task& task);

/// The copies of one wanted ordinal.
struct Slot {
    const Copy* stay = nullptr;  ///< The one that stays; none if all are leaving, or only claimed.
    std::uint32_t first = 0;     ///< All of them: copies[first, last).
    std::uint32_t last = 0;
    bool is_wanted = true;  ///< Of a task of every node: it has a node, which is there.
    bool is_over = false;   ///< It ended well in the wanted generation, and is not run again.
};

/// A task's copies in the order of ordinals: which stay, and which are too many.
struct Reading {
    std::span<const Copy> copies;
    std::vector<Slot> slots;    ///< One for each wanted ordinal.
    std::uint32_t surplus = 0;  ///< Copies from here on have an ordinal that is not wanted.
    std::uint32_t total = 0;    ///< Copies that may run: reported or in flight, not claimed (S7).
};

/// Of two copies of an ordinal, whether `a` is the one that stays: ordered where it is, of the
/// wanted generation, on a serving node, on one that is not to be left, the target of a move,
/// running the longest (by `reconcile`, the shortest), first by name of node.
[[nodiscard]] bool stays_before(const Placements& placements, const Task& task, const Copy& a,
                                const Copy& b);

/// Reads a task; `into` is used again.
void read(const Workload& workload, const Placements& placements, TaskIndex index, Reading& into);

/// Those of one ordinal, of a task's copies.
[[nodiscard]] std::span<const Copy> copies_of(std::span<const Copy> copies, Ordinal ordinal);

/// A copy of the ordinal is there, or on its way.
[[nodiscard]] bool has_copy(const Placements& placements, TaskIndex index, Ordinal ordinal,
                            NodeIndex node);

/// The copy of the ordinal that stays, as read() finds it.
[[nodiscard]] const Copy* find_stay(const Workload& workload, const Placements& placements,
                                    TaskIndex index, Ordinal ordinal);

/// How near a task is to what is wanted. `shortages` are what the last plan found; their counts are
/// brought up to date. `is_new`: it is not known that all copies of its generation were healthy.
[[nodiscard]] TaskStatus summarise(const Workload& workload, const Placements& placements,
                                   TaskIndex index, const Reading& reading,
                                   std::span<const Shortage> shortages, bool is_new);

}  // namespace muster::coordinator
