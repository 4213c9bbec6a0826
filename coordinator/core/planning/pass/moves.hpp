#pragma once

#include <cstdint>
#include <vector>

#include "coordinator/core/planning/pass/due_tasks.hpp"
#include "coordinator/core/planning/pass/requirements.hpp"
#include "coordinator/core/planning/pass/task_statuses.hpp"

namespace muster::coordinator {

/// The moves of the balance that are decided and have not begun: which may be made, which hold, and
/// when a balance is due.
class Moves {
public:
    using Decided = Places::Decided;

    /// `deferred`: missing instances that keep a place, which a move may have made.
    Moves(const Workload& workload, const Placements& placements, Places& places,
          const Requirements& requirements, DueTasks& due, const TaskStatuses& statuses,
          const ByInstance<NodeIndex>& deferred)
        : workload_{workload},
          placements_{placements},
          places_{places},
          requirements_{requirements},
          due_{due},
          statuses_{statuses},
          deferred_{deferred} {}

    void decide(TaskIndex task, Ordinal ordinal, NodeIndex target);
    /// The copy runs as wanted and may be moved, if it is the one that stays.
    [[nodiscard]] bool is_movable(const Task& task, const Copy& stay) const;
    /// The copy of the ordinal that stays, if it runs as wanted and may be moved.
    [[nodiscard]] const Copy* movable(TaskIndex index, Ordinal ordinal) const;
    /// Its target has room for it, and is not the fuller node of the two.
    [[nodiscard]] bool is_worth_it(const Decided::value_type& move) const;

    /// The decided move is off; its instance stays where it is.
    Decided::const_iterator revoke(Decided::const_iterator move);
    void revoke(TaskIndex index, Ordinal ordinal) {
        revoke(places_.moves().find({index, ordinal}));
    }
    void revoke_all();
    void revoke_all(TaskIndex index);
    /// Those of the task that have begun, or cannot any more.
    void revoke_void(TaskIndex index);
    /// Those whose target does not serve or suit any more.
    void revoke_unsuited();
    /// Those of the task whose target was given to another instance, which came first. `at_home` is
    /// overwritten.
    void revoke_crowded(TaskIndex index, Tally<NodeIndex>& at_home);

    /// So many of the task's copies may be moved now.
    void on_read(TaskIndex index, std::uint32_t movable);
    void forget(TaskIndex index);

    /// A home, a copy that may be moved or the set of serving nodes changed since an even spread
    /// was sought last, or running copies might not be moved then. What could not be had then
    /// cannot be had now otherwise.
    [[nodiscard]] bool is_balance_due(bool moves) const {
        return may_be_evener_ || (moves && !last_.by_moves) ||
               places_.homes().version() != last_.homes;
    }
    /// Something other than a home changed.
    void may_be_evener() { may_be_evener_ = true; }
    void on_balanced(bool moves);
    /// How often an even spread was sought.
    [[nodiscard]] std::uint64_t balances() const { return balances_; }
    /// Tasks whose decided moves are to be looked at.
    [[nodiscard]] TaskTurns& turns() { return turns_; }

private:
    friend struct CoreFields;

    /// An even spread, as it was sought last.
    struct Balancing {
        std::uint64_t homes = 0;  // Their version then.
        bool by_moves = false;    // Running copies might be moved.
    };
    using DecidedRange = std::pair<Decided::const_iterator, Decided::const_iterator>;
    [[nodiscard]] DecidedRange all() const {
        return {places_.moves().begin(), places_.moves().end()};
    }
    void revoke_unless(const DecidedRange& moves, const auto& holds);
    [[nodiscard]] bool suits(const Decided::value_type& move) const;

    const Workload& workload_;
    const Placements& placements_;
    Places& places_;
    const Requirements& requirements_;
    DueTasks& due_;
    const TaskStatuses& statuses_;
    const ByInstance<NodeIndex>& deferred_;
    TaskTurns turns_;
    std::vector<std::uint32_t> movable_;  // By TaskIndex: ordinals that a balance could move.
    bool may_be_evener_ = false;
    Balancing last_;
    std::uint64_t balances_ = 0;
};

}  // namespace muster::coordinator
