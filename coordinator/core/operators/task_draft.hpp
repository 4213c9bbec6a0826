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
#include "coordinator/core/ledger/ledger.hpp"

namespace muster::coordinator {

/// Requests that change tasks.
template <class Request>
concept ChangesTasks = std::same_as<Request, ApplyRequest> ||
    std::same_as<Request, TaskAddRequest> || std::same_as<Request, TaskRemoveRequest> ||
    std::same_as<Request, TaskScaleRequest> || std::same_as<Request, TaskRestartRequest>;

/// The tasks that the request brings. None: it names by a pattern what is there.
[[nodiscard]] std::span<const WantedTask> tasks_of(const ChangesTasks auto& request) {
    if constexpr (requires { request.tasks; }) {
        return request.tasks;
    } else if constexpr (requires { request.task; }) {
        return {&request.task, 1};
    } else {
        return {};
    }
}

/// What is written of tasks, and what is said to change.
struct TaskChanges {
    Rows<StoredTask> rows;
    std::vector<TaskChange> changes;
};

/// What an operator's request does to the tasks: checked whole against what is proposed, then all
/// of it or nothing. It is worked out some names at a time, and meanwhile nobody else may propose a
/// change of tasks.
class TaskDraft {
public:
    /// `next` is the number that the change takes if it changes anything; one whose list of changes
    /// says `unchanged` throughout takes none.
    explicit TaskDraft(Generation next) : next_{next} {}

    /// Works out at most this many names more. True: those were the last.
    [[nodiscard]] Result<bool> go_on(const ChangesTasks auto& request, const Ledger& ledger,
                                     std::size_t most);
    /// How many names are worked out; the tasks that the request brings come first.
    [[nodiscard]] std::size_t count() const { return at_; }
    [[nodiscard]] Answered take();

private:
    Generation next_;
    std::size_t at_ = 0;
    std::set<std::string_view> named_;  // By the request.
    std::vector<std::string> names_;    // Of what is there and may be changed.
    TaskChanges written_;
};

}  // namespace muster::coordinator
