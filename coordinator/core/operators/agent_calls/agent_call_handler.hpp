#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/messages/message.hpp"
#include "common/messages/operator/agent_calls.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/ledger.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/operators/agent_calls/agent_calls.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/core/workload/copies.hpp"

namespace muster::coordinator {

/// Operators' calls to agents: logs and usage of instances, and signals to them.
class AgentCallHandler {
public:
    AgentCallHandler(const NodeRegistry& nodes, const Copies& copies, const Ledger& ledger)
        : nodes_{nodes}, copies_{copies}, meta_{ledger.meta()}, keys_{ledger.keys()} {}

    void handle(const RequestContext& context, const LogsRequest& request);
    void handle(const RequestContext& context, const TaskSignalRequest& request);
    void handle(const RequestContext& context, const UsageRequest& request);

    void on_answer(Session session, const LogPiece& piece);
    void on_answer(Session session, const Signalled& signalled);
    void on_answer(Session session, const Measured& measured);
    void on_answer(Session session, const AgentCallFailed& failed);

    [[nodiscard]] AgentCalls& calls() { return calls_; }
    [[nodiscard]] const AgentCalls& calls() const { return calls_; }

private:
    friend struct CoreFields;

    /// The stamp of a call to the node; nothing if the node is not connected or lost.
    [[nodiscard]] std::optional<AgentCallStamp> stamp_for(AgentCalls::Request& request,
                                                          NodeIndex index);
    [[nodiscard]] Result<InstanceId> resolve_instance(const std::string& text) const;
    /// The node that has the log. An empty name: the node of the best copy.
    [[nodiscard]] Result<NodeIndex> node_of_log(const InstanceId& id,
                                                const std::string& node) const;
    /// The instances that get a signal, with the result if no agent answers.
    [[nodiscard]] Result<std::vector<SignalView>> signalled(const std::string& pattern) const;
    void note_signals(AgentCalls::Request& request, NodeIndex index,
                      const std::string& detail) const;
    /// The request that waits for this answer; null: none does.
    [[nodiscard]] AgentCalls::Request* request_of(Session session, const AgentCallStamp& stamp);

    const NodeRegistry& nodes_;
    const Copies& copies_;
    const Meta& meta_;
    const Keys& keys_;
    AgentCalls calls_;
};

}  // namespace muster::coordinator
