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

/// The inputs and results of a pass of the planner.
namespace muster::coordinator {

/// All orders of one pass, in a deterministic order. Everything else stays as it is.
struct Plan {
    std::vector<Order> orders;
    bool is_cut = false;  ///< Not all due tasks were planned: the next pass continues.

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
    /// In recovery, the counter at the leadership's start. Tasks of generations up to it stay as
    /// they are. For tasks changed since, only reported copies are replaced.
    std::optional<Generation> held_back = std::nullopt;
    /// Nothing is rescheduled: instances of lost nodes wait, and the planner starts no moves by
    /// itself.
    bool frozen = false;
    bool balance = true;  ///< Only after a closed round, because moves are not urgent.
    Rebalance rebalance = Rebalance::automatic;
    bool rebalance_now = false;  ///< An operator asked.
    /// Moves of the balance that may begin in this pass; others wait for later passes.
    std::uint32_t moves = 1'000;
    /// The balance does not move an instance again before this time is over.
    Duration move_cooldown{};
    /// Instances that may start in this pass; nothing: all that are due.
    std::optional<std::uint32_t> starts{};
    const Leases* leases = nullptr;  ///< For exclusive instances; null: nothing holds them.
    /// Copies that this store never ordered are stopped like surplus ones.
    bool stop_strays = false;
    /// Tasks plus ordinals that are planned; a task is always planned as a whole.
    std::size_t most = std::numeric_limits<std::size_t>::max();
};

/// The state of a task compared with what is wanted.
enum class TaskPhase : std::uint8_t {
    converged,   ///< Each ordinal has one copy of the generation, which runs or ran to its end.
    rolling,     ///< Copies of an older generation are being replaced.
    halted,      ///< The roll-out stopped: a new copy ended before min_healthy.
    backoff,     ///< A copy ended and starts again after a delay.
    recovering,  ///< Not all known nodes have reported, so it is not known what runs.
    placing,     ///< Copies are ordered or being started.
    unplaced,    ///< There is a shortage.
    failed,      ///< A copy has failed.
    stopping,    ///< Copies that are not wanted are still there.
};

struct TaskStatus {
    TaskPhase phase = TaskPhase::converged;
    std::uint32_t wanted = 0;    ///< Wanted ordinals; with every_node, as many as nodes.
    std::uint32_t running = 0;   ///< Ordinals with a running copy, of any generation.
    std::uint32_t starting = 0;  ///< Other ordinals that will run,
    std::uint32_t backoff = 0;   ///< whose copy is in back-off,
    std::uint32_t exited = 0;    ///< has run to its end,
    std::uint32_t failed = 0;    ///< or has failed; the rest is unplaced or not seen yet.
    std::uint32_t rolling = 0;   ///< Ordinals that still have a copy of an older generation.
    std::uint32_t updated = 0;   ///< Ordinals with a healthy copy of the wanted generation.
    std::uint32_t young = 0;     ///< The same, but their copy has not run for min_healthy yet.
    std::optional<Ordinal> halted_by{};  ///< The first ordinal whose copy halts the roll-out.
    std::uint32_t moving = 0;            ///< Ordinals that are moving to another node.
    std::uint32_t stopping = 0;          ///< Copies that are not wanted.
    std::uint32_t strays = 0;            ///< Copies that this store never ordered.
    Shortages shortages;  ///< `recovering` may have count 0: the number is not known.

    /// The largest shortage; its count is 0 if there is none.
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
    std::uint64_t unconverged = 0;  ///< Tasks that are not converged.
    std::uint64_t halted = 0;       ///< Tasks whose roll-out is halted.
    std::uint64_t moves = 0;        ///< Moves between nodes that are not complete.
};

/// An instance that is still on an evacuated node, and why.
struct Blocker {
    InstanceId id;
    Obstacle code{};

    friend bool operator==(const Blocker&, const Blocker&) = default;
};

/// The work of the planner since it began. A pass without changes adds nothing.
struct Effort {
    std::uint64_t balances = 0;     ///< The number of balances.
    std::uint64_t move_checks = 0;  ///< Tasks checked for decided moves that may begin.

    friend bool operator==(const Effort&, const Effort&) = default;
};

/// The verdict and score of a node for one more instance of a task.
struct NodeVerdict {
    NodeIndex node{};
    Verdict verdict{};
    /// What decided: the constraint, the pool, the free amount or the copy. May be empty.
    std::string detail;
    Score score;  ///< The smaller, the better; valid if it fits.
};

/// Where an instance is, and where it should be.
struct InstanceLocation {
    std::optional<NodeIndex> at;    ///< The node of the copy that stays.
    std::optional<NodeIndex> home;  ///< The planned node.
    bool is_to_move = false;        ///< A decided move from `at` to `home` that has not begun.
    std::optional<Instant> rests_until{};  ///< It was moved recently, and stays until then.
    bool runs = false;                     ///< The copy at `at` is reported running.

    friend bool operator==(const InstanceLocation&, const InstanceLocation&) = default;
};

}  // namespace muster::coordinator

template <>
inline constexpr auto muster::enum_names<muster::coordinator::TaskPhase> =
    muster::name_list("converged", "rolling", "halted", "backoff", "recovering", "placing",
                      "unplaced", "failed", "stopping");
