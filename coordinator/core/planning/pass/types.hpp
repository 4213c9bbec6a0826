#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/messages/operator.hpp"
#include "coordinator/core/planning/index/scores.hpp"
#include "coordinator/core/planning/pass/obstacle.hpp"
#include "coordinator/core/policies.hpp"
#include "coordinator/core/workload/leases.hpp"
#include "coordinator/core/workload/placements.hpp"

/// What a pass of the planner is given, and what it says.
namespace muster::coordinator {

/// All orders of one pass, in a deterministic order. What is not said, stays.
struct Plan {
    std::vector<Order> orders;
    bool is_cut = false;  ///< Not all that was due was looked at: the next pass goes on.

    friend bool operator==(const Plan&, const Plan&) = default;
};

/// Why instances of a task have no home, or cannot be replaced.
struct Shortage {
    Obstacle code{};
    std::uint32_t count = 0;

    friend bool operator==(const Shortage&, const Shortage&) = default;
};

/// By count, the largest first.
using Shortages = std::vector<Shortage>;

/// What a pass may do.
struct Scope {
    Instant now{};
    /// In recovery, the counter at the leadership's start: tasks of generations up to it stay as
    /// they are, and of tasks changed since, only copies already reported are replaced.
    std::optional<Generation> held_back = std::nullopt;
    /// Nothing is rescheduled: what ran on a lost node waits, and nothing is moved by ourselves.
    bool frozen = false;
    bool balance = true;  ///< Only when a round closed: moves between nodes are not urgent.
    Rebalance rebalance = Rebalance::automatic;
    bool rebalance_now = false;  ///< An operator asked.
    /// Moves of the balance that may begin in this pass; others wait for the next ones.
    std::uint32_t moves = 1'000;
    Duration move_cooldown{};  ///< An instance is not moved again before it is over.
    /// Instances that may be started in this pass; nothing: all that are due.
    std::optional<std::uint32_t> starts{};
    const Leases* leases =
        nullptr;               ///< Of exclusive instances; null: nothing is known to hold them.
    bool stop_strays = false;  ///< Copies that this store never ordered are stopped like others.
    /// Tasks and ordinals that are looked at; a task is looked at whole.
    std::size_t most = std::numeric_limits<std::size_t>::max();
};

/// How near a task is to what is wanted.
enum class TaskPhase : std::uint8_t {
    converged,   ///< As wanted: each ordinal one copy of the generation, running or run to its end.
    rolling,     ///< Copies of an older generation are being replaced.
    halted,      ///< They are not: a copy of the new one ended before it had run for min_healthy.
    backoff,     ///< A copy ended and starts again after a delay.
    recovering,  ///< Nobody knows yet what of it runs: not all known nodes have reported.
    placing,     ///< Copies are ordered or being started.
    unplaced,    ///< There is a shortage.
    failed,      ///< A copy is failed.
    stopping,    ///< Copies that are not wanted (any more) are still there.
};

struct TaskStatus {
    TaskPhase phase = TaskPhase::converged;
    std::uint32_t wanted = 0;    ///< Ordinals: as many as are wanted, or as there are nodes for it.
    std::uint32_t running = 0;   ///< Ordinals of which a copy runs, of any generation.
    std::uint32_t starting = 0;  ///< Of the others, those that are about to run,
    std::uint32_t backoff = 0;   ///< whose copy is in back-off,
    std::uint32_t exited = 0;    ///< has run to its end,
    std::uint32_t failed = 0;    ///< or is failed; what is left is unplaced, or not seen yet.
    std::uint32_t rolling = 0;   ///< Ordinals of which a copy of an older generation is there.
    std::uint32_t updated = 0;   ///< Ordinals whose copy is of the generation, and healthy.
    std::uint32_t young = 0;  ///< Ordinals whose copy is of it and runs, not for min_healthy yet.
    std::optional<Ordinal> halted_by{};  ///< The first whose copy halts the roll-out.
    std::uint32_t moving = 0;    ///< Ordinals on their way to another node, for the balance.
    std::uint32_t stopping = 0;  ///< Copies that are not wanted (any more).
    std::uint32_t strays = 0;    ///< Copies this store never ordered.
    Shortages shortages;  ///< `recovering` may be there with 0: how many are missing is not known.

    /// The largest; its count is 0 when there is none.
    [[nodiscard]] Shortage shortage() const {
        return shortages.empty() ? Shortage{} : shortages.front();
    }

    friend bool operator==(const TaskStatus&, const TaskStatus&) = default;
};

struct Totals {
    std::uint64_t wanted = 0;  // As in TaskStatus.
    std::uint64_t running = 0;
    std::uint64_t starting = 0;
    std::uint64_t backoff = 0;
    std::uint64_t exited = 0;
    std::uint64_t failed = 0;
    std::uint64_t rolling = 0;
    std::uint64_t stopping = 0;
    std::uint64_t strays = 0;
    std::uint64_t unplaced = 0;
    std::uint64_t unsettled = 0;  ///< Tasks that are not converged.
    std::uint64_t halted = 0;     ///< Tasks whose roll-out is halted.
    std::uint64_t moves = 0;      ///< Moves between nodes decided and not over.
};

/// An instance that is still on a node which is to be left, and why.
struct Blocker {
    InstanceId id;
    Obstacle code{};

    friend bool operator==(const Blocker&, const Blocker&) = default;
};

/// What the planner has looked for since it began: passes in which nothing changed add nothing.
struct Effort {
    std::uint64_t balances = 0;    ///< How often an even spread was sought.
    std::uint64_t move_looks = 0;  ///< Tasks looked at for decided moves that may begin.

    friend bool operator==(const Effort&, const Effort&) = default;
};

/// A node, as filters and scores see it for one more instance of a task.
struct NodeVerdict {
    NodeIndex node{};
    Verdict verdict{};
    std::string detail;  ///< What decided: the constraint, the pool, how much is free, or the copy.
                         ///< May be empty.
    Score score;         ///< The smaller, the better; of use if it fits.
};

/// Where an instance is, and where it is to be.
struct InstanceLocation {
    std::optional<NodeIndex> at;    ///< The node of the copy that stays.
    std::optional<NodeIndex> home;  ///< As planned.
    bool is_to_move = false;        ///< From `at` to `home`, for the balance; it has not begun.
    std::optional<Instant> rests_until{};  ///< It was moved recently, and is not moved before.
    bool runs = false;                     ///< That copy is reported running.

    friend bool operator==(const InstanceLocation&, const InstanceLocation&) = default;
};

}  // namespace muster::coordinator

template <>
inline constexpr auto muster::enum_names<muster::coordinator::TaskPhase> =
    muster::name_list("converged", "rolling", "halted", "backoff", "recovering", "placing",
                      "unplaced", "failed", "stopping");
