#pragma once

#include <map>
#include <span>
#include <string>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"
#include "common/messages/operator/nodes.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/suspension/flap_score.hpp"

namespace muster::coordinator {

/// The flap scores of nodes, and their suspensions.
class Suspension {
public:
    Suspension(const CoordinatorOptions& options, NodeRegistry& nodes)
        : options_{options}, nodes_{nodes} {}

    /// Adds to the node's score, which may suspend it. A node that is suspended is not judged.
    void add(StepContext& step, NodeIndex index, FlapCause cause);
    /// These nodes did not answer a poll. Misses above `silent_limit` do not count: they may be a
    /// mass silence, and otherwise the node is soon lost anyway.
    void on_silence(StepContext& step, std::span<const NodeIndex> silent,
                    std::uint32_t silent_limit);
    /// Judges what an answer reports about the host and the orders of the node.
    void on_answer(StepContext& step, NodeIndex index, const Report& report);
    /// The suspension has lasted its full length.
    void on_suspension_over(StepContext& step, NodeIndex index);
    /// The node was not suspended for long enough: clears its score and earlier suspensions.
    void on_quiet_period_over(StepContext& step, NodeIndex index);
    /// An operator ends its suspension, if it is suspended, and clears its score.
    void clear(StepContext& step, NodeIndex index, const std::string& why);
    /// The record is deleted.
    void forget(NodeIndex index) { scores_.erase(index); }

    /// The node has a score above 0, or suspensions that were not cleared.
    [[nodiscard]] bool has_record(Instant now, NodeIndex index) const;
    /// It reported an instance that was never ordered there, so its reports are not trusted.
    [[nodiscard]] bool has_claimed(NodeIndex index) const;
    /// For people. Does not include what blocks its instances from moving.
    [[nodiscard]] FlapScoreView view(Instant now, NodeIndex index) const;

private:
    friend struct CoreFields;

    void suspend(StepContext& step, NodeIndex index, FlapCause last);
    void end(StepContext& step, NodeIndex index, NodeChange how, std::string why);
    void forgive(StepContext& step, NodeIndex index, std::string why);

    const CoordinatorOptions& options_;
    NodeRegistry& nodes_;
    std::map<NodeIndex, FlapScore> scores_;  // Nodes that never had a cause have no entry.
};

}  // namespace muster::coordinator
