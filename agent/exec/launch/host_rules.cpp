#include "agent/exec/launch/host_rules.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <pwd.h>
#include <unistd.h>
#include <utility>

namespace muster::agent {

namespace {

// Large enough for the longest entries.
using EntryBuffer = std::array<char, 16 * 1024>;

tl::expected<std::string, LaunchFailure> real_path(const std::string& path) {
    std::array<char, PATH_MAX> real{};
    if (realpath(path.c_str(), real.data()) == nullptr) {
        return NoLaunch{failure_of(path + " cannot be executed", errno)};
    }
    return std::string{real.data()};
}

std::string account_of(uid_t user) {
    passwd entry = {};
    passwd* found = nullptr;
    EntryBuffer buffer;
    getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found);
    return found == nullptr ? "" : found->pw_name;
}

// An entry of a policy may lead to a real path, too, such as /bin/ to /usr/bin/.
void add_real_paths(std::optional<std::vector<std::string>>& entries) {
    const std::size_t written = entries ? entries->size() : 0;
    for (std::size_t at = 0; at < written; ++at) {
        const std::string entry = (*entries)[at];
        const auto real = real_path(entry);
        if (real && *real != entry && *real + '/' != entry) {
            entries->push_back(entry.ends_with('/') ? *real + '/' : *real);
        }
    }
}

Policy with_real_paths(Policy policy) {
    add_real_paths(policy.commands);
    add_real_paths(policy.directories);
    return policy;
}

// The other groups of an identity are those of its user.
bool is_group_of_user(const std::optional<Identity>& identity, const TaskSpec& spec) {
    return !identity || spec.user_group.empty() ||
           std::ranges::find(identity->other_groups, identity->group) !=
               identity->other_groups.end();
}

std::array<std::pair<const char*, Command*>, 3> commands_of(Found& found) {
    return {{{"argv", &found.program},
             {"pre_start", found.pre_start ? &*found.pre_start : nullptr},
             {"post_stop", found.post_stop ? &*found.post_stop : nullptr}}};
}

tl::expected<FoundTask, LaunchFailure> resolve(const Spawn& spawn,
                                               const std::optional<Identity>& identity,
                                               const ProcessPlace& place, Found& found) {
    FoundTask task{.user = identity ? identity->user : geteuid(),
                   .group = identity ? identity->group : getegid(),
                   .is_group_of_user = is_group_of_user(identity, spawn.spec)};
    task.user_name = account_of(task.user);
    for (const auto& [field, command] : commands_of(found)) {
        if (command == nullptr) {
            continue;
        }
        auto real = real_path(command->program);
        if (!real) {
            return NoLaunch{real.error()};
        }
        task.programs.push_back({field, *real});
    }
    if (found.directory != place.work) {
        auto real = real_path(found.directory);
        if (!real) {
            return NoLaunch{real.error()};
        }
        task.directory = std::move(*real);
    }
    task.env_files = found.env_files;
    for (const auto& [name, value] : found.environment) {
        task.variables.push_back(name);
    }
    return task;
}

std::optional<std::string> lacking_sandbox(const TaskSpec& spec, const HostRules& rules) {
    if (spec.sandbox == Sandbox::none || rules.sandbox.method != shim::SandboxMethod::none) {
        return std::nullopt;
    }
    return "its host has no sandbox for `sandbox` = \"strict\": " + rules.sandbox.how;
}

}  // namespace

std::optional<std::string> objection_to(const Spawn& spawn, const std::optional<Identity>& identity,
                                        const ProcessPlace& place, const HostRules& rules) {
    if (auto lacking = lacking_sandbox(spawn.spec, rules); lacking || !rules.policy) {
        return lacking;
    }
    if (auto fault = fault_of_signature(*rules.policy, spawn.id.task, spawn.spec)) {
        return fault;
    }
    auto found = find_all(spawn, place);
    if (!found) {
        return std::nullopt;
    }
    const auto task = resolve(spawn, identity, place, *found);
    return task ? broken_rule(with_real_paths(*rules.policy), spawn.spec, *task) : std::nullopt;
}

tl::expected<void, LaunchFailure> enforce(const Spawn& spawn,
                                          const std::optional<Identity>& identity,
                                          const ProcessPlace& place, const HostRules& rules,
                                          Found& found) {
    if (auto lacking = lacking_sandbox(spawn.spec, rules)) {
        return NoLaunch{permanent(std::move(*lacking))};
    }
    if (!rules.policy) {
        return {};
    }
    // Over exactly what starts now, whatever was checked when it was ordered.
    if (auto fault = fault_of_signature(*rules.policy, spawn.id.task, spawn.spec)) {
        return NoLaunch{permanent(std::move(*fault))};
    }
    auto task = resolve(spawn, identity, place, found);
    if (!task) {
        return NoLaunch{task.error()};
    }
    if (auto reason = broken_rule(with_real_paths(*rules.policy), spawn.spec, *task)) {
        return NoLaunch{permanent(std::move(*reason))};
    }
    if (rules.policy->commands) {
        for (const auto& [field, command] : commands_of(found)) {
            if (command != nullptr) {
                command->program = std::ranges::find(task->programs, std::string_view{field},
                                                     &FoundTask::Program::field)
                                       ->path;
            }
        }
    }
    return {};
}

}  // namespace muster::agent
