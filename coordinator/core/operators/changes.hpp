#pragma once

#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "common/spec/spec.hpp"
#include "coordinator/core/ledger/pending.hpp"
#include "coordinator/core/ledger/proposed.hpp"

namespace muster::coordinator {

/// What an operator's request does to the tasks, by pure functions: checked whole against what is
/// proposed, then all of it or nothing. `next` is the number the change takes if it changes
/// anything; one whose list of changes says `unchanged` throughout takes none.
[[nodiscard]] Result<TasksWritten> change_of(const ApplyRequest& request, const Proposed& proposed,
                                             Generation next);
[[nodiscard]] Result<TasksWritten> change_of(const TaskAddRequest& request,
                                             const Proposed& proposed, Generation next);
[[nodiscard]] Result<TasksWritten> change_of(const TaskRemoveRequest& request,
                                             const Proposed& proposed, Generation next);
[[nodiscard]] Result<TasksWritten> change_of(const TaskScaleRequest& request,
                                             const Proposed& proposed, Generation next);
[[nodiscard]] Result<TasksWritten> change_of(const TaskRestartRequest& request,
                                             const Proposed& proposed, Generation next);

}  // namespace muster::coordinator
