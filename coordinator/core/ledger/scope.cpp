#include "coordinator/core/ledger/scope.hpp"

#include <algorithm>
#include <string>

#include "common/text/pattern.hpp"

namespace muster::coordinator {

namespace {

std::string scope_text(const StoredKey& key) {
    std::string text;
    if (!key.tasks.empty()) {
        text += "tasks like " + joined(key.tasks, ", ");
    }
    if (!key.pools.empty()) {
        text += (text.empty() ? "" : " in ") + std::string{"pool "} + joined(key.pools, ", ");
    }
    return text;
}

/// A value can be read by whoever runs a task that names it.
bool may_name_secret(const StoredKey& key, const std::string& name) {
    return std::ranges::any_of(key.tasks,
                               [&](const std::string& one) { return pattern::matches(one, name); });
}

}  // namespace

bool may_change_task(const StoredKey& key, std::string_view name, std::string_view pool) {
    const auto is_pool = [&](const std::string& one) { return pattern::matches(one, pool); };
    const auto is_task = [&](const std::string& one) { return pattern::matches(one, name); };
    return (key.pools.empty() || std::ranges::any_of(key.pools, is_pool)) &&
           (key.tasks.empty() || std::ranges::any_of(key.tasks, is_task));
}

bool may_change_node(const StoredKey& key, std::string_view pool) {
    return !is_limited(key) || std::ranges::any_of(key.pools, [&](const std::string& one) {
        return pattern::matches(one, pool);
    });
}

Result<void> check_tasks(const StoredKey& key, const Change& change, const TaskTable& tasks) {
    if (!is_limited(key)) {
        return {};
    }
    const auto was_allowed = [&](std::string_view name) {
        const auto before = tasks.find(name);
        return !before || may_change_task(key, name, before->place->pool);
    };
    for (const Shared<StoredTask>& row : change.of<StoredTask>().put) {
        const WantedTask& task = row->wanted;
        if (!may_change_task(key, task.name, task.place.pool) || !was_allowed(task.name)) {
            return out_of_scope(key, "task", task.name);
        }
        const auto before = tasks.find(task.name);
        if (before && *before->spec == task.spec) {
            continue;
        }
        for (const std::string& secret : task.spec.cluster_secrets) {
            if (!may_name_secret(key, secret)) {
                return out_of_scope(key, "with the secret", secret);
            }
        }
    }
    for (const std::string& name : change.of<StoredTask>().erased) {
        if (!was_allowed(name)) {
            return out_of_scope(key, "task", name);
        }
    }
    return {};
}

tl::unexpected<Error> out_of_scope(const StoredKey& key, std::string_view kind,
                                   std::string_view name) {
    return fail(Errc::denied, key.name + " may see and change " + scope_text(key) + " only, not " +
                                  std::string{kind} + ' ' + std::string{name});
}

}  // namespace muster::coordinator
