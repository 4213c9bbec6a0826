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

/// What counts against nodes, and the suspensions that follow from it.
class Suspension {
public:
    Suspension(const CoordinatorOptions& options, NodeRegistry& nodes)
        : options_{options}, nodes_{nodes} {}

    /// Adds to the node's score, which may suspend it. A node that is suspended is not judged.
    void add(StepContext& step, NodeIndex index, FlapCause cause);
    /// These did not answer a poll. A node that missed more than `silent_limit` is silent, and
    /// nothing worse: that may be a freeze, and it is lost soon if it is none.
    void on_silence(StepContext& step, std::span<const NodeIndex> silent,
                    std::uint32_t silent_limit);
    /// What an answer says of its host and of the orders that the node was given.
    void on_answer(StepContext& step, NodeIndex index, const Report& report);
    /// The suspension has lasted as long as it was to.
    void on_served(StepContext& step, NodeIndex index);
    /// The node's conduct was good for long enough.
    void on_good_conduct(StepContext& step, NodeIndex index);
    /// An operator ends its suspension, if it is suspended, and clears its score.
    void clear(StepContext& step, NodeIndex index, const std::string& why);
    /// The record ends.
    void forget(NodeIndex index) { scores_.erase(index); }

    /// Something counts against it: a score, or suspensions that are not forgiven.
    [[nodiscard]] bool has_record(Instant now, NodeIndex index) const;
    /// It claimed what was never ordered there: its word counts for little.
    [[nodiscard]] bool has_claimed(NodeIndex index) const;
    /// For people. What blocks its work from leaving is not known here.
    [[nodiscard]] FlapScoreView view(Instant now, NodeIndex index) const;

private:
    friend struct CoreFields;

    void suspend(StepContext& step, NodeIndex index, FlapCause last);
    void end(StepContext& step, NodeIndex index, NodeChange how, std::string why);
    void forgive(StepContext& step, NodeIndex index, std::string why);

    const CoordinatorOptions& options_;
    NodeRegistry& nodes_;
    std::map<NodeIndex, FlapScore> scores_;  // Of the nodes that something counted against.
};

}  // namespace muster::coordinator
