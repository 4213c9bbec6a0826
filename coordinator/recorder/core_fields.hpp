#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "coordinator/core/coordinator.hpp"
#include "coordinator/core/rooms.hpp"
#include "coordinator/recorder/planner_fields.hpp"

namespace muster::coordinator {

/// The whole mind of the core, as PlainFields has the rest. Values are read into a core that has
/// just begun, from an empty store.
struct CoreFields : PlannerFields {
    // TODO(clang15): `using` would do; Clang 14 takes templates that differ in what they ask of a
    // type for one, and hides those of the base.
    static void fields(auto& visit, auto& it) requires requires {
        PlannerFields::fields(visit, it);
    }
    { PlannerFields::fields(visit, it); }

    /// As const as the core is.
    static auto& state_of(auto& core) { return as_owned(core, *core.rooms_); }
    static const NodeRegistry& nodes_of(const Coordinator& core) { return core.rooms_->in_.nodes; }

    // ---- nodes ----

    template <class Part, class Whole>
    static auto& part(Whole& whole) {
        return static_cast<std::conditional_t<std::is_const_v<Whole>, const Part, Part>&>(whole);
    }
    /// A part that is not named here does not compile, as a member that is not named.
    struct OneMore {
        template <class Part>
        operator Part() const;
    };
    template <class Whole, class... Parts>
    static constexpr bool is_made_of = requires {
        Whole{Parts{}...};
    }
    &&!requires { Whole{Parts{}..., OneMore{}}; };

    static void fields(auto& visit, codec::Like<AgentFacts> auto& it) {
        static_assert(is_made_of<AgentFacts, HelloFacts, AnswerFacts>);
        auto& [version, claim, limits, capacity_from] = part<HelloFacts>(it);
        auto& [last_answer, host, vitals, clock_ahead] = part<AnswerFacts>(it);
        visit("version claim limits capacity_from last_answer host vitals clock_ahead", version,
              claim, limits, capacity_from, last_answer, host, vitals, clock_ahead);
    }
    static void fields(auto& visit, codec::Like<Node> auto& it) {
        static_assert(is_made_of<Node, RegistryFacts, LifecycleFacts, LifeFacts, ConflictFacts,
                                 PollFacts, SilenceFacts, RecoveryFacts, ObedienceFacts,
                                 ReadinessFacts, CopyFacts, RowFacts, SaidFacts>);
        auto& [name, session, issued, from_store, counts_toward_freeze, touched] =
            part<RegistryFacts>(it);
        auto& [lost, gone, able, ahead, penalty_until, intent, admission, since] =
            part<LifecycleFacts>(it);
        auto& [incarnation, life, left_instances_running] = part<LifeFacts>(it);
        auto& [contested] = part<ConflictFacts>(it);
        auto& [asked, asked_issued, answered_in, asked_at_start, awaiting, misses, route_misses,
               silent_routes] = part<PollFacts>(it);
        auto& [unschedulable] = part<SilenceFacts>(it);
        auto& [awaited] = part<RecoveryFacts>(it);
        auto& [disobeyed] = part<ObedienceFacts>(it);
        auto& [stale_checks] = part<ReadinessFacts>(it);
        auto& [held, settled, reported, vanished] = part<CopyFacts>(it);
        auto& [durable, row_pending, forgetting] = part<RowFacts>(it);
        auto& [said] = part<SaidFacts>(it);
        visit(
            "name session issued from_store counts_toward_freeze touched lost gone able ahead "
            "penalty_until intent admission since incarnation life left_instances_running "
            "contested asked asked_issued answered_in asked_at_start awaiting misses route_misses "
            "silent_routes unschedulable awaited disobeyed stale_checks held settled reported "
            "vanished durable row_pending forgetting said",
            name, session, issued, from_store, counts_toward_freeze, touched, lost, gone, able,
            ahead, penalty_until, intent, admission, since, incarnation, life,
            left_instances_running, contested, asked, asked_issued, answered_in, asked_at_start,
            awaiting, misses, route_misses, silent_routes, unschedulable, awaited, disobeyed,
            stale_checks, held, settled, reported, vanished, durable, row_pending, forgetting,
            said);
    }
    static void fields(auto& visit, codec::Like<NodeRegistry> auto& it) {
        auto& [slots, free, by_name, by_session, poll_set, touched, deadlines, changes_seen,
               unknown_senders, forgotten_sequences] = it;
        if constexpr (is_read<std::remove_reference_t<decltype(it)>>) {
            by_name.clear();
        }
        visit(
            "slots free poll_set touched deadlines changes_seen unknown_senders "
            "forgotten_sequences",
            slots, free, poll_set, touched, deadlines, changes_seen, unknown_senders,
            forgotten_sequences);
        if constexpr (is_read<std::remove_reference_t<decltype(it)>>) {
            it.each([&names = by_name, &sessions = by_session](NodeIndex index, const Node& node) {
                names.insert(index);
                if (node.session) {
                    sessions.emplace(*node.session, index);
                }
            });
        }
    }
    static void fields(auto& visit, codec::Like<Refusals::Refusal> auto& it) {
        auto& [name, last] = it;
        visit("name last", name, last);
    }
    static void fields(auto& visit, codec::Like<Refusals> auto& it) {
        auto& [last, total, told, told_since] = it;
        visit("last total told told_since", last, total, told, told_since);
    }
    static void fields(auto& visit, codec::Like<Deadlines::Due> auto& it) {
        auto& [at, node, kind] = it;
        visit("at node kind", at, node, kind);
    }
    static void fields(auto& visit, codec::Like<Deadlines> auto& it) {
        auto& [queue, of_node] = it;
        visit("queue of_node", queue, of_node);
    }
    static void fields(auto& visit, codec::Like<FlapScore::Contribution> auto& it) {
        auto& [times, last] = it;
        visit("times last", times, last);
    }
    static void fields(auto& visit, codec::Like<FlapScore> auto& it) {
        auto& [score, relapses, since, penalty_ends, suspended, contributions] = it;
        visit("score relapses since penalty_ends suspended contributions", score, relapses, since,
              penalty_ends, suspended, contributions);
    }
    static void fields(auto& visit, codec::Like<NameConflicts::Conflict> auto& it) {
        auto& [node, until] = it;
        visit("node until", node, until);
    }
    static void fields(auto& visit, codec::Like<NameConflicts> auto& it) {
        auto& [nodes, open] = it;
        visit("open", open);
    }

