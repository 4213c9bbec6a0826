#include "coordinator/core/operators/task_draft.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "common/base/limits.hpp"
#include "common/spec/description.hpp"
#include "coordinator/core/queries/matching.hpp"

namespace muster::coordinator {

namespace {

TaskChange task_change(const std::string& name, std::string_view action,
                       const ProposedTask& before) {
    return TaskChange{.task = name,
                      .action = std::string{action},
                      .instances_before = before.instances,
                      .instances_after = before.instances,
                      .fields = {},
                      .generation = before.generation,
                      .every_node = before.place->every_node};
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
    written.changes.push_back(task_change(name, "remove", task));
    written.changes.back().instances_after = 0;
    written.rows.erased.push_back(name);
}

/// A new number of instances is not a new generation: running instances continue.
void scale(const std::string& name, const ProposedTask& before, std::uint32_t instances,
           TaskChanges& written) {
    const bool is_same = instances == before.instances;
    written.changes.push_back(task_change(name, is_same ? "unchanged" : "scale", before));
    written.changes.back().instances_after = instances;
    if (!is_same) {
        StoredTask after = stored(name, before);
        after.wanted.instances = instances;
        written.rows.put.emplace_back(std::move(after));
    }
}

/// Another spec is a new generation. Another placement rule is not: instances that still fit
/// continue.
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
    TaskChange& change = written.changes.emplace_back(task_change(task.name, "change", before));
    change.instances_after = task.instances;
    change.fields = std::move(fields);
    change.generation = generation;
    change.every_node = task.place.every_node;
    written.rows.put.emplace_back(StoredTask{task, generation, before.created});
}

/// The bounds of the whole workload, after the change.
Result<void> check_bounds(const TaskChanges& written, const Changes& state) {
    auto [tasks, instances] = state.tasks().count();
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

Result<std::vector<std::string>> tasks_matching(const std::string& pattern, const Changes& state) {
    if (is_valid_name(pattern) && state.tasks().find(pattern)) {
        return std::vector{pattern};
    }
    auto matching = names_matching(pattern, state.task_names());
    if (matching && matching->empty()) {
        if (const auto change = state.removed_tasks().by(pattern)) {
            return fail(Errc::not_found, "task '" + pattern + "' was removed already, by change " +
                                             std::to_string(raw(*change)));
        }
        return fail(Errc::not_found, "no task matches '" + pattern + "'");
    }
    return matching;
}

// ---- the tasks in a request ----

/// Checks the task, and that it is named once. Fastest if tasks come in the order of names.
Result<void> check(const WantedTask& task, std::set<std::string_view>& named) {
    if (auto sound = validate(task); !sound) {
        return sound;
    }
    const std::size_t others = named.size();
    named.insert(named.end(), task.name);
    if (named.size() == others) {
        return fail(Errc::invalid, "task '" + task.name + "' is named twice; name it once");
    }
    return {};
}

Result<void> check_secrets(const WantedTask& task, const Changes& state) {
    for (const std::string& name : task.spec.cluster_secrets) {
        if (state.secrets().find(name) == nullptr) {
            return fail(Errc::not_found, "task '" + task.name + "' needs the secret '" + name +
                                             "', which is not set; 'muster secret set " + name +
                                             "' sets it");
        }
    }
    return {};
}

template <class Request>
Result<void> put(const Request& /*request*/, const WantedTask& task, const Changes& state,
                 Generation next, TaskChanges& written) {
    const auto before = state.tasks().find(task.name);
    if (!before) {
        add(task, next, written);
    } else if (std::is_same_v<Request, TaskAddRequest>) {
        return fail(Errc::exists,
                    "task '" + task.name + "' already exists; change it with apply, or remove it");
    } else {
        change(task, *before, next, written);
    }
    return {};
}

// ---- existing tasks ----

/// The names of existing tasks that a request may change in addition.
Result<std::vector<std::string>> names_for(const ApplyRequest& request, const Changes& state) {
    return request.replace ? state.task_names() : std::vector<std::string>{};
}

Result<std::vector<std::string>> names_for(const TaskAddRequest& /*request*/,
                                           const Changes& /*state*/) {
    return {};
}

Result<std::vector<std::string>> names_for(const TaskScaleRequest& request, const Changes& state) {
    if (request.instances > limits::instances_per_task) {
        return fail(Errc::invalid, "a task has 0 to " + std::to_string(limits::instances_per_task) +
                                       " instances, not " + std::to_string(request.instances));
    }
    return tasks_matching(request.pattern, state);
}

Result<std::vector<std::string>> names_for(const auto& request, const Changes& state) {
    return tasks_matching(request.pattern, state);
}

Result<void> change(const TaskScaleRequest& request, const std::string& name,
                    const ProposedTask& before, Generation /*next*/, TaskChanges& written) {
    if (request.instances > 1 && before.place->every_node) {
        return fail(Errc::invalid, "task '" + name +
                                       "' runs on every node, one instance on each; scale it "
                                       "to 1, or to 0 to stop it");
    }
    scale(name, before, request.instances, written);
    return {};
}

Result<void> change(const TaskRestartRequest& /*request*/, const std::string& name,
                    const ProposedTask& before, Generation next, TaskChanges& written) {
    StoredTask after = stored(name, before);
    after.generation = next;
    written.rows.put.emplace_back(std::move(after));
    written.changes.push_back(task_change(name, "restart", before));
    written.changes.back().generation = next;
    return {};
}

/// For apply with `replace`, and for remove.
Result<void> change(const auto& /*request*/, const std::string& name, const ProposedTask& before,
                    Generation /*next*/, TaskChanges& written) {
    remove(name, before, written);
    return {};
}

}  // namespace

Result<bool> TaskDraft::go_on(const ChangesTasks auto& request, const Changes& state,
                              std::size_t most) {
    const auto tasks = tasks_of(request);
    if (at_ == 0) {
        auto names = names_for(request, state);
        if (!names) {
            return tl::unexpected{names.error()};
        }
        names_ = std::move(*names);
        written_.changes.reserve(tasks.size() + names_.size());
        written_.rows.put.reserve(tasks.size() + names_.size());
    }
    const std::size_t count = tasks.size() + names_.size();
    Result<void> done;
    for (; done && most > 0 && at_ < count; --most, ++at_) {
        if (at_ < tasks.size()) {
            const WantedTask& task = tasks[at_];
            done = check(task, named_)
                       .and_then([&] { return check_secrets(task, state); })
                       .and_then([&] { return put(request, task, state, next_, written_); });
        } else if (const std::string& name = names_[at_ - tasks.size()]; !named_.contains(name)) {
            done = change(request, name, *state.tasks().find(name), next_, written_);
        }
    }
    const bool is_whole = at_ == count;
    if (done && is_whole && !std::is_same_v<decltype(request), const TaskRestartRequest&>) {
        done = check_bounds(written_, state);
    }
    return done.map([&] { return is_whole; });
}

template Result<bool> TaskDraft::go_on(const ApplyRequest&, const Changes&, std::size_t);
template Result<bool> TaskDraft::go_on(const TaskAddRequest&, const Changes&, std::size_t);
template Result<bool> TaskDraft::go_on(const TaskRemoveRequest&, const Changes&, std::size_t);
template Result<bool> TaskDraft::go_on(const TaskScaleRequest&, const Changes&, std::size_t);
template Result<bool> TaskDraft::go_on(const TaskRestartRequest&, const Changes&, std::size_t);

Answered TaskDraft::take() {
    Answered answered{.change = {}, .reply = ChangeReply{.changes = std::move(written_.changes)}};
    answered.change.of<StoredTask>() = std::move(written_.rows);
    return answered;
}

}  // namespace muster::coordinator
