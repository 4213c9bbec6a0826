#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/base/ids.hpp"
#include "common/messages/message.hpp"
#include "coordinator/core/effects.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/liveness/liveness.hpp"
#include "coordinator/core/membership/membership.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/core/suspension/suspension.hpp"
#include "coordinator/core/workload/copies.hpp"

namespace muster::coordinator {

/// Applies what agents report about their instances and orders.
///
///     report -> the round's answer? -> copies -> score -> misses -> loss ends -> readiness
///
/// A report overwrites what was known. An answer that does not match the open poll changes nothing.
class Reports {
public:
    Reports(NodeRegistry& nodes, Copies& copies, const Meta& meta, Suspension& suspension,
            Liveness& liveness, Membership& membership)
        : nodes_{nodes},
          copies_{copies},
          meta_{meta},
          suspension_{suspension},
          liveness_{liveness},
          membership_{membership} {}

    void on_report(StepContext& step, Session session, const Report& report, Effects& effects);
    void on_ack(StepContext& step, Session session, const Ack& ack, Effects& effects);
    /// The agent of this connection sent a message that cannot be decoded.
    void on_undecodable(StepContext& step, const Undecodable& input);

private:
    /// The report answers the poll of the open round.
    void on_answer(StepContext& step, NodeIndex index, const Report& report, Effects& effects);
    /// Queries show the reason with the node until a valid answer arrives.
    void note_bad_report(StepContext& step, NodeIndex index, std::string why);
    [[nodiscard]] AnswerFacts& facts_of_answers(NodeIndex index);
    /// Stores the facts about the host.
    void note_host(const StepContext& step, NodeIndex index, const Report& report);
    /// Applies the instances of a report. True: our view of the node is now current.
    [[nodiscard]] bool apply(StepContext& step, NodeIndex index, const Report& report,
                             Effects& effects);
    void blame_claims(StepContext& step, NodeIndex index, std::string why);
    void resolve_orders(StepContext& step, NodeIndex index, Sequence obeyed, Effects& effects);
    /// Emits events, and makes the planner prefer other nodes.
    void note_vanished(StepContext& step, NodeIndex index, std::span<const Vanished> all,
                       std::string_view how, Effects& effects);
    void on_applied(StepContext& step, NodeIndex index, const Report& report,
                    const Applied& applied, Effects& effects);

    NodeRegistry& nodes_;
    Copies& copies_;
    const Meta& meta_;
    Suspension& suspension_;
    Liveness& liveness_;
    Membership& membership_;
};

}  // namespace muster::coordinator
