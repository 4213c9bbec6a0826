#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "coordinator/core/coordinator.hpp"
#include "coordinator/core/planning/pass/planner_state.hpp"
#include "coordinator/core/rooms.hpp"
#include "coordinator/recorder/members.hpp"
#include "coordinator/recorder/plain_fields.hpp"
#include "coordinator/recorder/pool_fields.hpp"

namespace muster::coordinator {

/// The whole state of the core; PlainFields has the rest. Values are read into a core that was just
/// built on an empty store. Indices that only speed up look-ups are rebuilt from their sources.
struct CoreFields::OfCore : PlainFields, OfPools {
    using OfPools::names;
    using PlainFields::names;

    template <class M>
    static constexpr bool is_read = !std::is_const_v<M>;

    /// As const as its owner is.
    template <class Owner, class T>
    static auto& as_owned(Owner& /*owner*/, T& value) {
        return static_cast<std::conditional_t<std::is_const_v<Owner>, const T, T>&>(value);
    }
    /// As const as the core is.
    static auto& state_of(auto& core) { return as_owned(core, *core.rooms_); }
    static OrderProofs& proofs_of(Coordinator& core) { return core.rooms_->in_.copies.proofs; }
    static Audit& audit_of(Coordinator& core) { return core.rooms_->in_.ledger.audit_; }
    static const NodeRegistry& nodes_of(const Coordinator& core) { return core.rooms_->in_.nodes; }

    // ---- nodes ----

    template <class Part, class Whole>
    static auto& part(Whole& whole) {
        return static_cast<std::conditional_t<std::is_const_v<Whole>, const Part, Part>&>(whole);
    }
    /// A part that is not named here does not compile, nor does an unnamed member.
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
        auto& [version, claim, limits, capacity_from, keeps_proofs] = part<HelloFacts>(it);
        auto& [last_answer, host, vitals, clock_ahead, bad_report, bad_report_event_round] =
            part<AnswerFacts>(it);
        visit(
            "version claim limits capacity_from keeps_proofs last_answer host vitals clock_ahead "
            "bad_report bad_report_event_round",
            version, claim, limits, capacity_from, keeps_proofs, last_answer, host, vitals,
            clock_ahead, bad_report, bad_report_event_round);
    }
    static void fields(auto& visit, codec::Like<Node> auto& it) {
        static_assert(
            is_made_of<Node, RegistryFacts, LifecycleFacts, LifeFacts, KeyFacts, ConflictFacts,
                       PollFacts, SilenceFacts, RecoveryFacts, ComplianceFacts, ReadinessFacts,
                       CopyFacts, RowFacts, ReportedFacts>);
        auto& [name, session, key, issued, from_store, counts_toward_freeze, touched] =
            part<RegistryFacts>(it);
        auto& [lost, gone, able, ahead, suspended_until, intent, admission, since] =
            part<LifecycleFacts>(it);
        auto& [incarnation, life, left_instances_running, lacks_proofs] = part<LifeFacts>(it);
        auto& [renew_key] = part<KeyFacts>(it);
        auto& [in_conflict] = part<ConflictFacts>(it);
        auto& [polled_round, polled_issued, answered_in, polled_at_start, answer_pending, misses,
               connection_misses, silent_routes] = part<PollFacts>(it);
        auto& [silent, given_up] = part<SilenceFacts>(it);
        auto& [awaited] = part<RecoveryFacts>(it);
        auto& [disobeyed] = part<ComplianceFacts>(it);
        auto& [ignored_checks] = part<ReadinessFacts>(it);
        auto& [known_revision, resolved_up_to, reported, vanished] = part<CopyFacts>(it);
        auto& [durable, row_pending, forgetting] = part<RowFacts>(it);
        auto& [agent_facts] = part<ReportedFacts>(it);
        visit(
            "name session key issued from_store counts_toward_freeze touched lost gone able ahead "
            "suspended_until intent admission since incarnation life left_instances_running "
            "lacks_proofs renew_key in_conflict polled_round polled_issued answered_in "
            "polled_at_start "
            "answer_pending "
            "misses "
            "connection_misses "
            "silent_routes silent given_up awaited disobeyed ignored_checks known_revision "
            "resolved_up_to reported "
            "vanished durable row_pending forgetting agent_facts",
            name, session, key, issued, from_store, counts_toward_freeze, touched, lost, gone, able,
            ahead, suspended_until, intent, admission, since, incarnation, life,
            left_instances_running, lacks_proofs, renew_key, in_conflict, polled_round,
            polled_issued, answered_in, polled_at_start, answer_pending, misses, connection_misses,
            silent_routes, silent, given_up, awaited, disobeyed, ignored_checks, known_revision,
            resolved_up_to, reported, vanished, durable, row_pending, forgetting, agent_facts);
    }
    static constexpr auto names(const NodeRegistry*) {
        return "slots free -by_name -by_session poll_set touched deadlines changes_seen "
               "useless forgotten_sequences";
    }
    static void rebuild(NodeRegistry& it) {
        it.each([&](NodeIndex index, const Node& node) {
            it.by_name_.insert(index);
            if (node.session) {
                it.by_session_.emplace(*node.session, index);
            }
        });
    }
    static constexpr auto names(const Refusals::Refusal*) { return "name last"; }
    static constexpr auto names(const Refusals*) {
        return "last total events_used events_used_since";
    }
    static constexpr auto names(const Deadlines::Due*) { return "at node kind"; }
    static constexpr auto names(const Deadlines*) { return "queue of_node"; }
    static constexpr auto names(const FlapScore::Contribution*) { return "times last"; }
    static constexpr auto names(const FlapScore*) {
        return "score repeats since suspended_until suspended contributions";
    }
    static constexpr auto names(const NameConflicts::Conflict*) { return "node until"; }
    static constexpr auto names(const NameConflicts*) { return "-nodes open"; }

