#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "common/codec/codec.hpp"
#include "common/codec/shapes/shape.hpp"
#include "coordinator/core/ledger/pending.hpp"
#include "coordinator/core/liveness/poll_rounds.hpp"
#include "coordinator/core/nodes/node.hpp"
#include "coordinator/core/planning/pass/retry.hpp"
#include "coordinator/core/planning/planner.hpp"
#include "coordinator/core/planning/planning.hpp"
#include "coordinator/core/workload/leases.hpp"
#include "coordinator/core/workload/order_proofs.hpp"
#include "coordinator/core/workload/reported_instances.hpp"

namespace muster::coordinator {

/// How the parts, inputs and outputs of the coordinator's core are recorded: the structs without
/// secrets. Messages, tasks and replies have the form that they have on the wire and in the store.
struct PlainFields {
    // ---- by their wire form ----

    static void write(
        const codec::Like<AgentMessage, CoordinatorMessage, CoreRequest, Reply> auto& message,
        std::string& into) {
        codec::encode(message, into);
    }
    static Result<void> read(std::string_view bytes,
                             codec::Like<AgentMessage, CoordinatorMessage> auto& into) {
        return codec::decode(bytes, into);
    }
    static Result<void> read(std::string_view bytes, codec::Like<CoreRequest> auto& into) {
        return codec::decode_request(bytes).and_then([&](Request&& request) -> Result<void> {
            auto for_it = for_core(std::move(request));
            if (!for_it) {
                return fail(Errc::malformed, "the core does not handle this request");
            }
            into = *std::move(for_it);
            return {};
        });
    }
    static Result<void> read(std::string_view bytes, codec::Like<Reply> auto& into) {
        return codec::decode_reply(bytes).map([&](Reply&& reply) { into = std::move(reply); });
    }
    static void write(const codec::Like<Result<ReplyBody>> auto& result, std::string& into) {
        write(Reply{{}, result}, into);
    }
    static Result<void> read(std::string_view bytes, codec::Like<Result<ReplyBody>> auto& into) {
        return codec::decode_reply(bytes).map(
            [&](Reply&& reply) { into = std::move(reply.result); });
    }
    static void write(const codec::Like<WantedTask> auto& task, std::string& into) {
        codec::encode(Request{{}, TaskAddRequest{task}}, into);
    }
    static Result<void> read(std::string_view bytes, codec::Like<WantedTask> auto& into) {
        auto request = codec::decode_request(bytes);
        auto* const add = request ? std::get_if<TaskAddRequest>(&request->body) : nullptr;
        if (add == nullptr) {
            return fail(Errc::malformed, "is not a task");
        }
        into = std::move(add->task);
        return {};
    }

    static void write(const codec::Like<PublicKey> auto& key, std::string& into) {
        into = key.is_none() ? std::string{} : to_string(key);
    }
    static Result<void> read(std::string_view bytes, codec::Like<PublicKey> auto& into) {
        const auto key = bytes.empty() ? PublicKey{} : parse_public_key(bytes);
        if (!key) {
            return fail(Errc::malformed, "is not a key");
        }
        into = *key;
        return {};
    }

    // ---- basic types ----

    static constexpr auto names(const InstanceId*) { return "task ordinal"; }
    static constexpr auto names(const Error*) { return "code detail"; }
    static constexpr auto names(const Resources*) { return "cpu_milli memory_bytes slots"; }
    static constexpr auto names(const Capacity*) { return "cpu_milli memory_bytes slots"; }
    static constexpr auto names(const Offer*) { return "labels pool capacity reserved"; }
    static constexpr auto names(const CapacityFrom*) { return "cpu memory"; }
    static constexpr auto names(const LimitFact*) { return "limit enforced how"; }
    static constexpr auto names(const HostFacts*) {
        return "load_milli spawn_failing journal_failing readiness check_exit checks unable";
    }
    static constexpr auto names(const HostVitals*) {
        return "at memory_free disk_free disk_bytes spawned written unable trouble";
    }
    static constexpr auto names(const Event*) { return "epoch sequence at topic name detail"; }
    static constexpr auto names(const Occasion*) { return "reason author"; }

    // ---- inputs ----

    static constexpr auto names(const FromAgent*) { return "session message by"; }
    static constexpr auto names(const Caller*) { return "is_local is_enrolling key"; }
    static constexpr auto names(const SessionClosed*) { return "session"; }
    static constexpr auto names(const Undecodable*) { return "session why"; }
    static constexpr auto names(const FromOperator*) { return "ticket request digest by"; }
    static constexpr auto names(const Denied*) { return "by request verb why"; }
    static constexpr auto names(const Persisted*) { return "number"; }
    static constexpr auto names(const StoreFailed*) { return "detail"; }
    static constexpr auto names(const OwnSockets*) { return "ill"; }
    static constexpr auto names(const CivilTime*) { return "at zones"; }
    static constexpr auto names(const ZoneOffset*) { return "zone offset_s"; }
    static constexpr auto names(const OutsideAnswer*) { return "number result"; }
    static constexpr auto names(const Wake*) { return ""; }

    // ---- outputs ----