    // ---- tasks and copies ----

    static void fields(auto& visit, codec::Like<Task> auto& it) {
        auto& [name, wanted, instances, spec, place, digest, generation, created, bound] = it;
        // Its wire form needs a name, which a slot that is free has not.
        WantedTask as_wanted{"task", 1, spec, place};
        visit("name wanted instances as_wanted digest generation created bound", name, wanted,
              instances, as_wanted, digest, generation, created, bound);
        if constexpr (is_read<std::remove_reference_t<decltype(it)>>) {
            spec = std::move(as_wanted.spec);
            place = std::move(as_wanted.place);
        }
    }
    static void fields(auto& visit, codec::Like<Workload> auto& it) {
        auto& [names, tasks, touched, touched_list, free, by_name, wanted_count, counter] = it;
        visit("names tasks touched touched_list free wanted_count counter", names, tasks, touched,
              touched_list, free, wanted_count, counter);
        if constexpr (is_read<std::remove_reference_t<decltype(it)>>) {
            for (std::uint32_t at = 0; at < names.size(); ++at) {
                if (!names[at].empty()) {
                    by_name.emplace(names[at], TaskIndex{at});
                }
            }
        }
    }
    static void fields(auto& visit, codec::Like<Copy> auto& it) {
        auto& [generation, started, ordinal, node, state, origin, orders, reported, faulty,
               erased] = it;
        // Bits have no address.
        auto& [starting, stopping, moving, replacing, taken_down] = orders;
        std::array<bool, 8> facts{reported,  starting,   stopping, moving,
                                  replacing, taken_down, faulty,   erased};
        visit("generation started ordinal node state origin facts", generation, started, ordinal,
              node, state, origin, facts);
        if constexpr (is_read<std::remove_reference_t<decltype(it)>>) {
            reported = facts[0];
            starting = facts[1];
            stopping = facts[2];
            moving = facts[3];
            replacing = facts[4];
            taken_down = facts[5];
            faulty = facts[6];
            erased = facts[7];
        }
    }
    static void fields(auto& visit, codec::Like<NodeTable::Entry> auto& it) {
        auto& [name, present, serving, commandable, counted, flipped, evacuation, offer] = it;
        visit("name present serving commandable counted flipped evacuation offer", name, present,
              serving, commandable, counted, flipped, evacuation, offer);
    }
    static void fields(auto& visit, codec::Like<NodeTable> auto& it) {
        auto& [nodes, by_name, names_sorted, names_gone, evacuating, flipped, offered,
               names_version] = it;
        visit("nodes by_name names_sorted names_gone evacuating flipped offered names_version",
              nodes, by_name, names_sorted, names_gone, evacuating, flipped, offered,
              names_version);
    }
    static void fields(auto& visit, codec::Like<ReportedInstances> auto& it) {
        auto& [workload, nodes, details] = it;
        visit("nodes details", nodes, details);
    }
    static void fields(auto& visit, codec::Like<CopyTable::Entry> auto& it) {
        auto& [copies, sorted, references, holed, touched] = it;
        visit("copies sorted references holed touched", copies, sorted, references, holed, touched);
    }
    static void fields(auto& visit, codec::Like<CopyTable> auto& it) {
        auto& [workload, tasks, touched] = it;
        visit("tasks touched", tasks, touched);
    }
    static void fields(auto& visit, codec::Like<OrdersInFlight::Lapsed> auto& it) {
        auto& [task, generation, ordinal] = it;
        visit("task generation ordinal", task, generation, ordinal);
    }
    static void fields(auto& visit, codec::Like<OrdersInFlight::InFlight> auto& it) {
        auto& [order, sequence, obeyed] = it;
        auto& [action, cause, task, ordinal, node, generation] = order;
        visit("action cause task ordinal node generation sequence obeyed", action, cause, task,
              ordinal, node, generation, sequence, obeyed);
    }
    static void fields(auto& visit, codec::Like<OrdersInFlight::OfNode> auto& it) {
        auto& [in_flight, lapsed] = it;
        visit("in_flight lapsed", in_flight, lapsed);
    }
    static void fields(auto& visit, codec::Like<OrdersInFlight> auto& it) {
        auto& [workload, table, reported, copies, nodes, count, outcomes] = it;
        visit("nodes count outcomes", nodes, count, outcomes);
    }
    static void fields(auto& visit, codec::Like<Placements> auto& it) {
        auto& [workload, nodes, reported, copies, orders] = it;
        visit("nodes reported copies orders", nodes, reported, copies, orders);
    }
    static void fields(auto& visit, codec::Like<Leases::Stamp> auto& it) {
        auto& [boot, came, from] = it;
        visit("boot came from", boot, came, from);
    }
    static void fields(auto& visit, codec::Like<Leases::PerNode> auto& it) {
        auto& [latest, settled, over] = it;
        visit("latest settled over", latest, settled, over);
    }
    static void fields(auto& visit, codec::Like<Leases> auto& it) {
        auto& [length, over_after, earlier_over, reported, nodes, holds, tokens] = it;
        visit("length over_after earlier_over reported nodes holds tokens", length, over_after,
              earlier_over, reported, nodes, holds, tokens);
    }
    static void fields(auto& visit, codec::Like<Commands::Given> auto& it) {
        auto& [task, generation] = it;
        visit("task generation", task, generation);
    }
    static void fields(auto& visit, codec::Like<Commands> auto& it) {
        auto& [nodes, workload, placements, given, filling, commands, spec_bytes] = it;
        visit("given", given);
    }

