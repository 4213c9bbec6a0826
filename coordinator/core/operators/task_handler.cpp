#include "coordinator/core/operators/task_handler.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

void TaskHandler::handle(const RequestContext& context, const ChangesTasks auto& request) {
    bool dry_run = false;
    if constexpr (requires { request.dry_run; }) {
        dry_run = request.dry_run;
    }
    if (!dry_run && ledger_.deduplicate(context)) {
        return;
    }
    auto answered = change_of(request, ledger_, next(ledger_.proposed_meta().counter));
    if constexpr (requires { request.force; }) {
        auto unknown =
            answered && !request.force ? unknown_label_in(tasks_of(request)) : std::nullopt;
        if (unknown) {
            answered = tl::unexpected{*std::move(unknown)};
        }
    }
    ledger_.submit(context, std::move(answered), dry_run);
}

template void TaskHandler::handle(const RequestContext&, const ApplyRequest&);
template void TaskHandler::handle(const RequestContext&, const TaskAddRequest&);
template void TaskHandler::handle(const RequestContext&, const TaskRemoveRequest&);
template void TaskHandler::handle(const RequestContext&, const TaskScaleRequest&);
template void TaskHandler::handle(const RequestContext&, const TaskRestartRequest&);

}  // namespace muster::coordinator
