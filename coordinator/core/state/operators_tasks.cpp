#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coordinator/core/operators/changes.hpp"
#include "coordinator/core/queries/selector.hpp"
#include "coordinator/core/state/state.hpp"

/// What operators change of the tasks.
namespace muster::coordinator {

namespace {

std::span<const WantedTask> tasks_of(const ApplyRequest& request) { return request.tasks; }
std::span<const WantedTask> tasks_of(const TaskAddRequest& request) { return {&request.task, 1}; }

}  // namespace

std::optional<Error> State::unknown_label_in(std::span<const WantedTask> tasks) const {
    if (recovery.runs()) {
        return std::nullopt;
    }
    std::set<std::string_view> known;  // Each key is looked for once.
    for (const WantedTask& task : tasks) {
        const auto before = proposed.find(task.name);
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
            if (auto unknown = unknown_label(placements, key)) {
                unknown->detail = "task '" + task.name + "': " + unknown->detail +
                                  "; with force it is taken all the same";
                return unknown;
            }
        }
    }
    return std::nullopt;
}

template <class Request>
void State::change(const Asked& asked, const Request& request, bool dry_run) {
    if (dry_run || !settle_by_id(asked)) {
        const Generation following = next(pending.proposed().counter);
        auto written = change_of(request, proposed, following);
        if constexpr (requires { request.force; }) {
            auto unknown =
                written && !request.force ? unknown_label_in(tasks_of(request)) : std::nullopt;
            if (unknown) {
                written = tl::unexpected{*std::move(unknown)};
            }
        }
        settle_change(asked, std::move(written), dry_run);
    }
}

void State::ask(const Asked& asked, const ApplyRequest& request) {
    change(asked, request, request.dry_run);
}

void State::ask(const Asked& asked, const TaskAddRequest& request) { change(asked, request); }

void State::ask(const Asked& asked, const TaskRemoveRequest& request) { change(asked, request); }

void State::ask(const Asked& asked, const TaskScaleRequest& request) { change(asked, request); }

void State::ask(const Asked& asked, const TaskRestartRequest& request) { change(asked, request); }

}  // namespace muster::coordinator
