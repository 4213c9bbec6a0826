#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "coordinator/core/planning/index/by_instance.hpp"
#include "coordinator/core/planning/index/groups.hpp"
#include "coordinator/core/planning/index/homes.hpp"
#include "coordinator/core/planning/index/resource_ledger.hpp"
#include "coordinator/core/planning/pass/reading.hpp"

namespace muster::coordinator {

/// Where each wanted instance is, or is to be, at home; and what follows from it: the loads of
/// nodes, what is taken of their resources, and the groups that they run.
///
/// A move of the balance changes the home when it is decided, so load counts it at once. What it
/// takes of its target it takes when it begins: what is wanted and runs nowhere may come first.
class Places {
public:
    using Decided = ByInstance<NodeIndex>;

    Places(const Workload& workload, const Placements& placements)
        : workload_{workload}, placements_{placements} {}

    [[nodiscard]] NodeIndex home(TaskIndex index, Ordinal ordinal) const {
        return homes_.of(index, ordinal);
    }
    [[nodiscard]] const Homes& homes() const { return homes_; }
    [[nodiscard]] const Loads& loads() const { return homes_.loads(); }
    [[nodiscard]] const ResourceLedger& ledger() const { return ledger_; }
    [[nodiscard]] const Groups& groups() const { return groups_; }

    // ---- nodes ----
    /// Nodes came or went.
    void on_names_changed() { homes_.loads().set_nodes(placements_.nodes().by_name()); }
    void on_serving_changed(NodeIndex node);
    /// The node came or went, or offers something else.
    void on_offer_changed(NodeIndex node);

    // ---- a task that is read ----
    /// The task has this many ordinals.
    void resize(TaskIndex index, std::uint32_t ordinals) { homes_.resize(index, ordinals); }
    /// Until the task's claims are stated again, only load follows it.
    void assume_home(TaskIndex index, Ordinal ordinal, NodeIndex node) {
        homes_.set(index, ordinal, node);
    }
    /// States what the task's instances take, by its copies and homes. True: some node has more
    /// room than before.
    bool restate(TaskIndex index, const Reading& reading);
    /// Nothing is left of the task.
    void forget(TaskIndex index);

    // ---- while a pass decides ----
    void set_home(TaskIndex index, Ordinal ordinal, NodeIndex node);
    /// Where the task's instances are at home, counted by node.
    void count_homes(TaskIndex index, std::uint32_t instances, Tally<NodeIndex>& into) const;
    /// The room of the target of a move, and its group; until it is given up or the task is read.
    void take_place(TaskIndex index, NodeIndex target);
    void give_up_place(TaskIndex index, NodeIndex target);

    // ---- moves that are decided and have not begun ----
    void decide(TaskIndex index, Ordinal ordinal, NodeIndex target);
    /// The move is over or off; the instance is at home where it stays, if it does.
    Decided::const_iterator drop(Decided::const_iterator move, std::optional<NodeIndex> stays_on);
    [[nodiscard]] const Decided& moves() const { return moves_; }
    [[nodiscard]] bool is_any_to_move(TaskIndex index) const {
        return raw(index) < tasks_.size() && tasks_[raw(index)].moves > 0;
    }
    [[nodiscard]] bool is_to_move(TaskIndex index, Ordinal ordinal) const {
        return is_any_to_move(index) && moves_.contains({index, ordinal});
    }

    // ---- room that became free ----
    /// Some node has more room than at the last call.
    [[nodiscard]] bool take_room_growth();
    /// What was only taken for a while makes no node have more room than it had.
    void disregard_growth(std::uint64_t falls) { falls_seen_ += falls; }

private:
    friend struct CoreFields;

    struct PerTask {
        std::uint32_t moves = 0;  // Decided.
        bool claims = false;      // What it takes of its nodes is kept in the ledger.
    };

    PerTask& at(TaskIndex index) { return made_at(tasks_, index); }
    bool restate_claims(TaskIndex index, const Reading& reading);
    void restate_group(TaskIndex index, const Reading& reading);
    void add_homes(TaskIndex index, const Reading& reading, std::vector<NodeIndex>& nodes) const;

    const Workload& workload_;
    const Placements& placements_;
    Homes homes_;
    ResourceLedger ledger_;
    Groups groups_;
    Decided moves_;  // With their targets.
    std::vector<PerTask> tasks_;
    std::uint64_t falls_seen_ = 0;
};

}  // namespace muster::coordinator