    // ---- tasks and copies ----

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
    static void fields(auto& visit, codec::Like<Task> auto& it) {
        auto& [name, wanted, instances, spec, place, digest, generation, created, bound,
               ended_well] = it;
        // The wire form needs a name, which a free slot does not have.
        WantedTask as_wanted{"task", 1, spec, place};
        visit("name wanted instances as_wanted digest generation created bound ended_well", name,
              wanted, instances, as_wanted, digest, generation, created, bound, ended_well);
        if constexpr (is_read<std::remove_reference_t<decltype(it)>>) {
            spec = std::move(as_wanted.spec);
            place = std::move(as_wanted.place);
        }
    }
    static constexpr auto names(const Workload*) {
        return "names tasks touched touched_list free -by_name wanted_count counter";
    }
    static void rebuild(Workload& it) {
        for (std::uint32_t at = 0; at < it.names_.size(); ++at) {
            if (!it.names_[at].empty()) {
                it.by_name_.emplace(it.names_[at], TaskIndex{at});
            }
        }
    }
    static void fields(auto& visit, codec::Like<Copy> auto& it) {
        auto& [generation, started, ordinal, node, run_seen_ms, state, origin, orders, reported,
               faulty, erased, run_seen, healthy, ended_early] = it;
        // Bits have no address.
        auto& [starting, stopping, moving, replacing, taken_down] = orders;
        std::array<bool, 11> facts{reported, starting, stopping, moving,  replacing,  taken_down,
                                   faulty,   erased,   run_seen, healthy, ended_early};
        visit("generation started ordinal node run_seen_ms state origin facts", generation, started,
              ordinal, node, run_seen_ms, state, origin, facts);
        if constexpr (is_read<std::remove_reference_t<decltype(it)>>) {
            reported = facts[0];
            starting = facts[1];
            stopping = facts[2];
            moving = facts[3];
            replacing = facts[4];
            taken_down = facts[5];
            faulty = facts[6];
            erased = facts[7];
            run_seen = facts[8];
            healthy = facts[9];
            ended_early = facts[10];
        }
    }
    static constexpr auto names(const NodeTable::Entry*) {
        return "name present serving commandable counted flipped answered evacuation offer";
    }
    static constexpr auto names(const NodeTable*) {
        return "nodes by_name names_sorted names_gone evacuating flipped offered names_version";
    }
    static constexpr auto names(const ReportedInstances*) { return "-workload nodes details"; }
    static constexpr auto names(const CopyTable::Entry*) {
        return "copies sorted references holed touched";
    }
    static constexpr auto names(const CopyTable*) { return "-workload tasks touched"; }
    static constexpr auto names(const OrdersInFlight::ExpiredStart*) {
        return "task generation ordinal";
    }
    static void fields(auto& visit, codec::Like<OrdersInFlight::InFlight> auto& it) {
        auto& [order, sequence, obeyed] = it;
        auto& [action, cause, task, ordinal, node, generation] = order;
        visit("action cause task ordinal node generation sequence obeyed", action, cause, task,
              ordinal, node, generation, sequence, obeyed);
    }
    static constexpr auto names(const OrdersInFlight::OfNode*) { return "in_flight lapsed"; }
    static constexpr auto names(const OrdersInFlight*) {
        return "-workload -table -reported -copies nodes count outcomes";
    }
    static constexpr auto names(const Placements*) {
        return "-workload nodes reported copies orders";
    }
    static constexpr auto names(const Leases::Stamp*) { return "boot received from"; }
    static constexpr auto names(const Leases::PerNode*) { return "latest confirmed over"; }
    static constexpr auto names(const Leases*) {
        return "length over_after earlier_over reported nodes holds tokens";
    }
    /// Not the key: a replay has a stand-in, and the recorded results of the checks.
    static void fields(auto& visit, codec::Like<OrderProofs> auto& it) {
        auto& [key, key_id, is_replay, cluster, rule, has_stored_rule, is_change_pending, checks,
               expected, text] = it;
        bool is_on = !key.is_none();
        visit("is_on key_id cluster rule has_stored_rule is_change_pending", is_on, key_id, cluster,
              rule, has_stored_rule, is_change_pending);
        if constexpr (is_read<std::remove_reference_t<decltype(it)>>) {
            is_replay = is_on;
            key = is_on ? SecretKey{{1}} : SecretKey{};
        }
    }
    static constexpr auto names(const Commands::Given*) { return "task generation"; }
    static constexpr auto names(const Commands*) {
        return "-nodes -workload -placements -proofs -secrets given -filling -commands -spec_bytes";
    }

