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

/// The home of each wanted instance, and what follows from it: the loads of nodes, their reserved
/// resources, and the groups that they run.
///
/// A move of the balance changes the home when it is decided, so the load counts it at once. It
/// reserves resources of its target only when it begins, so that missing instances come first.
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
    /// Nodes were added or removed.
    void on_names_changed() { homes_.loads().set_nodes(placements_.nodes().by_name()); }
    void on_serving_changed(NodeIndex node);
    /// The node was added or removed, or its offer changed.
    void on_offer_changed(NodeIndex node);

    // ---- a task that is read ----
    /// The task has this many ordinals.
    void resize(TaskIndex index, std::uint32_t ordinals) { homes_.resize(index, ordinals); }
    /// Sets a home and the load only. The claims follow with the next set_claims().
    void assume_home(TaskIndex index, Ordinal ordinal, NodeIndex node) {
        homes_.set(index, ordinal, node);
    }
    /// Sets what the task's instances reserve, by its copies and homes. True: some node has more
    /// room than before.
    bool set_claims(TaskIndex index, const Reading& reading);
    /// The task has no copies or homes any more.
    void forget(TaskIndex index);

    // ---- while a pass decides ----
    void set_home(TaskIndex index, Ordinal ordinal, NodeIndex node);
    /// Counts the homes of the task's instances by node.
    void count_homes(TaskIndex index, std::uint32_t instances, Tally<NodeIndex>& into) const;
    /// Reserves room on the target of a move, until it is given up or the task is read.
    void take_place(TaskIndex index, NodeIndex target);
    void give_up_place(TaskIndex index, NodeIndex target);

    // ---- moves that are decided and have not begun ----
    void decide(TaskIndex index, Ordinal ordinal, NodeIndex target);
    /// The move is complete or cancelled. `stays_on`: the home of the instance then, if any.
    Decided::const_iterator drop(Decided::const_iterator move, std::optional<NodeIndex> stays_on);
    [[nodiscard]] const Decided& moves() const { return moves_; }
    [[nodiscard]] bool is_any_to_move(TaskIndex index) const {
        return raw(index) < tasks_.size() && tasks_[raw(index)].moves > 0;
    }
    [[nodiscard]] bool is_to_move(TaskIndex index, Ordinal ordinal) const {
        return is_any_to_move(index) && moves_.contains({index, ordinal});
    }

    // ---- room that became free ----
    /// True if some node has more room than at the last call.
    [[nodiscard]] bool take_room_growth();
    /// Ignores room that was only reserved for a while and released again.
    void ignore_room_growth(std::uint64_t falls) { falls_seen_ += falls; }

private:
    friend struct CoreFields;

    struct PerTask {
        std::uint32_t moves = 0;  // Decided moves.
        bool claims = false;      // Its claims are in the ledger.
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
    Decided moves_;  // Decided moves with their targets.
    std::vector<PerTask> tasks_;
    std::uint64_t falls_seen_ = 0;
};

}  // namespace muster::coordinator
