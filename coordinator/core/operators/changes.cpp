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

/// What a request writes of tasks, and what it is said to change.
struct TaskChanges {
    Rows<StoredTask> rows;
    std::vector<TaskChange> changes;
};

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

void add(const WantedTask& task, Generation next, TaskChanges& written) {
    written.changes.push_back(TaskChange{.task = task.name,
                                         .action = "add",
                                         .instances_before = 0,
                                         .instances_after = task.instances,
                                         .fields = {},
                                         .generation = next,
                                         .every_node = task.place.every_node});
    written.rows.put.emplace_back(StoredTask{task, next, next});
}

void remove(const std::string& name, const ProposedTask& task, TaskChanges& written) {
    written.changes.push_back(TaskChange{.task = name,
                                         .action = "remove",
                                         .instances_before = task.instances,
                                         .instances_after = 0,
                                         .fields = {},
                                         .generation = task.generation,
                                         .every_node = task.place->every_node});
    written.rows.erased.push_back(name);
}

/// A new number of instances is no new generation: what runs goes on running.
void scale(const std::string& name, const ProposedTask& before, std::uint32_t instances,
           TaskChanges& written) {
    TaskChange change = unchanged(name, before);
    if (instances != before.instances) {
        change.action = "scale";
        change.instances_after = instances;
        StoredTask after = stored(name, before);
        after.wanted.instances = instances;
        written.rows.put.emplace_back(std::move(after));
    }
    written.changes.push_back(std::move(change));
}

/// Another spec is a new generation. Another rule of placement is none: what still fits runs on.
void change(const WantedTask& task, const ProposedTask& before, Generation next,
            TaskChanges& written) {
    auto fields = differing_fields(*before.spec, task.spec);
    const auto rules = differing_fields(*before.place, task.place);
    const Generation generation = fields.empty() ? before.generation : next;
    fields.insert(fields.end(), rules.begin(), rules.end());
    if (fields.empty()) {
        scale(task.name, before, task.instances, written);
        return;
    }
    written.changes.push_back(TaskChange{.task = task.name,
                                         .action = "change",
                                         .instances_before = before.instances,
                                         .instances_after = task.instances,
                                         .fields = std::move(fields),
                                         .generation = generation,
                                         .every_node = task.place.every_node});
    written.rows.put.emplace_back(StoredTask{task, generation, before.created});
}

/// The bounds of the whole workload, after the change.
Result<void> check_bounds(const TaskChanges& written, const Ledger& ledger) {
    auto [tasks, instances] = ledger.tasks().count_soon();
    for (const TaskChange& change : written.changes) {
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

Answered answered(TaskChanges written) {
    Answered result{.change = {}, .reply = ChangeReply{.changes = std::move(written.changes)}};
    result.change.of<StoredTask>() = std::move(written.rows);
    return result;
}

Result<Answered> complete(TaskChanges written, const Ledger& ledger) {
    if (auto sound = check_bounds(written, ledger); !sound) {
        return tl::unexpected{sound.error()};
    }
    return answered(std::move(written));
}

Result<std::vector<std::string>> tasks_matching(const std::string& pattern, const Ledger& ledger) {
    if (is_valid_name(pattern) && ledger.tasks().find(pattern)) {
        return std::vector{pattern};
    }
    auto matching = names_matching(pattern, names_in(ledger.tasks()));
    if (matching && matching->empty()) {
        if (const auto change = ledger.removed_tasks().by(pattern)) {
            return fail(Errc::not_found, "task '" + pattern + "' was removed already, by change " +
                                             std::to_string(raw(*change)));
        }
        return fail(Errc::not_found, "no task matches '" + pattern + "'");
    }
    return matching;
}

}  // namespace

Result<Answered> change_of(const ApplyRequest& request, const Ledger& ledger, Generation next) {
    TaskChanges written;
    std::set<std::string_view> named;
    for (const WantedTask& task : request.tasks) {
        if (auto sound = validate(task); !sound) {
            return tl::unexpected{sound.error()};
        }
        if (!named.insert(task.name).second) {
            return fail(Errc::invalid, "task '" + task.name + "' is named twice; name it once");
        }
        if (const auto before = ledger.tasks().find(task.name)) {
            change(task, *before, next, written);
        } else {
            add(task, next, written);
        }
    }
    if (request.replace) {
        for (const std::string& name : names_in(ledger.tasks())) {
            if (!named.contains(name)) {
                remove(name, *ledger.tasks().find(name), written);
            }
        }
    }
    return complete(std::move(written), ledger);
}

Result<Answered> change_of(const TaskAddRequest& request, const Ledger& ledger, Generation next) {
    if (auto sound = validate(request.task); !sound) {
        return tl::unexpected{sound.error()};
    }
    if (ledger.tasks().find(request.task.name)) {
        return fail(Errc::exists, "task '" + request.task.name +
                                      "' is there already; change it with apply, or remove it");
    }
    TaskChanges written;
    add(request.task, next, written);
    return complete(std::move(written), ledger);
}

Result<Answered> change_of(const TaskRemoveRequest& request, const Ledger& ledger,
                           Generation /*next*/) {
    auto names = tasks_matching(request.pattern, ledger);
    if (!names) {
        return tl::unexpected{names.error()};
    }
    TaskChanges written;
    for (const std::string& name : *names) {
        remove(name, *ledger.tasks().find(name), written);
    }
    return complete(std::move(written), ledger);
}

Result<Answered> change_of(const TaskScaleRequest& request, const Ledger& ledger,
                           Generation /*next*/) {
    if (request.instances > limits::instances_per_task) {
        return fail(Errc::invalid, "a task has 0 to " + std::to_string(limits::instances_per_task) +
                                       " instances, not " + std::to_string(request.instances));
    }
    auto names = tasks_matching(request.pattern, ledger);
    if (!names) {
        return tl::unexpected{names.error()};
    }
    TaskChanges written;
    for (const std::string& name : *names) {
        if (request.instances > 1 && ledger.tasks().find(name)->place->every_node) {
            return fail(Errc::invalid, "task '" + name +
                                           "' runs on every node, one instance on each; scale it "
                                           "to 1, or to 0 for nowhere");
        }
        scale(name, *ledger.tasks().find(name), request.instances, written);
    }
    return complete(std::move(written), ledger);
}

Result<Answered> change_of(const TaskRestartRequest& request, const Ledger& ledger,
                           Generation next) {
    auto names = tasks_matching(request.pattern, ledger);
    if (!names) {
        return tl::unexpected{names.error()};
    }
    TaskChanges written;
    for (const std::string& name : *names) {
        const ProposedTask before = *ledger.tasks().find(name);
        StoredTask after = stored(name, before);
        after.generation = next;
        written.rows.put.emplace_back(std::move(after));
        TaskChange change = unchanged(name, before);
        change.action = "restart";
        change.generation = next;
        written.changes.push_back(std::move(change));
    }
    return answered(std::move(written));
}

}  // namespace muster::coordinator