    // ---- the planner ----

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
    static void rebuild(Groups& it) {
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
        return "-workload due any_with_priority short_of_nodes short_of_room in_recovery in_freeze "
               "wakes";
    }
    static constexpr auto names(const TaskStatuses::Recorded*) {
        return "status counts was_healthy";
    }
    static constexpr auto names(const TaskStatuses*) {
        return "-workload -placements held_back began_at tasks stale is_behind unplaced "
               "unplaced_to_tell short_tasks halted_tasks totals shortages";
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
               "movable may_be_evener last balances";
    }
    static constexpr auto names(const Moves::Balancing*) { return "homes by_moves"; }
    static constexpr auto names(const MoveQueue*) { return "resting rests checks"; }
    static constexpr auto names(const PlannerState*) {
        return "-workload -placements places requirements due statuses failures notes moves "
               "move_queue -scratch names_version is_held_back uncounted";
    }

    // ---- rounds, and who leads ----

    static constexpr auto names(const PollRounds*) {
        return "-nodes length round started open expedited awaited answered";
    }
    static constexpr auto names(const OwnHealth*) {
        return "round worst patience oldest_unconfirmed unconfirmed_since sockets_ill "
               "degraded_reason";
    }
    static constexpr auto names(const LossRate*) { return "percent burst tokens"; }
    static constexpr auto names(const Freeze::Past*) { return "at silent excluded_at served kept"; }
    static constexpr auto names(const Freeze*) { return "on by_operator calm pasts"; }
    static constexpr auto names(const Recovery*) {
        return "-nodes grace_ends counter awaited runs";
    }
    static constexpr auto names(const Histogram*) { return "counts sum_us"; }
    static constexpr auto names(const Counters*) {
        return "rounds misses starts stops moves last round";
    }

    // ---- operators' decisions and requests ----