    // ---- terms, and who leads ----

    static void fields(auto& visit, codec::Like<PollRounds> auto& it) {
        auto& [nodes, length, term, started, open, expedited, awaited, answered] = it;
        visit("length term started open expedited awaited answered", length, term, started, open,
              expedited, awaited, answered);
    }
    static void fields(auto& visit, codec::Like<OwnHealth> auto& it) {
        auto& [term, worst, patience, owed, owed_since, sockets_ill, degraded_reason] = it;
        visit("term worst patience owed owed_since sockets_ill degraded_reason", term, worst,
              patience, owed, owed_since, sockets_ill, degraded_reason);
    }
    static void fields(auto& visit, codec::Like<LossRate> auto& it) {
        auto& [percent, burst, tokens] = it;
        visit("percent burst tokens", percent, burst, tokens);
    }
    static void fields(auto& visit, codec::Like<Freeze::Past> auto& it) {
        auto& [at, silent, excused, served, kept] = it;
        visit("at silent excused served kept", at, silent, excused, served, kept);
    }
    static void fields(auto& visit, codec::Like<Freeze> auto& it) {
        auto& [on, by_operator, calm, pasts] = it;
        visit("on by_operator calm pasts", on, by_operator, calm, pasts);
    }
    static void fields(auto& visit, codec::Like<Recovery> auto& it) {
        auto& [nodes, grace_ends, counter, awaited, runs] = it;
        visit("grace_ends counter awaited runs", grace_ends, counter, awaited, runs);
    }
    static void fields(auto& visit, codec::Like<Histogram> auto& it) {
        auto& [counts, sum_us] = it;
        visit("counts sum_us", counts, sum_us);
    }
    static void fields(auto& visit, codec::Like<Counters> auto& it) {
        auto& [terms, misses, starts, stops, moves, last, term] = it;
        visit("terms misses starts stops moves last term", terms, misses, starts, stops, moves,
              last, term);
    }

