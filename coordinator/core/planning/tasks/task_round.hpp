#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "coordinator/core/planning/pass/choice.hpp"
#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

/// One task's part of a round: what is too many is stopped, what is missing is placed, what is on
/// a node to be left is moved, what is outdated is replaced. Its homes are fresh.
class TaskRound {
public:
    TaskRound(PlannerState& state, TaskIndex index, const Scope& scope, std::vector<Order>& orders);

    void plan();

private:
    /// What recovery leaves of a task's rights.
    enum class Rights : std::uint8_t { none, replace_in_place, all };

    void plan_unwanted();
    void plan_instances(std::ptrdiff_t orders_before);
    void plan_every_node();
    void start_on_every_node();
    void sort_by_name(std::ptrdiff_t from);
    void stop_surplus();
    void stop_duplicates();
    void place_missing();
    /// Places one ordinal now or, if a copy that leaves is in the way, decides where. False: there
    /// is no node for it.
    [[nodiscard]] bool place(Ordinal ordinal, Loads::Cursor& cursor);
    [[nodiscard]] bool defer(Ordinal ordinal);
    void wait_for_place();
    void look_after_troubles();
    void retry_failed();
    [[nodiscard]] const Trouble* trouble_of(Ordinal ordinal) const;
    [[nodiscard]] bool is_troubled(Ordinal ordinal);
    [[nodiscard]] bool is_awaited(Ordinal ordinal);
    [[nodiscard]] bool is_frozen(Ordinal ordinal);
    [[nodiscard]] bool is_leased(Ordinal ordinal);
    [[nodiscard]] bool may_lease(NodeIndex node);
    void wake_for(const Trouble& trouble);
    [[nodiscard]] bool is_shunned_in_place(Ordinal ordinal);
    void evacuate();
    [[nodiscard]] std::optional<Evacuation> why_leave(NodeIndex node) const;
    [[nodiscard]] std::string_view move_off(Ordinal ordinal, const Evacuation& why,
                                            Loads::Cursor& cursor);
    [[nodiscard]] std::uint32_t taken_down() const;
    void roll_out();
    void replace(Ordinal ordinal, std::uint32_t outdated);
    [[nodiscard]] bool surge(Ordinal ordinal);
    void replace_elsewhere(Ordinal ordinal, std::uint32_t outdated);
    void replace_in_place(Ordinal ordinal);
    [[nodiscard]] std::string_view why_unplaced() const;
    [[nodiscard]] bool has_place(NodeIndex node) const;
    [[nodiscard]] bool is_rolling(const Slot& slot) const;
    [[nodiscard]] bool is_replaceable(const Slot& slot) const;
    [[nodiscard]] bool is_down(const Copy& stay) const;
    [[nodiscard]] std::optional<NodeIndex> find_target(const Slot& slot, Loads::Cursor& cursor);
    [[nodiscard]] bool is_of_the_past(const Copy& copy) const;
    [[nodiscard]] bool has_failed_beside(const Copy& copy, const Copy& stay) const;
    [[nodiscard]] Cause cause_to_stop(const Copy& copy, const Copy& stay) const;
    void stop(const Copy& copy, Cause cause);
    void stop_first(Ordinal ordinal, NodeIndex target, Cause cause);
    /// False, and the task is looked at again, once this round has started all that it may.
    [[nodiscard]] bool may_start();
    void start(Ordinal ordinal, NodeIndex node, Cause cause);
    void rehome(Ordinal ordinal, NodeIndex node);
    void fall_short(std::string_view code, std::uint32_t count);

    PlannerState& state_;
    TaskIndex index_;
    const Task& task_;
    const Scope& scope_;
    std::vector<Order>& orders_;
    Rights rights_ = Rights::all;
    std::uint32_t room_ = 0;           // Copies that may yet be added (S7).
    bool makes_room_ = false;          // Some copy is leaving: room is to come.
    std::uint32_t stopped_first_ = 0;  // Ordinals this round takes down, to start them elsewhere.
    bool homes_counted_ = false;       // In the state's `at_home`.
    bool has_no_lease_ = false;        // Some node was passed over whose stamp is awaited.
    bool held_off_ = false;            // Some node was passed over that refused or failed it.
    Loads::Cursor deferred_;
    ClassIndex asks_{};
    std::optional<Choice> choice_;  // If the first node that fits need not be the best.
    Shortages shortages_;
};

}  // namespace muster::coordinator
