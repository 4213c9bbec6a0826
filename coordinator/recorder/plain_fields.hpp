#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "common/codec/codec.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/message.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/coordinator.hpp"
#include "coordinator/core/ledger/pending.hpp"
#include "coordinator/core/planning/index/troubles.hpp"
#include "coordinator/core/planning/planner.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// How what the coordinator's core is made of, hears and says is recorded: the structs without
/// secrets. Messages, tasks and replies have the form that they have on the wire and in the store.
/// Each struct is taken apart whole, so that a member without a name does not compile.
struct PlainFields {
    template <class M, class T>
    static constexpr bool is = std::is_same_v<std::remove_const_t<M>, T>;

    // ---- by their wire form ----

    static void write(const codec::Like<AgentMessage> auto& message, std::string& into) {
        codec::encode(message, into);
    }
    static Result<void> read(std::string_view bytes, codec::Like<AgentMessage> auto& into) {
        return codec::decode(bytes, into);
    }
    static void write(const codec::Like<CoordinatorMessage> auto& message, std::string& into) {
        codec::encode(message, into);
    }
    static Result<void> read(std::string_view bytes, codec::Like<CoordinatorMessage> auto& into) {
        return codec::decode(bytes, into);
    }
    static void write(const codec::Like<CoreRequest> auto& request, std::string& into) {
        codec::encode(request, into);
    }
    static Result<void> read(std::string_view bytes, codec::Like<CoreRequest> auto& into) {
        return codec::decode_request(bytes).and_then([&](Request&& request) -> Result<void> {
            auto for_it = for_core(std::move(request));
            if (!for_it) {
                return fail(Errc::malformed, "no core is asked this");
            }
            into = *std::move(for_it);
            return {};
        });
    }
    static void write(const codec::Like<Reply> auto& reply, std::string& into) {
        codec::encode(reply, into);
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
    /// The body of a reply alone.
    template <class Body>
        requires is<Body, ChangeReply> || is<Body, NodesChangeReply> || is<Body, LimitsReply> ||
            is<Body, FreezeReply>
    static void write(const Body& body, std::string& into) {
        write(Reply{{}, ReplyBody{body}}, into);
    }
    template <class Body>
        requires is<Body, ChangeReply> || is<Body, NodesChangeReply> || is<Body, LimitsReply> ||
            is<Body, FreezeReply>
    static Result<void> read(std::string_view bytes, Body& into) {
        auto reply = codec::decode_reply(bytes);
        if (!reply || !reply->result || !std::holds_alternative<Body>(*reply->result)) {
            return fail(Errc::malformed, "is another reply than it was");
        }
        into = std::get<Body>(std::move(*reply->result));
        return {};
    }
    static void write(const codec::Like<WantedTask> auto& task, std::string& into) {
        codec::encode(Request{{}, TaskAddRequest{task}}, into);
    }
    static Result<void> read(std::string_view bytes, codec::Like<WantedTask> auto& into) {
        auto request = codec::decode_request(bytes);
        auto* const add = request ? std::get_if<TaskAddRequest>(&request->body) : nullptr;
        if (add == nullptr) {
            return fail(Errc::malformed, "is no task");
        }
        into = std::move(add->task);
        return {};
    }

    // ---- the vocabulary ----

    static void fields(auto& visit, codec::Like<InstanceId> auto& it) {
        auto& [task, ordinal] = it;
        visit("task ordinal", task, ordinal);
    }
    static void fields(auto& visit, codec::Like<Error> auto& it) {
        auto& [code, detail] = it;
        visit("code detail", code, detail);
    }
    static void fields(auto& visit, codec::Like<Resources> auto& it) {
        auto& [cpu_milli, memory_bytes, slots] = it;
        visit("cpu_milli memory_bytes slots", cpu_milli, memory_bytes, slots);
    }
    static void fields(auto& visit, codec::Like<Capacity> auto& it) {
        auto& [cpu_milli, memory_bytes, slots] = it;
        visit("cpu_milli memory_bytes slots", cpu_milli, memory_bytes, slots);
    }
    static void fields(auto& visit, codec::Like<Offer> auto& it) {
        auto& [labels, pool, capacity, reserved] = it;
        visit("labels pool capacity reserved", labels, pool, capacity, reserved);
    }
    static void fields(auto& visit, codec::Like<CapacityFrom> auto& it) {
        auto& [cpu, memory] = it;
        visit("cpu memory", cpu, memory);
    }
    static void fields(auto& visit, codec::Like<LimitFact> auto& it) {
        auto& [limit, enforced, how] = it;
        visit("limit enforced how", limit, enforced, how);
    }
    static void fields(auto& visit, codec::Like<HostFacts> auto& it) {
        auto& [load, spawn_failing, journal_failing, readiness, check_exit, checks, unable] = it;
        visit("load_milli spawn_failing journal_failing readiness check_exit checks unable", load,
              spawn_failing, journal_failing, readiness, check_exit, checks, unable);
    }
    static void fields(auto& visit, codec::Like<HostVitals> auto& it) {
        auto& [at, memory_free, disk_free, disk_bytes, spawned, written, unable] = it;
        visit("at memory_free disk_free disk_bytes spawned written unable", at, memory_free,
              disk_free, disk_bytes, spawned, written, unable);
    }
    static void fields(auto& visit, codec::Like<Event> auto& it) {
        auto& [epoch, sequence, at, topic, name, detail] = it;
        visit("epoch sequence at topic name detail", epoch, sequence, at, topic, name, detail);
    }
    static void fields(auto& visit, codec::Like<Occasion> auto& it) {
        auto& [reason, author] = it;
        visit("reason author", reason, author);
    }

    // ---- inputs ----

    static void fields(auto& visit, codec::Like<FromAgent> auto& it) {
        auto& [session, message] = it;
        visit("session message", session, message);
    }
    static void fields(auto& visit, codec::Like<SessionClosed> auto& it) {
        auto& [session] = it;
        visit("session", session);
    }
    static void fields(auto& visit, codec::Like<Undecodable> auto& it) {
        auto& [session] = it;
        visit("session", session);
    }
    static void fields(auto& visit, codec::Like<FromOperator> auto& it) {
        auto& [ticket, request] = it;
        visit("ticket request", ticket, request);
    }
    static void fields(auto& visit, codec::Like<Persisted> auto& it) {
        auto& [number] = it;
        visit("number", number);
    }
    static void fields(auto& visit, codec::Like<StoreFailed> auto& it) {
        auto& [detail] = it;
        visit("detail", detail);
    }
    static void fields(auto& visit, codec::Like<OwnSockets> auto& it) {
        auto& [ill] = it;
        visit("ill", ill);
    }
    static void fields(auto& visit, codec::Like<CivilTime> auto& it) {
        auto& [at] = it;
        visit("at", at);
    }
    static void fields(auto& visit, codec::Like<Wake> auto& /*it*/) { visit(""); }

    // ---- outputs ----

    static void fields(auto& visit, codec::Like<ToAgent> auto& it) {
        auto& [session, message] = it;
        visit("session message", session, message);
    }
    static void fields(auto& visit, codec::Like<ReplyTo> auto& it) {
        auto& [ticket, reply] = it;
        visit("ticket reply", ticket, reply);
    }
    static void fields(auto& visit, codec::Like<Persist> auto& it) {
        auto& [number, writes] = it;
        visit("number writes", number, writes);
    }
    static void fields(auto& visit, codec::Like<EraseTask> auto& it) {
        auto& [name] = it;
        visit("name", name);
    }
    static void fields(auto& visit, codec::Like<EraseNode> auto& it) {
        auto& [name] = it;
        visit("name", name);
    }
    static void fields(auto& visit, codec::Like<EraseIntent> auto& it) {
        auto& [name] = it;
        visit("name", name);
    }
    static void fields(auto& visit, codec::Like<EraseOldRequests> auto& it) {
        auto& [horizon] = it;
        visit("horizon", horizon);
    }

    // ---- what is durable ----

    static void fields(auto& visit, codec::Like<Meta> auto& it) {
        auto& [cluster, epoch, leader, counter, request_horizon] = it;
        visit("cluster epoch leader counter request_horizon", cluster, epoch, leader, counter,
              request_horizon);
    }
    static void fields(auto& visit, codec::Like<StoredTask> auto& it) {
        auto& [wanted, generation, created] = it;
        visit("wanted generation created", wanted, generation, created);
    }
    static void fields(auto& visit, codec::Like<StoredNode> auto& it) {
        auto& [name, incarnation, lost, gone, ahead] = it;
        visit("name incarnation lost gone ahead", name, incarnation, lost, gone, ahead);
    }
    static void fields(auto& visit, codec::Like<StoredIntent> auto& it) {
        auto& [name, intent, admission, pool, reason, author, since, deadline, force, remove] = it;
        visit("name intent admission pool reason author since deadline force remove", name, intent,
              admission, pool, reason, author, since, deadline, force, remove);
    }
    static void fields(auto& visit, codec::Like<StoredSetting> auto& it) {
        auto& [name, value] = it;
        visit("name value", name, value);
    }
    static void fields(auto& visit, codec::Like<StoredRequest> auto& it) {
        auto& [id, reply, asked] = it;
        visit("id reply asked", id, reply, asked);
    }

    // ---- what is on its way to the store ----

    static void fields(auto& visit, codec::Like<TasksWritten> auto& it) {
        auto& [put, erased, changes] = it;
        visit("put erased changes", put, erased, changes);
    }
    static void fields(auto& visit, codec::Like<NodesWritten> auto& it) {
        auto& [put, erased] = it;
        visit("put erased", put, erased);
    }
    static void fields(auto& visit, codec::Like<StoreAccepted> auto& it) {
        auto& [nodes, tasks] = it;
        visit("nodes tasks", nodes, tasks);
    }
    static void fields(auto& visit, codec::Like<IntentsWritten> auto& it) {
        auto& [rows, removed, why, drained, changes, forgiven, grows_by] = it;
        visit("rows removed why drained changes forgiven grows_by", rows, removed, why, drained,
              changes, forgiven, grows_by);
    }
    static void fields(auto& visit, codec::Like<SettingsWritten> auto& it) {
        auto& [rows, changes] = it;
        visit("rows changes", rows, changes);
    }
    static void fields(auto& visit, codec::Like<FreezeSet> auto& it) {
        auto& [on, why, rows, changes] = it;
        visit("on why rows changes", on, why, rows, changes);
    }
    static void fields(auto& visit, codec::Like<PendingWrite> auto& it) {
        auto& [number, meta, effect, reply, asked, tickets] = it;
        visit("number meta effect reply asked tickets", number, meta, effect, reply, asked,
              tickets);
    }

    // ---- parts of the core ----

    static void fields(auto& visit, codec::Like<CoordinatorOptions> auto& it) {
        auto& [term, loss, recovery_grace, lease, rebalance, move_cooldown, stop_strays, max_flaky,
               flaky_tasks, listed_only, version] = it;
        auto& [after, goodbye_grace, max_lost, rate_percent, burst] = loss;
        visit(
            "term lost_after recovery_grace lease max_lost goodbye_grace loss_rate_percent "
            "loss_burst rebalance move_cooldown stop_strays max_flaky flaky_tasks listed_only "
            "version",
            term, after, recovery_grace, lease, max_lost, goodbye_grace, rate_percent, burst,
            rebalance, move_cooldown, stop_strays, max_flaky, flaky_tasks, listed_only, version);
    }
    static void fields(auto& visit, codec::Like<Evacuation> auto& it) {
        auto& [cause, force] = it;
        visit("cause force", cause, force);
    }
    static void fields(auto& visit, codec::Like<Outcomes> auto& it) {
        auto& [answered, refused, unanswered] = it;
        visit("answered refused unanswered", answered, refused, unanswered);
    }
    static void fields(auto& visit, codec::Like<Shortage> auto& it) {
        auto& [code, count] = it;
        visit("code count", code, count);
    }
    static void fields(auto& visit, codec::Like<TaskStatus> auto& it) {
        auto& [phase, wanted, running, starting, backoff, exited, failed, rolling, moving, stopping,
               strays, shortages] = it;
        visit(
            "phase wanted running starting backoff exited failed rolling moving stopping strays "
            "shortages",
            phase, wanted, running, starting, backoff, exited, failed, rolling, moving, stopping,
            strays, shortages);
    }
    static void fields(auto& visit, codec::Like<Totals> auto& it) {
        auto& [wanted, running, starting, backoff, exited, failed, rolling, stopping, strays,
               unplaced, unsettled, moves, shortages] = it;
        visit(
            "wanted running starting backoff exited failed rolling stopping strays unplaced "
            "unsettled moves shortages",
            wanted, running, starting, backoff, exited, failed, rolling, stopping, strays, unplaced,
            unsettled, moves, shortages);
    }
    static void fields(auto& visit, codec::Like<Effort> auto& it) {
        auto& [balances, move_looks] = it;
        visit("balances move_looks", balances, move_looks);
    }
    static void fields(auto& visit, codec::Like<Trouble::Refusal> auto& it) {
        auto& [node, count, again, vanished] = it;
        visit("node count again vanished", node, count, again, vanished);
    }
    static void fields(auto& visit, codec::Like<Trouble> auto& it) {
        auto& [generation, failed_on, refusals, last_refusal, good_since] = it;
        visit("generation failed_on refusals last_refusal good_since", generation, failed_on,
              refusals, last_refusal, good_since);
    }
    static void fields(auto& visit, codec::Like<Allowance> auto& it) {
        auto& [cpu_milli, memory_bytes, slots] = it;
        visit("cpu_milli memory_bytes slots", cpu_milli, memory_bytes, slots);
    }
    static void fields(auto& visit, codec::Like<Use> auto& it) {
        auto& [cpu_milli, memory_bytes, slots] = it;
        visit("cpu_milli memory_bytes slots", cpu_milli, memory_bytes, slots);
    }
};

}  // namespace muster::coordinator
