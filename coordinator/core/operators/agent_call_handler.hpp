#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/messages/message.hpp"
#include "common/messages/operator/errands.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/operators/agent_calls.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/core/workload/copies.hpp"

namespace muster::coordinator {

/// What operators ask of agents: what instances print and use, and signals to them.
class AgentCallHandler {
public:
    AgentCallHandler(const NodeRegistry& nodes, const Copies& copies, const Meta& meta)
        : nodes_{nodes}, copies_{copies}, meta_{meta} {}

    void handle(const RequestContext& context, const LogsRequest& request);
    void handle(const RequestContext& context, const TaskSignalRequest& request);
    void handle(const RequestContext& context, const UsageRequest& request);

    void on_answer(Session session, const LogPiece& piece);
    void on_answer(Session session, const Signalled& signalled);
    void on_answer(Session session, const Measured& measured);
    void on_answer(Session session, const ErrandFailed& failed);

    [[nodiscard]] AgentCalls& calls() { return calls_; }
    [[nodiscard]] const AgentCalls& calls() const { return calls_; }

private:
    friend struct CoreFields;

    /// For a node that is to be asked; nothing: it cannot be.
    [[nodiscard]] std::optional<ErrandStamp> stamp_for(AgentCalls::Request& request,
                                                       NodeIndex index);
    [[nodiscard]] Result<InstanceId> instance_meant(const std::string& text) const;
    /// Where its log is; an empty name: wherever it is.
    [[nodiscard]] Result<NodeIndex> home_of_log(const InstanceId& id,
                                                const std::string& node) const;
    /// The instances that get a signal, as if no agent answered.
    [[nodiscard]] Result<std::vector<SignalView>> signalled(const std::string& pattern) const;
    void note_signals(AgentCalls::Request& request, NodeIndex index,
                      const std::string& detail) const;
    /// That waits for this answer; null: none does.
    [[nodiscard]] AgentCalls::Request* request_of(Session session, const ErrandStamp& stamp);

    const NodeRegistry& nodes_;
    const Copies& copies_;
    const Meta& meta_;
    AgentCalls calls_;
};

}  // namespace muster::coordinator
