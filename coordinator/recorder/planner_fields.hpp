#pragma once

#include "coordinator/core/planning/pass/planner_state.hpp"
#include "coordinator/recorder/members.hpp"
#include "coordinator/recorder/plain_fields.hpp"

namespace muster::coordinator {

/// What the planner remembers, as PlainFields has the rest. What only speeds up looking is made
/// anew from what it is of.
struct CoreFields::OfPlanner : PlainFields {
    using PlainFields::names;

    static constexpr auto names(const NodeSet*) { return "words summary count"; }
    static constexpr auto names(const Homes*) { return "homes loads version"; }
    static constexpr auto names(const Loads::Facts*) { return "load rank serving"; }
    static constexpr auto names(const Loads*) {
        return "facts nodes levels serving least most sum falls";
    }
    static constexpr auto names(const Loads::Cursor*) { return "load rank most"; }
    static constexpr auto names(const ResourceLedger::Claims*) { return "request nodes"; }
    static constexpr auto names(const ResourceLedger::Room*) { return "allowance use"; }
    static constexpr auto names(const ResourceLedger*) { return "rooms claims falls counts_slots"; }
    static constexpr auto names(const Groups::Group*) { return "nodes used"; }
    static constexpr auto names(const Groups::Node*) { return "-warm since instances is_warm"; }
    static constexpr auto names(const Groups*) { return "groups -by_use nodes tasks uses"; }
    static void make_anew(Groups& it) {
        for (auto group = it.groups_.begin(); group != it.groups_.end(); ++group) {
            it.by_use_.emplace(group->second.used, group);
            for (const NodeIndex node : group->second.nodes) {
                it.nodes_.at(raw(node)).warm = group;
            }
        }
    }
    static constexpr auto names(const Candidates*) {
        return "-placements -homes -ledger classes free by_key offers offers_begin ranks_version "
               "is_foreign foreign";
    }
    static constexpr auto names(const RecentFailures*) { return "records"; }
    static constexpr auto names(const LabelValues*) { return "of count offers"; }
    static constexpr auto names(const TaskList*) { return "tasks listed"; }
    static constexpr auto names(const TaskTurns*) { return "fresh turns queued"; }
    static constexpr auto names(const DueTasks*) {
        return "-workload due short_of_nodes short_of_room in_recovery in_freeze wakes";
    }
    static constexpr auto names(const TaskStatuses::Recorded*) { return "status counts"; }
    static constexpr auto names(const TaskStatuses*) {
        return "-workload -placements held_back tasks stale is_behind unplaced short_tasks totals "
               "shortages";
    }
    static constexpr auto names(const Places::PerTask*) { return "moves claims"; }
    static constexpr auto names(const Places*) {
        return "-workload -placements homes ledger groups moves tasks falls_seen";
    }
    static constexpr auto names(const Requirements::PerTask*) { return "asks ruled"; }
    static constexpr auto names(const Requirements*) {
        return "-workload -placements candidates tasks ruled_tasks label_columns";
    }
    static constexpr auto names(const InstanceNotes*) { return "deferred on_lost_nodes blocked"; }
    static constexpr auto names(const Moves*) {
        return "-workload -placements -places -requirements -due -statuses -deferred turns "
               "movable may_be_evener balanced_homes balances";
    }
    static constexpr auto names(const MoveQueue*) { return "resting rests looks"; }
    static constexpr auto names(const PlannerState*) {
        return "-workload -placements places requirements due statuses failures notes moves "
               "move_queue -scratch names_version";
    }
};

}  // namespace muster::coordinator
