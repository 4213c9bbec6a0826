#include "coordinator/core/operators/task_handler.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coordinator/core/operators/changes.hpp"
#include "coordinator/core/queries/selector.hpp"

namespace muster::coordinator {

namespace {

std::span<const WantedTask> tasks_of(const ApplyRequest& request) { return request.tasks; }
std::span<const WantedTask> tasks_of(const TaskAddRequest& request) { return {&request.task, 1}; }

}  // namespace

std::optional<Error> TaskHandler::unknown_label_in(std::span<const WantedTask> tasks) const {
    if (recovery_.runs()) {
        return std::nullopt;
    }
    std::set<std::string_view> known;  // Each key is looked for once.
    for (const WantedTask& task : tasks) {
        const auto before = ledger_.tasks().find(task.name);
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
            if (auto unknown = unknown_label(placements_, key)) {
                unknown->detail = "task '" + task.name + "': " + unknown->detail +
                                  "; with force it is taken all the same";
                return unknown;
            }
        }
    }
    return std::nullopt;
}

template <class Request>
void TaskHandler::change(const RequestContext& context, const Request& request, bool dry_run) {
    if (!dry_run && ledger_.deduplicate(context)) {
        return;
    }
    const Generation following = next(ledger_.proposed_meta().counter);
    auto written = change_of(request, ledger_.tasks(), following);
    if constexpr (requires { request.force; }) {
        auto unknown =
            written && !request.force ? unknown_label_in(tasks_of(request)) : std::nullopt;
        if (unknown) {
            written = tl::unexpected{*std::move(unknown)};
        }
    }
    ledger_.submit(context, std::move(written), dry_run);
}

void TaskHandler::handle(const RequestContext& context, const ApplyRequest& request) {
    change(context, request, request.dry_run);
}

void TaskHandler::handle(const RequestContext& context, const TaskAddRequest& request) {
    change(context, request);
}

void TaskHandler::handle(const RequestContext& context, const TaskRemoveRequest& request) {
    change(context, request);
}

void TaskHandler::handle(const RequestContext& context, const TaskScaleRequest& request) {
    change(context, request);
}

void TaskHandler::handle(const RequestContext& context, const TaskRestartRequest& request) {
    change(context, request);
}

}  // namespace muster::coordinator
