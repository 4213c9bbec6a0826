#include "coordinator/core/workload/workload.hpp"

#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

namespace muster::coordinator {

std::optional<TaskIndex> Workload::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional{found->second};
}

std::vector<TaskIndex> Workload::wanted() const {
    std::vector<TaskIndex> indices;
    indices.reserve(wanted_count_);
    for (std::size_t at = 0; at < tasks_.size(); ++at) {
        if (tasks_[at].wanted) {
            indices.push_back(TaskIndex{static_cast<std::uint32_t>(at)});
        }
    }
    std::ranges::sort(indices, [&](TaskIndex a, TaskIndex b) { return name(a) < name(b); });
    return indices;
}

TaskIndex Workload::put(const StoredTask& stored) {
    const TaskIndex index = intern(stored.wanted.name);
    Task& task = at(index);
    wanted_count_ += task.wanted ? 0 : 1;
    task.wanted = true;
    task.instances = stored.wanted.instances;
    if (task.generation != stored.generation) {
        task.digest = digest_of(stored.wanted.spec);
        task.ended_well = {};
    }
    task.spec = stored.wanted.spec;
    task.place = stored.wanted.place;
    task.generation = stored.generation;
    task.created = stored.created;
    if (!task.is_everywhere()) {
        task.bound.clear();
    }
    raise_counter(stored.generation);
    touch(index);
    return index;
}

bool Workload::note_end(TaskIndex index, Ordinal ordinal) {
    ensure(at(index).keeps_ends(), "ends are kept of tasks that run to their end");
    if (!at(index).ended_well.add(ordinal)) {
        return false;
    }
    touch(index);
    return true;
}

void Workload::restore(const StoredEnds& ends) {
    const auto index = find(ends.name);
    if (index && at(*index).generation == ends.generation) {
        at(*index).ended_well = ends.ordinals;
        touch(*index);
    }
}

void Workload::unwant(TaskIndex index) {
    Task& task = at(index);
    ensure(task.wanted, "only a wanted task is unwanted");
    wanted_count_ -= 1;
    std::string name = std::move(task.name);
    task = Task{};
    task.name = std::move(name);
    touch(index);
}

void Workload::bind(TaskIndex index, std::vector<NodeIndex> bound) {
    ensure(at(index).is_everywhere(), "only ordinals of a task of every node are bound");
    at(index).bound = std::move(bound);
}

void Workload::raise_counter(Generation counter) { counter_ = std::max(counter_, counter); }

TaskIndex Workload::intern(std::string_view name) {
    if (const auto known = find(name)) {
        return *known;
    }
    TaskIndex index{};
    if (free_.empty()) {
        ensure(tasks_.size() < std::numeric_limits<std::uint32_t>::max(), "task indices suffice");
        index = TaskIndex{static_cast<std::uint32_t>(tasks_.size())};
        names_.emplace_back(name);
        tasks_.emplace_back();
        touched_.push_back(false);
    } else {
        index = free_.back();
        free_.pop_back();
        names_[raw(index)] = name;
    }
    at(index).name = name;
    constexpr std::size_t many = 5'000;
    if (by_name_.size() == many) {
        // Growing a large map step by step would take about 20 ms.
        by_name_.reserve(limits::tasks);
    }
    by_name_.emplace(name, index);
    return index;
}

void Workload::release(TaskIndex index) {
    ensure(!at(index).wanted, "a wanted task keeps its index");
    ensure(by_name_.erase(name(index)) == 1, "an index is released once");
    at(index) = Task{};
    names_[raw(index)].clear();
    free_.push_back(index);
}

void Workload::touch_all() {
    for (std::uint32_t at = 0; at < tasks_.size(); ++at) {
        if (!names_[at].empty()) {
            touch(TaskIndex{at});
        }
    }
}

std::vector<TaskIndex> Workload::take_touched() {
    for (const TaskIndex task : touched_list_) {
        touched_[raw(task)] = false;
    }
    return std::exchange(touched_list_, {});
}

void Workload::touch(TaskIndex task) {
    if (!touched_[raw(task)]) {
        touched_[raw(task)] = true;
        touched_list_.push_back(task);
    }
}

}  // namespace muster::coordinator
