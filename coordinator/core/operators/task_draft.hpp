#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "common/spec/spec.hpp"
#include "coordinator/core/ledger/change.hpp"
#include "coordinator/core/operators/changes.hpp"

namespace muster::coordinator {

/// Requests that change tasks.
template <class Request>
concept ChangesTasks = std::same_as<Request, ApplyRequest> ||
    std::same_as<Request, TaskAddRequest> || std::same_as<Request, TaskRemoveRequest> ||
    std::same_as<Request, TaskScaleRequest> || std::same_as<Request, TaskRestartRequest>;

/// The tasks in the request. None if it names existing tasks by a pattern.
[[nodiscard]] std::span<const WantedTask> tasks_of(const ChangesTasks auto& request) {
    if constexpr (requires { request.tasks; }) {
        return request.tasks;
    } else if constexpr (requires { request.task; }) {
        return {&request.task, 1};
    } else {
        return {};
    }
}

/// The rows of tasks to write, and the changes in the reply.
struct TaskChanges {
    Rows<StoredTask> rows;
    std::vector<TaskChange> changes;
};

/// The change of a request to tasks. A request is checked as a whole against the proposed tasks,
/// and then applied completely or not at all. The change is computed some names at a time; no other
/// change of tasks may be proposed meanwhile.
class TaskDraft {
public:
    /// `next` is the number of the change. A request that leaves all tasks unchanged takes no
    /// number.
    explicit TaskDraft(Generation next) : next_{next} {}

    /// Computes at most this many names more. True: those were the last.
    [[nodiscard]] Result<bool> go_on(const ChangesTasks auto& request, const Changes& state,
                                     std::size_t most);
    /// How many names are done; the tasks in the request come first.
    [[nodiscard]] std::size_t count() const { return at_; }
    [[nodiscard]] Answered take();

private:
    Generation next_;
    std::size_t at_ = 0;
    std::set<std::string_view> named_;  // Names in the request.
    std::vector<std::string> names_;    // Names of existing tasks that may change.
    TaskChanges written_;
};

}  // namespace muster::coordinator
