#include "coordinator/core/planning/pass/task_statuses.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

bool TaskStatuses::record(TaskIndex index, const Reading& reading,
                          std::span<const Shortage> shortages, std::optional<Ordinal> unproven) {
    Recorded& task = made_at(tasks_, index);
    const bool was_unplaced = task.counts && task.status.phase == TaskPhase::unplaced;
    if (task.counts) {
        count(task.status, ~std::uint64_t{0});
    }
    const std::uint32_t strays_before = task.status.strays;
    task.status =
        summarise(workload_, placements_, index, reading, shortages, is_new(index), unproven);
    if (task.status.updated == task.status.wanted) {
        task.was_healthy = workload_[index].generation;
    }
    if (task.status.phase == TaskPhase::unplaced && !was_unplaced) {
        unplaced_.add(index);
    }
    task.counts = true;
    count(task.status, 1);
    if (task.status.shortage().count > 0) {
        short_tasks_.insert(index);
    } else if (!short_tasks_.empty()) {
        short_tasks_.erase(index);
    }
    if (task.status.halted_by) {
        halted_tasks_.insert(index);
    } else if (!halted_tasks_.empty()) {
        halted_tasks_.erase(index);
    }
    return task.status.strays < strays_before;
}

void TaskStatuses::forget(TaskIndex index) {
    if (raw(index) < tasks_.size()) {
        if (const Recorded& task = tasks_[raw(index)]; task.counts) {
            count(task.status, ~std::uint64_t{0});
        }
        tasks_[raw(index)] = {};
        short_tasks_.erase(index);
        halted_tasks_.erase(index);
    }
}

std::vector<TaskIndex> TaskStatuses::take_stale() {
    constexpr std::size_t copies_at_most = 50'000;
    constexpr std::size_t copies_that_take_as_long_as_a_task = 20;
    std::size_t count = 0;
    std::size_t copies = 0;
    for (const TaskIndex task : stale_.all()) {
        if (copies >= copies_at_most) {
            break;
        }
        copies += copies_that_take_as_long_as_a_task + workload_[task].ordinals();
        ++count;
    }
    std::vector<TaskIndex> taken = stale_.take(workload_, count);
    is_behind_ = !stale_.empty();
    return taken;
}

Totals TaskStatuses::totals() const {
    Totals totals = totals_;
    totals.unconverged += is_behind_ ? stale_.all().size() : 0;
    return totals;
}

std::vector<TaskIndex> TaskStatuses::take_unplaced(std::size_t most) {
    const std::size_t count = std::min(most, unplaced_due_);
    unplaced_due_ -= count;
    return unplaced_.take(workload_, count);
}

void TaskStatuses::on_pass_over() {
    stale_.clear();
    is_behind_ = false;
    held_back_.reset();
}

std::span<const Shortage> TaskStatuses::shortages_of(TaskIndex index) const {
    // summarise() limits the count to the missing instances.
    static constexpr std::array unseen{Shortage{Obstacle::recovering, ~0U}};
    if (held_back_ && workload_[index].created <= *held_back_) {
        return unseen;
    }
    return raw(index) < tasks_.size()
               ? std::span<const Shortage>{tasks_[raw(index)].status.shortages}
               : std::span<const Shortage>{};
}

std::optional<TaskIndex> TaskStatuses::first_short(Obstacle code) const {
    std::optional<TaskIndex> first;
    int left = 2'000;  // With very many, any of them will do.
    for (auto at = short_tasks_.begin(); at != short_tasks_.end() && left > 0; ++at, --left) {
        const TaskIndex task = *at;
        const Shortages& all = tasks_[raw(task)].status.shortages;
        const bool is_it = std::ranges::find(all, code, &Shortage::code) != all.end();
        if (is_it && (!first || workload_.name(task) < workload_.name(*first))) {
            first = task;
        }
    }
    return first;
}

std::vector<std::string> TaskStatuses::first_unconverged(std::size_t most) const {
    std::set<std::string_view> first;
    for (std::size_t index = 0; index < tasks_.size(); ++index) {
        const TaskIndex task{static_cast<std::uint32_t>(index)};
        const Recorded& recorded = tasks_[index];
        const bool is_converged = recorded.status.phase == TaskPhase::converged;
        if (recorded.counts ? !is_converged : is_behind_ && stale_.contains(task)) {
            first.insert(workload_.name(task));
            if (first.size() > most) {
                first.erase(std::prev(first.end()));
            }
        }
    }
    return {first.begin(), first.end()};
}

std::optional<TaskIndex> TaskStatuses::first_halted() const {
    std::optional<TaskIndex> first;
    int left = 2'000;  // As above.
    for (auto at = halted_tasks_.begin(); at != halted_tasks_.end() && left > 0; ++at, --left) {
        if (!first || workload_.name(*at) < workload_.name(*first)) {
            first = *at;
        }
    }
    return first;
}

/// Subtracts if `sign` is -1.
void TaskStatuses::count(const TaskStatus& status, std::uint64_t sign) {
    totals_.wanted += sign * status.wanted;
    totals_.running += sign * status.running;
    totals_.starting += sign * status.starting;
    totals_.backoff += sign * status.backoff;
    totals_.exited += sign * status.exited;
    totals_.failed += sign * status.failed;
    totals_.rolling += sign * status.rolling;
    totals_.stopping += sign * status.stopping;
    totals_.strays += sign * status.strays;
    totals_.unconverged += sign * (status.phase == TaskPhase::converged ? 0U : 1U);
    totals_.halted += status.halted_by ? sign : std::uint64_t{0};
    totals_.moves += sign * status.moving;
    for (const Shortage& shortage : status.shortages) {
        totals_.unplaced +=
            status.phase == TaskPhase::unplaced ? sign * shortage.count : std::uint64_t{0};
        count(shortage, sign == 1);
    }
}

void TaskStatuses::count(const Shortage& shortage, bool adds) {
    if (shortage.count == 0) {
        return;
    }
    auto at = std::ranges::find(shortages_, shortage.code, &Shortage::code);
    if (at == shortages_.end()) {
        ensure(adds, "a shortage is taken away only after it was added");
        const auto behind = std::ranges::find_if(shortages_, [&](const Shortage& other) {
            return to_string(shortage.code) < to_string(other.code);
        });
        at = shortages_.insert(behind, {shortage.code, 0});
    }
    at->count = adds ? at->count + shortage.count : at->count - shortage.count;
    if (at->count == 0) {
        shortages_.erase(at);
    }
}

}  // namespace muster::coordinator
