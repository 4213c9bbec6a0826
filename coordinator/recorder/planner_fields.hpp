#pragma once

#include <type_traits>
#include <utility>

#include "coordinator/core/planning/pass/planner_state.hpp"
#include "coordinator/recorder/plain_fields.hpp"

namespace muster::coordinator {

/// What the planner remembers, as PlainFields has the rest. What only speeds up looking is made
/// anew from what it is of; what serves within one step is left out.
struct PlannerFields : PlainFields {
    // TODO(clang15): `using` would do; Clang 14 takes templates that differ in what they ask of a
    // type for one, and hides those of the base.
    static void fields(auto& visit, auto& it) requires requires { PlainFields::fields(visit, it); }
    { PlainFields::fields(visit, it); }

    template <class M>
    static constexpr bool is_read = !std::is_const_v<M>;

    /// As const as its owner is.
    template <class Owner, class T>
    static auto& as_owned(const Owner& /*owner*/, T& value) {
        return std::as_const(value);
    }
    template <class Owner, class T>
    static auto& as_owned(Owner& /*owner*/, T& value) {
        return value;
    }

    static void fields(auto& visit, codec::Like<NodeSet> auto& it) {
        auto& [words, summary, count] = it;
        visit("words summary count", words, summary, count);
    }
    static void fields(auto& visit, codec::Like<Homes> auto& it) {
        auto& [homes, loads, version] = it;
        visit("homes loads version", homes, loads, version);
    }
    static void fields(auto& visit, codec::Like<Loads::Facts> auto& it) {
        auto& [load, rank, serving] = it;
        visit("load rank serving", load, rank, serving);
    }
    static void fields(auto& visit, codec::Like<Loads> auto& it) {
        auto& [facts, nodes, levels, serving, least, most, sum, falls] = it;
        visit("facts nodes levels serving least most sum falls", facts, nodes, levels, serving,
              least, most, sum, falls);
    }
    static void fields(auto& visit, codec::Like<Loads::Cursor> auto& it) {
        auto& [load, rank, most] = it;
        visit("load rank most", load, rank, most);
    }
    static void fields(auto& visit, codec::Like<ResourceLedger::Claims> auto& it) {
        auto& [request, nodes] = it;
        visit("request nodes", request, nodes);
    }
    static void fields(auto& visit, codec::Like<ResourceLedger::Room> auto& it) {
        auto& [allowance, use] = it;
        visit("allowance use", allowance, use);
    }
    static void fields(auto& visit, codec::Like<ResourceLedger> auto& it) {
        auto& [rooms, claims, falls, counts_slots] = it;
        visit("rooms claims falls counts_slots", rooms, claims, falls, counts_slots);
    }
    static void fields(auto& visit, codec::Like<Groups::Group> auto& it) {
        auto& [nodes, used] = it;
        visit("nodes used", nodes, used);
    }
    static void fields(auto& visit, codec::Like<Groups::Node> auto& it) {
        auto& [warm, since, instances, is_warm] = it;
        visit("since instances is_warm", since, instances, is_warm);
    }
    static void fields(auto& visit, codec::Like<Groups> auto& it) {
        auto& [groups, by_use, nodes, tasks, uses] = it;
        visit("groups nodes tasks uses", groups, nodes, tasks, uses);
        if constexpr (is_read<std::remove_reference_t<decltype(it)>>) {
            for (auto group = groups.begin(); group != groups.end(); ++group) {
                by_use.emplace(group->second.used, group);
                for (const NodeIndex node : group->second.nodes) {
                    nodes.at(raw(node)).warm = group;
                }
            }
        }
    }
    static void fields(auto& visit, codec::Like<Candidates::Class> auto& it) {
        auto& [rule, key, users, member, among, offers_seen, ranks_seen, is_new, from, falls_seen,
               why, why_serving] = it;
        WantedTask asks{"task", 1, {}, rule};
        visit(
            "asks key users member among offers_seen ranks_seen is_new from falls_seen why "
            "why_serving",
            asks, key, users, member, among, offers_seen, ranks_seen, is_new, from, falls_seen, why,
            why_serving);
        if constexpr (is_read<std::remove_reference_t<decltype(it)>>) {
            rule = std::move(asks.place);
        }
    }
    static void fields(auto& visit, codec::Like<Candidates> auto& it) {
        auto& [placements, homes, ledger, classes, free, by_key, offers, offers_begin,
               ranks_version, is_foreign, foreign] = it;
        visit("classes free by_key offers offers_begin ranks_version is_foreign foreign", classes,
              free, by_key, offers, offers_begin, ranks_version, is_foreign, foreign);
    }
    static void fields(auto& visit, codec::Like<RecentFailures> auto& it) {
        auto& [records] = it;
        visit("records", records);
    }
    static void fields(auto& visit, codec::Like<LabelValues> auto& it) {
        auto& [of, count, offers] = it;
        visit("of count offers", of, count, offers);
    }
    static void fields(auto& visit, codec::Like<TaskList> auto& it) {
        auto& [tasks, listed] = it;
        visit("tasks listed", tasks, listed);
    }
    static void fields(auto& visit, codec::Like<TaskTurns> auto& it) {
        auto& [fresh, turns, queued] = it;
        visit("fresh turns queued", fresh, turns, queued);
    }
    static void fields(auto& visit, codec::Like<DueTasks> auto& it) {
        auto& [workload, due, short_of_nodes, short_of_room, in_recovery, in_freeze, wakes] = it;
        visit("due short_of_nodes short_of_room in_recovery in_freeze wakes", due, short_of_nodes,
              short_of_room, in_recovery, in_freeze, wakes);
    }
    static void fields(auto& visit, codec::Like<TaskStatuses::Recorded> auto& it) {
        auto& [status, counts] = it;
        visit("status counts", status, counts);
    }
    static void fields(auto& visit, codec::Like<TaskStatuses> auto& it) {
        auto& [workload, placements, held_back, tasks, stale, is_behind, unplaced, short_tasks,
               totals, shortages] = it;
        visit("held_back tasks stale is_behind unplaced short_tasks totals shortages", held_back,
              tasks, stale, is_behind, unplaced, short_tasks, totals, shortages);
    }
    static void fields(auto& visit, codec::Like<Places::PerTask> auto& it) {
        auto& [moves, claims] = it;
        visit("moves claims", moves, claims);
    }
    static void fields(auto& visit, codec::Like<Places> auto& it) {
        auto& [workload, placements, homes, ledger, groups, moves, tasks, falls_seen] = it;
        visit("homes ledger groups moves tasks falls_seen", homes, ledger, groups, moves, tasks,
              falls_seen);
    }
    static void fields(auto& visit, codec::Like<Requirements::PerTask> auto& it) {
        auto& [asks, ruled] = it;
        visit("asks ruled", asks, ruled);
    }
    static void fields(auto& visit, codec::Like<Requirements> auto& it) {
        auto& [workload, placements, candidates, tasks, ruled_tasks, label_columns] = it;
        visit("candidates tasks ruled_tasks label_columns", candidates, tasks, ruled_tasks,
              label_columns);
    }
    static void fields(auto& visit, codec::Like<InstanceNotes> auto& it) {
        auto& [deferred, on_lost_nodes, blocked] = it;
        visit("deferred on_lost_nodes blocked", deferred, on_lost_nodes, blocked);
    }
    static void fields(auto& visit, codec::Like<Moves> auto& it) {
        auto& [workload, placements, places, requirements, due, statuses, deferred, turns, movable,
               may_be_evener, balanced_homes, balances] = it;
        visit("turns movable may_be_evener balanced_homes balances", turns, movable, may_be_evener,
              balanced_homes, balances);
    }
    static void fields(auto& visit, codec::Like<MoveQueue> auto& it) {
        auto& [workload, placements, places, requirements, moves, due, scratch, resting, rests,
               looks] = it;
        visit("resting rests looks", resting, rests, looks);
    }
    static void fields(auto& visit, codec::Like<PlannerState> auto& it) {
        auto& [workload, placements, places, requirements, due, statuses, failures, notes, moves,
               move_queue, scratch, names_version] = it;
        visit("places requirements due statuses failures notes moves move_queue names_version",
              places, requirements, due, statuses, failures, notes, moves, move_queue,
              names_version);
    }
    static void fields(auto& visit, codec::Like<Planner> auto& it) {
        auto& [state] = it;
        fields(visit, as_owned(it, *state));
    }
};

}  // namespace muster::coordinator