    /// Rows on their way to the store; `written` has their order by first write.
    template <class Row>
    struct Written {
        std::string name;
        std::uint64_t number = 0;
        Row row{};
    };
    template <class Row>
    static constexpr auto names(const Written<Row>*) {
        return "name number row";
    }
    template <class Row>
    static void fields(auto& visit, const Overlay<Row>& it) {
        auto& [pool, rows, written] = it;
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
        auto& [pool, rows, written] = it;
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
    template <class Row>
    static constexpr auto names(const Proposal<Row>*) {
        return "row ends";
    }
    template <class Row>
    static constexpr auto names(const DurableRows<Row>*) {
        return "rows";
    }
    static constexpr auto names(const DurableRows<StoredTask>*) { return "-workload"; }
    template <class Row>
    static constexpr auto names(const RowCount<Row>*) {
        return "";
    }
    static constexpr auto names(const RowCount<StoredPool>*) { return "rows by_ttl_ms"; }
    static constexpr auto names(const RowCount<StoredKey>*) { return "owners ends version"; }
    static constexpr auto names(const RowCount<StoredIntent>*) { return "listed removed"; }
    static constexpr auto names(const RowCount<StoredTask>*) { return "tasks instances"; }
    template <class Row>
    static constexpr auto names(const Table<Row>*) {
        return "durable proposals now soon";
    }
    static constexpr auto names(const RemovedTasks*) { return "changes order"; }
    static constexpr auto names(const ReplyCache::Answer*) { return "reply request_digest"; }
    static constexpr auto names(const ReplyCache*) {
        return "answers proposed weight proposed_horizon";
    }
    static constexpr auto names(const Pending*) {
        return "proposed writes last_number tickets weight";
    }
    static constexpr auto names(const Waits::Wait*) {
        return "ticket id pattern deadline after chosen tasks standing_before finished over_at "
               "pools of_tasks refusal";
    }
    static constexpr auto names(const Waits*) { return "waits names"; }
    static constexpr auto names(const PlanWaits::Wait*) {
        return "ticket id request deadline after by";
    }
    static constexpr auto names(const PlanWaits*) { return "waits has_more"; }
    static constexpr auto names(const AgentCalls::Request*) {
        return "tickets id deadline instance tasks pools of_tasks reply awaited";
    }
    static constexpr auto names(const AgentCalls*) {
        return "requests awaited last has_answered signals";
    }

    // ---- history ----

    static constexpr auto names(const ConvergenceTracker::LastCheck*) { return "phase is_halted"; }
    static constexpr auto names(const ConvergenceTracker*) { return "watched next"; }
    static constexpr auto names(const EventLog*) {
        return "epoch last kept ends_quietly fresh of_instances";
    }
    static constexpr auto names(const Instants::OfTask*) {
        return "created phase phase_since ordered";
    }
    static constexpr auto names(const Instants*) { return "tasks"; }
    static constexpr auto names(const DecisionLog*) { return "history instants"; }
    static constexpr auto names(const History::Decision*) { return "at id node action cause"; }
    static constexpr auto names(const History*) { return "kept"; }

    // ---- the rooms ----

    static constexpr auto names(const CivilClock*) { return "civil set_at"; }
    static constexpr auto names(const Copies*) {
        return "workload placements leases proofs -nodes";
    }
    static void fields(auto& visit, codec::Like<Ledger> auto& it) {
        // No state is saved while there are parts.
        auto& [options, newest_schema, meta, persisted, durable, tables, removed_tasks, answers,
               pending, audit, parts] = it;
        auto& [tasks, intents, settings, freeze, keys, tokens, secrets, pools, pool_nodes,
               seasons] = tables;
        visit(
            "newest_schema meta persisted durable tasks intents settings freeze keys tokens "
            "secrets pools pool_nodes seasons removed_tasks answers pending audit",
            newest_schema, meta, persisted, durable, tasks, intents, settings, freeze, keys, tokens,
            secrets, pools, pool_nodes, seasons, removed_tasks, answers, pending, audit);
    }
    /// Not the key, but the hash of the newest row, so that a restored core goes on with the chain.
    static void fields(auto& visit, codec::Like<Audit> auto& it) {
        auto& [key, head, second, kept, dropped] = it;
        visit("number first hash second kept dropped", head.number, head.first, head.hash, second,
              kept, dropped);
    }
    static constexpr auto names(const Enrolments::Pending*) { return "name key since"; }
    static constexpr auto names(const KeyRenewals*) { return "-nodes -ledger"; }
    static constexpr auto names(const Enrolments*) { return "-options -ledger pending"; }
    static constexpr auto names(const FleetRoom*) { return "-nodes -ledger became_full"; }
    static constexpr auto names(const Suspension*) { return "-options -nodes scores"; }
    static constexpr auto names(const Liveness*) {
        return "-options -nodes -placements -room rounds own losses recovery "
               "reconnect_grace_until polls";
    }
    static constexpr auto names(const FreezeControl*) {
        return "-nodes -liveness -kept freeze since begun";
    }
    static constexpr auto names(const Pools*) { return "-placements -ledger rules reported"; }
    static constexpr auto names(const Pools::Rule*) { return "pool constraints"; }
    static constexpr auto names(const Constraint*) { return "key op values number"; }
    static constexpr auto names(const Drains*) { return "-nodes -ledger draining"; }
    static constexpr auto names(const Membership*) {
        return "-options -in pools drains conflicts refusals";
    }
    static constexpr auto names(const Planning*) {
        return "-options -nodes -copies -settings planner commands tracker log counters begun "
               "trigger round_summary";
    }
    static void fields(auto& visit, codec::Like<Planner> auto& it) {
        fields(visit, as_owned(it, *it.state_));
    }
    static constexpr auto names(const AgentCallHandler*) {
        return "-nodes -copies -meta -keys calls";
    }
    static constexpr auto names(const Operators*) {
        return "-ledger -planning -tasks -nodes -cluster -keys -secrets -demand -pools agent_calls "
               "waits "
               "plan_waits "
               "-in_line";
    }
    static constexpr auto names(const Memory*) {
        return "options clock events nodes copies ledger -access enrolments renewals room "
               "suspension "
               "liveness freeze "
               "membership planning demand forecasts predictors scaling";
    }
    static constexpr auto names(const Rooms*) { return "in -reports operators is_over"; }

    static void fields(auto& visit, auto& it) requires is_named<OfCore, decltype(it)> {
        visit_members<OfCore>(visit, it);
    }
};

}  // namespace muster::coordinator
