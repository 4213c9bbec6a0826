#include "coordinator/core/operators/changes.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "common/base/limits.hpp"
#include "common/spec/description.hpp"
#include "coordinator/core/queries/matching.hpp"

namespace muster::coordinator {

namespace {

TaskChange unchanged(const std::string& name, const ProposedTask& task) {
    return TaskChange{.task = name,
                      .action = "unchanged",
                      .instances_before = task.instances,
                      .instances_after = task.instances,
                      .fields = {},
                      .generation = task.generation,
                      .every_node = task.place->every_node};
}

StoredTask stored(const std::string& name, const ProposedTask& task) {
    return StoredTask{WantedTask{name, task.instances, *task.spec, *task.place}, task.generation,
                      task.created};
}

void add(const WantedTask& task, Generation next, TasksWritten& written) {
    written.changes.changes.push_back(TaskChange{.task = task.name,
                                                 .action = "add",
                                                 .instances_before = 0,
                                                 .instances_after = task.instances,
                                                 .fields = {},
                                                 .generation = next,
                                                 .every_node = task.place.every_node});
    written.put.push_back(StoredTask{task, next, next});
}

void remove(const std::string& name, const ProposedTask& task, TasksWritten& written) {
    written.changes.changes.push_back(TaskChange{.task = name,
                                                 .action = "remove",
                                                 .instances_before = task.instances,
                                                 .instances_after = 0,
                                                 .fields = {},
                                                 .generation = task.generation,
                                                 .every_node = task.place->every_node});
    written.erased.push_back(name);
}

/// A new number of instances is no new generation: what runs goes on running.
void scale(const std::string& name, const ProposedTask& before, std::uint32_t instances,
           TasksWritten& written) {
    TaskChange change = unchanged(name, before);
    if (instances != before.instances) {
        change.action = "scale";
        change.instances_after = instances;
        StoredTask after = stored(name, before);
        after.wanted.instances = instances;
        written.put.push_back(std::move(after));
    }
    written.changes.changes.push_back(std::move(change));
}

/// Another spec is a new generation. Another rule of placement is none: what still fits runs on.
void change(const WantedTask& task, const ProposedTask& before, Generation next,
            TasksWritten& written) {
    auto fields = differing_fields(*before.spec, task.spec);
    const auto rules = differing_fields(*before.place, task.place);
    const Generation generation = fields.empty() ? before.generation : next;
    fields.insert(fields.end(), rules.begin(), rules.end());
    if (fields.empty()) {
        scale(task.name, before, task.instances, written);
        return;
    }
    written.changes.changes.push_back(TaskChange{.task = task.name,
                                                 .action = "change",
                                                 .instances_before = before.instances,
                                                 .instances_after = task.instances,
                                                 .fields = std::move(fields),
                                                 .generation = generation,
                                                 .every_node = task.place.every_node});
    written.put.push_back(StoredTask{task, generation, before.created});
}

/// The bounds of the whole workload, after the change.
Result<void> check_bounds(const TasksWritten& written, const Proposed& proposed) {
    std::size_t tasks = proposed.tasks();
    std::uint64_t instances = proposed.instances();
    for (const TaskChange& change : written.changes.changes) {
        tasks += change.action == "add" ? 1U : 0U;
        tasks -= change.action == "remove" ? 1U : 0U;
        instances += change.instances_after;
        instances -= change.instances_before;
    }
    if (tasks > limits::tasks) {
        return fail(Errc::too_large, "there would be " + std::to_string(tasks) +
                                         " tasks; at most " + std::to_string(limits::tasks) +
                                         " are possible");
    }
    if (instances > limits::total_instances) {
        return fail(Errc::too_large, "there would be " + std::to_string(instances) +
                                         " instances of all tasks; " + "at most " +
                                         std::to_string(limits::total_instances) + " are possible");
    }
    return {};
}

Result<TasksWritten> complete(TasksWritten written, const Proposed& proposed) {
    if (auto sound = check_bounds(written, proposed); !sound) {
        return tl::unexpected{sound.error()};
    }
    return written;
}

Result<std::vector<std::string>> tasks_matching(const std::string& pattern,
                                                const Proposed& proposed) {
    if (is_valid_name(pattern) && proposed.find(pattern)) {
        return std::vector{pattern};
    }
    auto matching = names_matching(pattern, proposed.names());
    if (matching && matching->empty()) {
        if (const auto change = proposed.removed_by(pattern)) {
            return fail(Errc::not_found, "task '" + pattern + "' was removed already, by change " +
                                             std::to_string(raw(*change)));
        }
        return fail(Errc::not_found, "no task matches '" + pattern + "'");
    }
    return matching;
}

}  // namespace

Result<TasksWritten> change_of(const ApplyRequest& request, const Proposed& proposed,
                               Generation next) {
    TasksWritten written;
    std::set<std::string_view> named;
    for (const WantedTask& task : request.tasks) {
        if (auto sound = validate(task); !sound) {
            return tl::unexpected{sound.error()};
        }
        if (!named.insert(task.name).second) {
            return fail(Errc::invalid, "task '" + task.name + "' is named twice; name it once");
        }
        if (const auto before = proposed.find(task.name)) {
            change(task, *before, next, written);
        } else {
            add(task, next, written);
        }
    }
    if (request.replace) {
        for (const std::string& name : proposed.names()) {
            if (!named.contains(name)) {
                remove(name, *proposed.find(name), written);
            }
        }
    }
    return complete(std::move(written), proposed);
}

Result<TasksWritten> change_of(const TaskAddRequest& request, const Proposed& proposed,
                               Generation next) {
    if (auto sound = validate(request.task); !sound) {
        return tl::unexpected{sound.error()};
    }
    if (proposed.find(request.task.name)) {
        return fail(Errc::exists, "task '" + request.task.name +
                                      "' is there already; change it with apply, or remove it");
    }
    TasksWritten written;
    add(request.task, next, written);
    return complete(std::move(written), proposed);
}

Result<TasksWritten> change_of(const TaskRemoveRequest& request, const Proposed& proposed,
                               Generation /*next*/) {
    auto names = tasks_matching(request.pattern, proposed);
    if (!names) {
        return tl::unexpected{names.error()};
    }
    TasksWritten written;
    for (const std::string& name : *names) {
        remove(name, *proposed.find(name), written);
    }
    return complete(std::move(written), proposed);
}

Result<TasksWritten> change_of(const TaskScaleRequest& request, const Proposed& proposed,
                               Generation /*next*/) {
    if (request.instances > limits::instances_per_task) {
        return fail(Errc::invalid, "a task has 0 to " + std::to_string(limits::instances_per_task) +
                                       " instances, not " + std::to_string(request.instances));
    }
    auto names = tasks_matching(request.pattern, proposed);
    if (!names) {
        return tl::unexpected{names.error()};
    }
    TasksWritten written;
    for (const std::string& name : *names) {
        if (request.instances > 1 && proposed.find(name)->place->every_node) {
            return fail(Errc::invalid, "task '" + name +
                                           "' runs on every node, one instance on each; scale it "
                                           "to 1, or to 0 for nowhere");
        }
        scale(name, *proposed.find(name), request.instances, written);
    }
    return complete(std::move(written), proposed);
}

Result<TasksWritten> change_of(const TaskRestartRequest& request, const Proposed& proposed,
                               Generation next) {
    auto names = tasks_matching(request.pattern, proposed);
    if (!names) {
        return tl::unexpected{names.error()};
    }
    TasksWritten written;
    for (const std::string& name : *names) {
        const ProposedTask before = *proposed.find(name);
        StoredTask after = stored(name, before);
        after.generation = next;
        written.put.push_back(std::move(after));
        TaskChange change = unchanged(name, before);
        change.action = "restart";
        change.generation = next;
        written.changes.changes.push_back(std::move(change));
    }
    return written;
}

}  // namespace muster::coordinator
