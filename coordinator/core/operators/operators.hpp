#pragma once

#include <deque>
#include <optional>

#include "common/base/time.hpp"
#include "coordinator/core/effects.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/operators/agent_calls/agent_call_handler.hpp"
#include "coordinator/core/operators/changes.hpp"
#include "coordinator/core/operators/cluster_handler.hpp"
#include "coordinator/core/operators/key_handler.hpp"
#include "coordinator/core/operators/node_handler.hpp"
#include "coordinator/core/operators/plan_waits.hpp"
#include "coordinator/core/operators/pools/demand_handler.hpp"
#include "coordinator/core/operators/pools/pool_handler.hpp"
#include "coordinator/core/operators/secret_handler.hpp"
#include "coordinator/core/operators/task_handler.hpp"
#include "coordinator/core/operators/waits.hpp"
#include "coordinator/core/queries/facts.hpp"
#include "coordinator/core/security/access.hpp"

namespace muster::coordinator {

/// Requests of operators: each kind has one handler, by its subject. A request that changes nothing
/// is answered from the facts. A large change takes several steps; other changes wait in a queue
/// meanwhile.
class Operators {
public:
    Operators(const Facts& facts, Ledger& ledger, Liveness& liveness, Planning& planning,
              Enrolments& enrolments, Demand& demand)
        : ledger_{ledger},
          planning_{planning},
          tasks_{facts.options, Changes{ledger}, facts.copies.placements, liveness.recovery()},
          nodes_{Changes{ledger}, facts.membership, facts.suspension},
          cluster_{facts.options, facts.nodes, Changes{ledger}, liveness, facts.freeze, planning},
          keys_{Changes{ledger}, enrolments},
          secrets_{Changes{ledger}},
          demand_{Changes{ledger}, demand},
          pools_{facts.options, Changes{ledger}},
          agent_calls_{facts.nodes, facts.copies, ledger} {}

    void on_request(StepContext& step, const FromOperator& input, const Facts& facts,
                    Effects& effects);
    /// Continues a large change, and the queued requests, at a wake.
    void go_on(StepContext& step, const Facts& facts, const Access& access, Effects& effects);
    /// An agent answered a call of an operator.
    void on_answer(Session session, const auto& answer) { agent_calls_.on_answer(session, answer); }
    /// The end of a step: answers waits that are over, and calls that wait for no more agent.
    void flush(StepContext& step, const Facts& facts, const Effects& effects);
    /// The leadership ends: all waiting requests get this error.
    void fail_all(const Error& error, Output& output);
    [[nodiscard]] std::optional<Instant> next_deadline() const;
    /// A large change is not complete, or requests are queued.
    [[nodiscard]] bool is_busy() const {
        return tasks_.is_drafting() || ledger_.is_submitting() || !in_line_.empty();
    }

private:
    friend struct CoreFields;

    void handle(const RequestContext& context, const Facts& facts, Effects& effects);
    void wait(const RequestContext& context, const WaitRequest& request, Effects& effects);
    void plan(const RequestContext& context, const Facts& facts, const PlanRequest& request);
    void answer_plan(StepContext& step, const Facts& facts);

    Ledger& ledger_;
    Planning& planning_;
    TaskHandler tasks_;
    NodeHandler nodes_;
    ClusterHandler cluster_;
    KeyHandler keys_;
    SecretHandler secrets_;
    DemandHandler demand_;
    PoolHandler pools_;
    AgentCallHandler agent_calls_;
    Waits waits_;
    PlanWaits plan_waits_;
    std::deque<FromOperator> in_line_;
};

}  // namespace muster::coordinator
