#pragma once

#include <cstdint>
#include <vector>

#include "coordinator/core/planning/pass/due_tasks.hpp"
#include "coordinator/core/planning/pass/requirements.hpp"
#include "coordinator/core/planning/pass/task_statuses.hpp"

namespace muster::coordinator {

/// The moves of the balance that are decided and have not begun: which are allowed, which are still
/// valid, and when a balance is due.
class Moves {
public:
    using Decided = Places::Decided;

    /// `deferred`: missing instances with a reserved place, which a move may have freed.
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
    /// The copy runs in the wanted generation and may be moved, if it is the copy that stays.
    [[nodiscard]] bool is_movable(const Task& task, const Copy& kept) const;
    /// The copy of the ordinal that stays, if it is movable.
    [[nodiscard]] const Copy* movable(TaskIndex index, Ordinal ordinal) const;
    /// The target has room for the instance, and is not the fuller of the two nodes.
    [[nodiscard]] bool is_worth_it(const Decided::value_type& move) const;

    /// Cancels a decided move; its instance stays where it is.
    Decided::const_iterator revoke(Decided::const_iterator move);
    void revoke(TaskIndex index, Ordinal ordinal) {
        revoke(places_.moves().find({index, ordinal}));
    }
    void revoke_all();
    void revoke_all(TaskIndex index);
    /// Revokes moves of the task that have begun or are no longer possible.
    void revoke_void(TaskIndex index);
    /// Revokes moves whose target no longer serves or suits.
    void revoke_unsuited();
    /// Revokes moves of the task whose target another instance got first. `at_home` is overwritten.
    void revoke_crowded(TaskIndex index, Tally<NodeIndex>& at_home);

    /// This many of the task's copies are movable now.
    void on_read(TaskIndex index, std::uint32_t movable);
    /// None of the task's copies is movable until it is read again.
    void forget(TaskIndex index);

    /// True if a home, a movable copy or the set of serving nodes changed since the last balance,
    /// or if that balance could not move running copies. Otherwise a new balance cannot do better.
    [[nodiscard]] bool is_balance_due(bool moves) const {
        return balance_may_improve_ || (moves && !last_.by_moves) ||
               places_.homes().version() != last_.homes;
    }
    /// Something other than a home changed, so a balance may do better.
    void note_balance_change() { balance_may_improve_ = true; }
    void on_balanced(bool moves);
    /// The number of balances so far.
    [[nodiscard]] std::uint64_t balances() const { return balances_; }
    /// Tasks whose decided moves must be checked.
    [[nodiscard]] TaskTurns& turns() { return turns_; }

private:
    friend struct CoreFields;

    /// The last balance.
    struct Balancing {
        std::uint64_t homes = 0;  // Their version at that time.
        bool by_moves = false;    // It could move running copies.
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
    bool balance_may_improve_ = false;
    Balancing last_;
    std::uint64_t balances_ = 0;
};

}  // namespace muster::coordinator
