#include "coordinator/core/ledger/proposed.hpp"

#include <algorithm>

#include "common/base/limits.hpp"

namespace muster::coordinator {

Proposed::Proposed(const Workload& workload) : workload_{workload} {
    for (const TaskIndex index : workload.wanted()) {
        ++tasks_;
        instances_ += workload[index].instances;
    }
}

std::optional<ProposedTask> Proposed::find(std::string_view name) const {
    if (const auto* const row = overlay_.find(name)) {
        const auto& task = *row;
        return task ? std::optional{ProposedTask{task->wanted.instances, &task->wanted.spec,
                                                 &task->wanted.place, task->generation,
                                                 task->created}}
                    : std::nullopt;
    }
    const auto index = workload_.find(name);
    if (!index || !workload_[*index].wanted) {
        return std::nullopt;
    }
    const Task& task = workload_[*index];
    return ProposedTask{task.instances, &task.spec, &task.place, task.generation, task.created};
}

std::vector<std::string> Proposed::names() const {
    std::vector<std::string> names;
    for (const TaskIndex index : workload_.wanted()) {
        const std::string& name = workload_[index].name;
        if (overlay_.find(name) == nullptr) {
            names.push_back(name);
        }
    }
    overlay_.each([&](const std::string& name, const std::optional<StoredTask>& task) {
        if (task) {
            names.push_back(name);
        }
    });
    std::sort(names.begin(), names.end());
    return names;
}

void Proposed::put(std::uint64_t number, const StoredTask& task) {
    overlay(number, task.wanted.name, task);
    removed_.erase(task.wanted.name);
}

void Proposed::erase(std::uint64_t number, std::string_view name, Generation by) {
    overlay(number, name, std::nullopt);
    removed_.insert_or_assign(std::string{name}, by);
    removals_.emplace_back(name, by);
    while (removals_.size() > limits::removed_names) {
        const auto oldest = removed_.find(removals_.front().first);
        if (oldest != removed_.end() && oldest->second == removals_.front().second) {
            removed_.erase(oldest);
        }
        removals_.pop_front();
    }
}

std::optional<Generation> Proposed::removed_by(std::string_view name) const {
    const auto found = removed_.find(name);
    return found == removed_.end() ? std::nullopt : std::optional{found->second};
}

void Proposed::overlay(std::uint64_t number, std::string_view name,
                       std::optional<StoredTask> task) {
    if (const auto before = find(name)) {
        --tasks_;
        instances_ -= before->instances;
    }
    if (task) {
        ++tasks_;
        instances_ += task->wanted.instances;
    }
    overlay_.put(number, name, std::move(task));
}

}  // namespace muster::coordinator
