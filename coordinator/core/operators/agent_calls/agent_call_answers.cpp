#include <algorithm>
#include <map>
#include <string>
#include <variant>

#include "common/base/limits.hpp"
#include "common/text/pattern.hpp"
#include "coordinator/core/ledger/scope.hpp"
#include "coordinator/core/operators/agent_calls/agent_call_handler.hpp"
#include "coordinator/core/workload/views.hpp"

/// Puts the answers of agents into the reply of the request that waits for them.
namespace muster::coordinator {

AgentCalls::Request* AgentCallHandler::request_of(Session session, const AgentCallStamp& stamp) {
    const auto index = nodes_.find(session);
    const bool is_of_now =
        index && stamp.epoch == meta_.epoch && stamp.incarnation == nodes_[*index].incarnation;
    return is_of_now ? calls_.answered(stamp.number, *index) : nullptr;
}

void AgentCallHandler::on_answer(Session session, const LogPiece& piece) {
    if (auto* request = request_of(session, piece.stamp)) {
        request->reply = ReplyBody{LogsReply{.id = request->instance,
                                             .node = nodes_[*nodes_.find(session)].name,
                                             .next = piece.next,
                                             .gap = piece.gap,
                                             .left = piece.left,
                                             .data = piece.data}};
    }
}

void AgentCallHandler::note_signals(AgentCalls::Request& request, NodeIndex index,
                                    const std::string& detail) const {
    for (SignalView& view : std::get<TaskSignalReply>(*request.reply).instances) {
        if (view.node == nodes_[index].name) {
            view.detail = detail;
        }
    }
}

void AgentCallHandler::on_answer(Session session, const Signalled& signalled) {
    auto* const request = request_of(session, signalled.stamp);
    if (request == nullptr || !request->reply ||
        !std::holds_alternative<TaskSignalReply>(*request->reply)) {
        return;
    }
    const NodeIndex index = *nodes_.find(session);
    note_signals(*request, index, "");
    for (SignalView& view : std::get<TaskSignalReply>(*request->reply).instances) {
        const auto fault = std::ranges::find(signalled.faults, view.id, &SignalFault::id);
        if (view.node == nodes_[index].name && fault != signalled.faults.end()) {
            view.detail = fault->detail;
        }
    }
}

void AgentCallHandler::on_answer(Session session, const Measured& measured) {
    auto* const request = request_of(session, measured.stamp);
    auto* const reply =
        request != nullptr && request->reply ? std::get_if<UsageReply>(&*request->reply) : nullptr;
    if (reply == nullptr) {
        return;
    }
    const NodeIndex index = *nodes_.find(session);
    const auto node = std::ranges::find(reply->nodes, nodes_[index].name, &UsageNode::name);
    node->at_us = measured.at_us;
    node->detail.clear();
    std::map<InstanceId, const InstanceUse*> uses;
    for (const InstanceUse& use : measured.instances) {
        uses.emplace(use.id, &use);
    }
    const StoredKey scope{
        .name = {}, .keys = {}, .pools = request->pools, .tasks = request->of_tasks};
    for (const InstanceView& view : views_on(copies_.workload, copies_.placements, index)) {
        const auto use = uses.find(view.id);
        const auto task = copies_.workload.find(view.id.task);
        if (!may_change_task(scope, view.id.task,
                             task ? copies_.workload[*task].place.pool : std::string{})) {
            continue;
        }
        if (use == uses.end() || !pattern::matches(request->tasks, view.id.task)) {
            continue;
        }
        if (reply->instances.size() >= limits::used_instances) {
            node->detail = "an answer has at most " + std::to_string(limits::used_instances) +
                           " instances; name fewer nodes";
            return;
        }
        reply->instances.push_back(
            {*use->second, view.node, view.restarts, view.state, view.generation});
    }
}

void AgentCallHandler::on_answer(Session session, const AgentCallFailed& failed) {
    auto* const request = request_of(session, failed.stamp);
    if (request == nullptr) {
        return;
    }
    const NodeIndex index = *nodes_.find(session);
    const std::string sentence = nodes_[index].name + ": " + failed.detail;
    if (!request->reply) {
        request->reply = fail(failed.code, sentence);
    } else if (std::holds_alternative<TaskSignalReply>(*request->reply)) {
        note_signals(*request, index, sentence);
    } else if (auto* const usage = std::get_if<UsageReply>(&*request->reply)) {
        std::ranges::find(usage->nodes, nodes_[index].name, &UsageNode::name)->detail = sentence;
    }
}

}  // namespace muster::coordinator
