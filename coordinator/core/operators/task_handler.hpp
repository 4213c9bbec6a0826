#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/base/result.hpp"
#include "common/messages/operator/tasks.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/ledger.hpp"
#include "coordinator/core/liveness/recovery.hpp"
#include "coordinator/core/operators/task_draft.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// What operators change of the tasks. It sees neither planner nor nodes: what follows from a
/// change follows once it is durable. A large change is worked out in several steps.
class TaskHandler {
public:
    TaskHandler(const CoordinatorOptions& options, Ledger& ledger, const Placements& placements,
                const Recovery& recovery)
        : options_{options}, ledger_{ledger}, placements_{placements}, recovery_{recovery} {}

    void handle(const RequestContext& context, const ChangesTasks auto& request);

    /// A change is being worked out. No other may be asked for.
    [[nodiscard]] bool is_drafting() const { return draft_.has_value(); }
    /// Works out more of it.
    void go_on(StepContext& step);
    /// Leadership ends: whoever asked for it gets this error.
    void fail_all(const Error& error, std::vector<ReplyTo>& replies);

private:
    /// A change that is being worked out, and who asked for it.
    struct Draft {
        FromOperator asked;
        TaskDraft change;
        std::optional<Error> unknown_word{};
    };

    void go_on(const RequestContext& context, const ChangesTasks auto& request);
    /// A label or a pool that these tasks newly ask for and that no node has. During recovery it is
    /// not known what nodes have.
    [[nodiscard]] std::optional<Error> unknown_word_in(std::span<const WantedTask> tasks) const;

    const CoordinatorOptions& options_;
    Ledger& ledger_;
    const Placements& placements_;
    const Recovery& recovery_;
    std::optional<Draft> draft_;
};

}  // namespace muster::coordinator
