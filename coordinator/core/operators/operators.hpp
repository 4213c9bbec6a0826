#pragma once

#include <optional>

#include "common/base/time.hpp"
#include "common/messages/message.hpp"
#include "coordinator/core/effects.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/operators/agent_call_handler.hpp"
#include "coordinator/core/operators/cluster_handler.hpp"
#include "coordinator/core/operators/node_handler.hpp"
#include "coordinator/core/operators/task_handler.hpp"
#include "coordinator/core/operators/waits.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// What operators ask: each kind of request has one handler, by its subject. A request that changes
/// nothing is answered from the facts.
class Operators {
public:
    Operators(const Facts& facts, Ledger& ledger, Liveness& liveness, Planning& planning)
        : ledger_{ledger},
          planning_{planning},
          tasks_{ledger, facts.copies.placements, liveness.recovery()},
          nodes_{ledger, facts.membership, facts.suspension},
          cluster_{facts.options, facts.nodes, ledger, liveness, facts.freeze, planning},
          agent_calls_{facts.nodes, facts.copies, ledger.meta()} {}

    void handle(const RequestContext& context, const Facts& facts, Effects& effects);
    /// An agent answers what an operator asked of it.
    void on_answer(Session session, const auto& answer) { agent_calls_.on_answer(session, answer); }
    /// The end of a step: answers waits that are over, and calls that wait for no agent any more.
    void flush(StepContext& step, const Facts& facts, const Effects& effects);
    /// Leadership ends: all that wait get this error.
    void fail_all(const Error& error, Output& output);
    [[nodiscard]] std::optional<Instant> next_deadline() const;

private:
    friend struct CoreFields;  // Which records it.

    void wait(const RequestContext& context, const WaitRequest& request, Effects& effects);

    const Ledger& ledger_;
    Planning& planning_;
    TaskHandler tasks_;
    NodeHandler nodes_;
    ClusterHandler cluster_;
    AgentCallHandler agent_calls_;
    Waits waits_;
};

}  // namespace muster::coordinator
