#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/base/result.hpp"
#include "common/messages/operator/tasks.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/liveness/recovery.hpp"
#include "coordinator/core/operators/changes.hpp"
#include "coordinator/core/operators/task_draft.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// Requests that change tasks. The handler uses neither planner nor nodes: a change has its effects
/// once it is durable. A large change takes several steps.
class TaskHandler {
public:
    TaskHandler(const CoordinatorOptions& options, Changes changes, const Placements& placements,
                const Recovery& recovery)
        : options_{options}, changes_{changes}, placements_{placements}, recovery_{recovery} {}

    void handle(const RequestContext& context, const ChangesTasks auto& request);

    /// A change is being computed. No other may begin.
    [[nodiscard]] bool is_drafting() const { return draft_.has_value(); }
    /// Computes more of the change.
    void go_on(StepContext& step);
    /// The leadership ends: the request gets this error.
    void fail_all(const Error& error, std::vector<ReplyTo>& replies);

private:
    /// A change that is being computed, and its request.
    struct Draft {
        FromOperator input;
        TaskDraft change;
        std::optional<Error> unknown_word{};
    };

    void go_on(const RequestContext& context, const ChangesTasks auto& request);
    /// An error for a label or pool that these tasks newly ask for and that no node has. Not
    /// checked during recovery, because labels and pools of nodes are not known yet.
    [[nodiscard]] std::optional<Error> unknown_word_in(std::span<const WantedTask> tasks) const;

    const CoordinatorOptions& options_;
    Changes changes_;
    const Placements& placements_;
    const Recovery& recovery_;
    std::optional<Draft> draft_;
};

}  // namespace muster::coordinator