    // ---- what operators decided and ask ----

    /// Rows on their way: where each was written first is a place in the map.
    template <class Row>
    struct Written {
        std::string name;
        std::uint64_t number = 0;
        Row row{};
    };
    template <class Row>
    static void fields(auto& visit, Written<Row>& it) {
        visit("name number row", it.name, it.number, it.row);
    }
    template <class Row>
    static void fields(auto& visit, const Written<Row>& it) {
        visit("name number row", it.name, it.number, it.row);
    }
    template <class Row>
    static void fields(auto& visit, const Overlay<Row>& it) {
        auto& [rows, written] = it;
        std::vector<Written<Row>> entries;
        for (const auto& [name, entry] : rows) {
            entries.push_back({name, entry.number, entry.row});
        }
        std::vector<std::pair<std::uint64_t, std::string>> order;
        order.reserve(written.size());
        for (const auto& [number, place] : written) {
            order.emplace_back(number, place->first);
        }
        visit("rows written", entries, order);
    }
    template <class Row>
    static void fields(auto& visit, Overlay<Row>& it) {
        auto& [rows, written] = it;
        std::vector<Written<Row>> entries;
        std::vector<std::pair<std::uint64_t, std::string>> order;
        visit("rows written", entries, order);
        for (auto& [name, number, row] : entries) {
            rows.emplace(std::move(name), typename Overlay<Row>::Entry{number, std::move(row)});
        }
        for (const auto& [number, name] : order) {
            if (const auto place = rows.find(name); place != rows.end()) {
                written.emplace_back(number, place);
            }
        }
    }
    static void fields(auto& visit, IsA<Proposal> auto& it) {
        auto& [row, ends] = it;
        visit("row ends", row, ends);
    }
    static void fields(auto& visit, IsA<DurableRows> auto& it) {
        auto& [rows] = it;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(it)>, DurableRows<StoredTask>>) {
            visit("");  // They are the workload's.
        } else {
            visit("rows", rows);
        }
    }
    static void fields(auto& visit, IsA<RowCount> auto& it) {
        if constexpr (requires { it.listed; }) {
            auto& [listed, removed] = it;
            visit("listed removed", listed, removed);
        } else if constexpr (requires { it.tasks; }) {
            auto& [tasks, instances] = it;
            visit("tasks instances", tasks, instances);
        } else {
            visit("");
        }
    }
    static void fields(auto& visit, IsA<Table> auto& it) {
        auto& [durable, proposals, now, soon] = it;
        visit("durable proposals now soon", durable, proposals, now, soon);
    }
    static void fields(auto& visit, codec::Like<RemovedTasks> auto& it) {
        auto& [changes, order] = it;
        visit("changes order", changes, order);
    }
    static void fields(auto& visit, codec::Like<ReplyCache::Answer> auto& it) {
        auto& [reply, asked] = it;
        visit("reply asked", reply, asked);
    }
    static void fields(auto& visit, codec::Like<ReplyCache> auto& it) {
        auto& [answers, proposed, weight, proposed_horizon] = it;
        visit("answers proposed weight proposed_horizon", answers, proposed, weight,
              proposed_horizon);
    }
    static void fields(auto& visit, codec::Like<Pending> auto& it) {
        auto& [proposed, writes, last_number, tickets, weight] = it;
        visit("proposed writes last_number tickets weight", proposed, writes, last_number, tickets,
              weight);
    }
    static void fields(auto& visit, codec::Like<Waits::Wait> auto& it) {
        auto& [ticket, id, pattern, deadline, after, chosen, tasks, standing_before, refusal] = it;
        visit("ticket id pattern deadline after chosen tasks standing_before refusal", ticket, id,
              pattern, deadline, after, chosen, tasks, standing_before, refusal);
    }
    static void fields(auto& visit, codec::Like<Waits> auto& it) {
        auto& [waits, names] = it;
        visit("waits names", waits, names);
    }
    static void fields(auto& visit, codec::Like<AgentCalls::Request> auto& it) {
        auto& [tickets, id, deadline, instance, tasks, reply, awaited] = it;
        visit("tickets id deadline instance tasks reply awaited", tickets, id, deadline, instance,
              tasks, reply, awaited);
    }
    static void fields(auto& visit, codec::Like<AgentCalls> auto& it) {
        auto& [requests, awaited, last, has_answered, signals] = it;
        visit("requests awaited last has_answered signals", requests, awaited, last, has_answered,
              signals);
    }

