#include "coordinator/core/operators/task_handler.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <type_traits>
#include <variant>

#include "coordinator/core/queries/selector.hpp"

namespace muster::coordinator {

namespace {

[[nodiscard]] bool is_dry_run(const auto& request) {
    if constexpr (requires { request.dry_run; }) {
        return request.dry_run;
    }
    return false;
}

}  // namespace

std::optional<Error> TaskHandler::unknown_word_in(std::span<const WantedTask> tasks) const {
    if (recovery_.runs()) {
        return std::nullopt;
    }
    std::set<std::string_view> known;  // Each key and each pool is checked once.
    std::set<std::string_view> known_pools;
    const auto of_task = [](const WantedTask& task, std::optional<Error> unknown) {
        if (unknown) {
            unknown->detail = "task '" + task.name + "': " + unknown->detail +
                              (unknown->detail.ends_with('?') ? "" : ";") +
                              " --force accepts it anyway";
        }
        return unknown;
    };
    for (const WantedTask& task : tasks) {
        const auto before = changes_.tasks().find(task.name);
        const auto is_new = [&](auto member) {
            return !before || !(before->place->*member == task.place.*member);
        };
        std::vector<std::string_view> keys;
        if (is_new(&PlacementRule::constraints)) {
            for (const Constraint& constraint : task.place.constraints) {
                keys.push_back(constraint.key);
            }
        }
        if (!task.place.spread.empty() && is_new(&PlacementRule::spread)) {
            keys.push_back(task.place.spread);
        }
        for (const std::string_view key : keys) {
            if (!known.insert(key).second) {
                continue;
            }
            if (auto unknown = of_task(task, unknown_label(placements_, key))) {
                return unknown;
            }
        }
        // A pool with a definition gets its nodes from what its tasks need.
        const bool is_defined = changes_.pools().find(task.place.pool) != nullptr;
        if (!is_defined && is_new(&PlacementRule::pool) &&
            known_pools.insert(task.place.pool).second) {
            if (auto unknown = of_task(task, unknown_pool(placements_, task.place.pool))) {
                return unknown;
            }
        }
    }
    return std::nullopt;
}

void TaskHandler::handle(const RequestContext& context, const ChangesTasks auto& request) {
    if (is_dry_run(request) || !changes_.deduplicate(context)) {
        draft_.emplace(Draft{context.input, TaskDraft{next(changes_.meta().counter)}});
        go_on(context, request);
    }
}

void TaskHandler::go_on(const RequestContext& context, const ChangesTasks auto& request) {
    Draft& draft = *draft_;
    const std::size_t before = draft.change.count();
    auto is_whole = draft.change.go_on(request, changes_, options_.rows_of_step);
    if constexpr (requires { request.force; }) {
        const auto tasks = tasks_of(request);
        const std::size_t from = std::min(before, tasks.size());
        const std::size_t to = std::min(draft.change.count(), tasks.size());
        if (!request.force && !draft.unknown_word) {
            draft.unknown_word = unknown_word_in(tasks.subspan(from, to - from));
        }
    }
    if (is_whole && !*is_whole) {
        return;
    }
    if (is_whole && draft.unknown_word) {
        is_whole = tl::unexpected{*draft.unknown_word};
    }
    changes_.submit(context, is_whole.map([&](bool) { return draft.change.take(); }),
                    is_dry_run(request));
    draft_.reset();
}

void TaskHandler::go_on(StepContext& step) {
    const FromOperator input = draft_->input;
    const RequestContext context{step, input};
    const auto more = [&](const auto& body) {
        if constexpr (ChangesTasks<std::decay_t<decltype(body)>>) {
            go_on(context, body);
        }
    };
    std::visit(more, input.request->body);
}

void TaskHandler::fail_all(const Error& error, std::vector<ReplyTo>& replies) {
    if (draft_) {
        replies.push_back(
            {draft_->input.ticket, Reply{draft_->input.request->id, tl::unexpected{error}}});
        draft_.reset();
    }
}

template void TaskHandler::handle(const RequestContext&, const ApplyRequest&);
template void TaskHandler::handle(const RequestContext&, const TaskAddRequest&);
template void TaskHandler::handle(const RequestContext&, const TaskRemoveRequest&);
template void TaskHandler::handle(const RequestContext&, const TaskScaleRequest&);
template void TaskHandler::handle(const RequestContext&, const TaskRestartRequest&);

}  // namespace muster::coordinator