    static constexpr auto names(const ToAgent*) { return "session message"; }
    static constexpr auto names(const ReplyTo*) { return "ticket reply"; }
    static constexpr auto names(const OutsideCall*) { return "number to what"; }
    static constexpr auto names(const ListNodes*) { return ""; }
    static constexpr auto names(const ProvisionNodes*) { return "pool request count"; }
    static constexpr auto names(const RemoveNode*) { return "pool id"; }
    static constexpr auto names(const NeedSample*) { return "at need"; }
    static constexpr auto names(const PredictNeed*) { return "pool recent"; }
    static constexpr auto names(const ProvidedNode*) { return "id node pool request"; }
    static constexpr auto names(const CallFailed*) { return "why"; }
    static constexpr auto names(const NodesListed*) { return "nodes"; }
    static constexpr auto names(const NodesGranted*) { return "count"; }
    static constexpr auto names(const NodeRemoved*) { return ""; }
    static constexpr auto names(const NeedPredicted*) { return "amount"; }
    static constexpr auto names(const PlanRequest*) {
        return "fail without_tasks add_nodes rebalance";
    }
    static constexpr auto names(const Persist*) { return "number writes"; }
    template <class Row>
    static constexpr auto names(const Erase<Row>*) {
        return "name";
    }
    static constexpr auto names(const EraseOldRequests*) { return "horizon"; }
    static constexpr auto names(const EraseOldAudit*) { return "up_to"; }
    static constexpr auto names(const Continues*) { return ""; }

    // ---- stored rows ----

    static constexpr auto names(const Meta*) {
        return "cluster epoch leader counter request_horizon schema";
    }
    static constexpr auto names(const StoredTask*) { return "wanted generation created"; }
    static constexpr auto names(const OrdinalSet*) { return "words"; }
    static constexpr auto names(const StoredEnds*) { return "name generation ordinals"; }
    static constexpr auto names(const StoredNode*) { return "name incarnation lost gone ahead"; }
    static constexpr auto names(const StoredIntent*) {
        return "name intent admission pool reason author since deadline force remove";
    }
    static constexpr auto names(const StoredSetting*) { return "name value"; }
    static constexpr auto names(const ProofRule*) { return "after key"; }
    static constexpr auto names(const StoredFreeze*) { return "on reason author since"; }
    static constexpr auto names(const AdmittedKey*) { return "key since until"; }
    static constexpr auto names(const StoredKey*) {
        return "name role keys revoked pools tasks author rotation lasting_until";
    }
    static constexpr auto names(const StoredToken*) {
        return "name hash pattern uses until author";
    }
    static constexpr auto names(const StoredSecret*) {
        return "name version since author encrypted";
    }
    static constexpr auto names(const PoolSpec*) {
        return "unit provider predictor min max step drain_budget node_amount arrive_within_ms "
               "max_drain_ms up_cooldown_ms down_cooldown_ms demand_ttl_ms schedule zone "
               "shadow match";
    }
    static constexpr auto names(const StoredPool*) { return "name spec paused since author"; }
    static constexpr auto names(const StoredPoolNode*) {
        return "name pool provider id request state since granted of_request";
    }
    static constexpr auto names(const StoredSeason*) { return "name usual"; }
    /// Not the hashes: a replay has another key.
    static constexpr auto names(const StoredAudit*) {
        return "number at actor fingerprint action result detail request epoch counter -previous "
               "-hash";
    }
    static constexpr auto names(const AuditHead*) { return "number first -hash -seal"; }
    static constexpr auto names(const StoredRequest*) { return "id reply request_digest"; }

    // ---- rows on their way to the store ----

    template <class Row>
    static constexpr auto names(const Rows<Row>*) {
        return "put erased";
    }
    static constexpr auto names(const Change*) { return "origin rows why forgiven"; }
    static constexpr auto names(const PendingWrite*) {
        return "number meta change reply request_digest tickets continues first_line last_line "
               "audit";
    }

    // ---- parts of the core ----

    static constexpr auto names(const LossOptions*) {
        return "after silent_after departure_grace max_lost rate_percent burst";
    }
    static constexpr auto names(const CoordinatorOptions*) {
        return "round loss recovery_grace lease rebalance move_cooldown stop_strays max_flaky "
               "flaky_tasks listed_only keys accept_pending version rows_of_step -order_key "
               "providers predictors";
    }
    static constexpr auto names(const Evacuation*) { return "cause force"; }
    static constexpr auto names(const Outcomes*) { return "answered refused unanswered"; }
    static constexpr auto names(const Shortage*) { return "code count"; }
    static constexpr auto names(const TaskStatus*) {
        return "phase wanted running starting backoff exited failed rolling updated young "
               "halted_by "
               "moving stopping strays "
               "shortages";
    }
    static constexpr auto names(const Totals*) {
        return "wanted running starting backoff exited failed rolling stopping strays unplaced "
               "unconverged halted moves";
    }
    static constexpr auto names(const Effort*) { return "balances move_checks"; }
    static constexpr auto names(const FailureRecord::Refusal*) {
        return "node count again vanished why";
    }
    static constexpr auto names(const FailureRecord*) {
        return "generation failed_on refusals last_refusal good_since ended_early";
    }
    static constexpr auto names(const Allowance*) { return "cpu_milli memory_bytes slots"; }
    static constexpr auto names(const Claim*) { return "cluster epoch counter"; }
    static constexpr auto names(const Recorded*) { return "incarnation lost gone ahead"; }
    static constexpr auto names(const ReportedInstance*) {
        return "generation started task ordinal restarts exit_code exit_signal proof_mark state "
               "origin detailed";
    }
    static constexpr auto names(const ClosedRound*) {
        return "round answered missed lasted silent away";
    }
    static constexpr auto names(const PassTrigger*) {
        return "due may_plan balance_asked is_cut continues_at moves_from";
    }
    static constexpr auto names(const RoundBudget*) { return "starts moves"; }
    static constexpr auto names(const Leases::Hold*) { return "node until"; }
    static constexpr auto names(const Use*) { return "cpu_milli memory_bytes slots"; }
};

}  // namespace muster::coordinator