    // ---- what happened ----

    static void fields(auto& visit, codec::Like<ConvergenceTracker> auto& it) {
        auto& [watched, next] = it;
        visit("watched next", watched, next);
    }
    static void fields(auto& visit, codec::Like<EventLog> auto& it) {
        auto& [epoch, last, kept, ends_quietly, fresh, of_instances] = it;
        visit("epoch last kept ends_quietly fresh of_instances", epoch, last, kept, ends_quietly,
              fresh, of_instances);
    }
    static void fields(auto& visit, codec::Like<History::Decision> auto& it) {
        auto& [at, id, node, action, cause] = it;
        visit("at id node action cause", at, id, node, action, cause);
    }
    static void fields(auto& visit, codec::Like<History> auto& it) {
        auto& [kept] = it;
        visit("kept", kept);
    }

    // ---- the rooms ----

    static void fields(auto& visit, codec::Like<CivilClock> auto& it) {
        auto& [said, said_at] = it;
        visit("said said_at", said, said_at);
    }
    static void fields(auto& visit, codec::Like<Copies> auto& it) {
        auto& [workload, placements, leases, nodes] = it;
        visit("workload placements leases", workload, placements, leases);
    }
    static void fields(auto& visit, codec::Like<Ledger> auto& it) {
        // No state is saved while there are parts.
        auto& [options, meta, persisted, durable, tables, removed_tasks, answers, pending, parts] =
            it;
        auto& [tasks, intents, settings, freeze] = tables;
        visit("meta persisted durable tasks intents settings freeze removed_tasks answers pending",
              meta, persisted, durable, tasks, intents, settings, freeze, removed_tasks, answers,
              pending);
    }
    static void fields(auto& visit, codec::Like<FleetRoom> auto& it) {
        auto& [nodes, ledger, became_full] = it;
        visit("became_full", became_full);
    }
    static void fields(auto& visit, codec::Like<Suspension> auto& it) {
        auto& [options, nodes, scores] = it;
        visit("scores", scores);
    }
    static void fields(auto& visit, codec::Like<Liveness> auto& it) {
        auto& [options, nodes, placements, room, rounds, own, losses, recovery,
               reconnect_grace_until, polls] = it;
        visit("rounds own losses recovery reconnect_grace_until polls", rounds, own, losses,
              recovery, reconnect_grace_until, polls);
    }
    static void fields(auto& visit, codec::Like<FreezeControl> auto& it) {
        auto& [nodes, liveness, kept, freeze, since, begun] = it;
        visit("freeze since begun", freeze, since, begun);
    }
    static void fields(auto& visit, codec::Like<Pools> auto& it) {
        auto& [placements, intents, reported] = it;
        visit("reported", reported);
    }
    static void fields(auto& visit, codec::Like<Drains> auto& it) {
        auto& [nodes, ledger, draining] = it;
        visit("draining", draining);
    }
    static void fields(auto& visit, codec::Like<Membership> auto& it) {
        auto& [options, in, pools, drains, conflicts, refusals] = it;
        visit("pools drains conflicts refusals", pools, drains, conflicts, refusals);
    }
    static void fields(auto& visit, codec::Like<Planning> auto& it) {
        auto& [options, nodes, copies, settings, planner, commands, tracker, history, counters,
               begun, trigger, round_told] = it;
        visit("planner commands tracker history counters begun trigger round_told", planner,
              commands, tracker, history, counters, begun, trigger, round_told);
    }
    static void fields(auto& visit, codec::Like<AgentCallHandler> auto& it) {
        auto& [nodes, copies, meta, calls] = it;
        visit("calls", calls);
    }
    static void fields(auto& visit, codec::Like<Operators> auto& it) {
        auto& [ledger, planning, tasks, nodes, cluster, agent_calls, waits, in_line] = it;
        visit("agent_calls waits", agent_calls, waits);
    }
    static void fields(auto& visit, codec::Like<Memory> auto& it) {
        auto& [options, clock, events, nodes, copies, ledger, room, suspension, liveness, freeze,
               membership, planning] = it;
        visit(
            "options clock events nodes copies ledger room suspension liveness freeze membership "
            "planning",
            options, clock, events, nodes, copies, ledger, room, suspension, liveness, freeze,
            membership, planning);
    }
    static void fields(auto& visit, codec::Like<Rooms> auto& it) {
        auto& [in, reports, operators, is_over] = it;
        visit("in operators is_over", in, operators, is_over);
    }
};

}  // namespace muster::coordinator
