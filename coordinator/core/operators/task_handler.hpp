#pragma once

#include <optional>
#include <span>

#include "common/base/result.hpp"
#include "common/messages/operator/tasks.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/ledger.hpp"
#include "coordinator/core/liveness/recovery.hpp"
#include "coordinator/core/operators/changes.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// What operators change of the tasks. It sees neither planner nor nodes: what follows from a
/// change follows once it is durable.
class TaskHandler {
public:
    TaskHandler(Ledger& ledger, const Placements& placements, const Recovery& recovery)
        : ledger_{ledger}, placements_{placements}, recovery_{recovery} {}

    void handle(const RequestContext& context, const ChangesTasks auto& request);

private:
    /// A label that these tasks newly ask for and that no node has, though it is known what they
    /// have.
    [[nodiscard]] std::optional<Error> unknown_label_in(std::span<const WantedTask> tasks) const;

    Ledger& ledger_;
    const Placements& placements_;
    const Recovery& recovery_;
};

}  // namespace muster::coordinator
