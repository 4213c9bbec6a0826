#pragma once

#include <type_traits>

#include "common/base/limits.hpp"
#include "common/codec/fields/placement.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/spec/spec.hpp"

/// The fields of a task and its spec, the same wherever they stand: in a request, in a batch, in
/// the store. They are those of a task file.
namespace muster::codec {

template <>
struct NamedEnum<RestartPolicy> {
    static constexpr bool named = true;
    static constexpr auto last = RestartPolicy::never;
    static constexpr bool by_number = false;
};

void fields(auto& visit, Like<UpdatePolicy> auto& update) {
    visit("max_surge", update.max_surge, plain.or_default());
    visit("max_unavailable", update.max_unavailable, plain.or_default());
}

void fields(auto& visit, Like<RestartRule> auto& rule) {
    const RestartRule plain_rule;
    unless_default(visit, "policy", rule.policy, plain_rule.policy, plain);
    unless_default(visit, "backoff_ms", rule.backoff, plain_rule.backoff, plain);
    unless_default(visit, "max", rule.max, plain_rule.max, plain);
    unless_default(visit, "window_ms", rule.window, plain_rule.window, plain);
}

template <>
struct Short<RestartRule> {
    using Value = RestartPolicy;
    static constexpr bool possible = true;
    static bool fits(const RestartRule& rule) { return rule == from(rule.policy); }
    static Value value_of(const RestartRule& rule) { return rule.policy; }
    static RestartRule from(Value policy) { return {.policy = policy}; }
};

void fields(auto& visit, Like<Rlimit> auto& limit) {
    visit("soft", limit.soft, plain);
    visit("hard", limit.hard, plain);
}

template <>
struct Short<Rlimit> {
    using Value = RlimitValue;
    static constexpr bool possible = true;
    static bool fits(const Rlimit& limit) { return limit.soft == limit.hard; }
    static Value value_of(const Rlimit& limit) { return limit.soft; }
    static Rlimit from(Value both) { return {.soft = both, .hard = both}; }
};

void fields(auto& visit, Like<CgroupLimits> auto& limit) {
    visit("cpu_milli", limit.cpu_milli, plain.or_default());
    visit("memory_bytes", limit.memory_bytes, plain.or_default());
    visit("pids", limit.pids, plain.or_default());
}

void fields(auto& visit, Like<LogRule> auto& log) {
    visit("max_bytes", log.max_bytes, plain.or_default());
    visit("max_age_ms", log.max_age, plain.or_default());
}

/// What holds of a spec that says nothing.
inline const TaskSpec& unsaid_spec() {
    static const TaskSpec spec;
    return spec;
}

/// True when a reader of maps has found the field that it looks for. Most tasks say only what comes
/// first, and 100,000 of them are read at once: to ask this saves a quarter of the time.
[[nodiscard]] constexpr bool is_done(const auto& visit) {
    if constexpr (requires { visit.found; }) {
        return visit.found;
    }
    return false;
}

/// What a process gets of its host, what runs around it, and what is kept of its words.
void later_fields(auto& visit, Like<TaskSpec> auto& spec) {
    constexpr auto words = texts(limits::argv_count, limits::spec_text_bytes);
    constexpr auto account = text(limits::account_bytes);
    const TaskSpec& unsaid = unsaid_spec();
    unless_default(visit, "env_files", spec.env_files, unsaid.env_files,
                   texts(limits::env_files, limits::path_bytes));
    unless_default(visit, "user", spec.user, unsaid.user, account);
    unless_default(visit, "user_group", spec.user_group, unsaid.user_group, account);
    unless_default(visit, "umask", spec.umask, unsaid.umask, plain);
    unless_default(visit, "nice", spec.nice, unsaid.nice, plain);
    unless_default(visit, "rlimits", spec.rlimits, unsaid.rlimits,
                   texts(limits::rlimits, limits::name_bytes));
    unless_default(visit, "limits", spec.limits, unsaid.limits, plain);
    unless_default(visit, "start_timeout_ms", spec.start_timeout, unsaid.start_timeout, plain);
    unless_default(visit, "pre_start", spec.pre_start, unsaid.pre_start, words);
    unless_default(visit, "post_stop", spec.post_stop, unsaid.post_stop, words);
    unless_default(visit, "secrets", spec.secrets, unsaid.secrets,
                   texts(limits::secrets, limits::name_bytes));
    unless_default(visit, "exclusive", spec.exclusive, unsaid.exclusive, plain);
    unless_default(visit, "log", spec.log, unsaid.log, plain);
}

void fields(auto& visit, Like<TaskSpec> auto& spec) {
    visit("argv", spec.argv, texts(limits::argv_count, limits::spec_text_bytes));
    visit("env", spec.env, texts(limits::env_count, limits::spec_text_bytes).or_default());
    visit("workdir", spec.workdir, text(limits::path_bytes).or_default());
    visit("stop_signal", spec.stop_signal, text(limits::name_bytes).or_default());
    visit("grace_ms", spec.grace, plain.or_default());
    visit("restart", spec.restart, plain.or_default());
    visit("max_per_node", spec.max_per_node, plain.or_default());
    visit("update", spec.update, plain.or_default());
    if (!is_done(visit)) {
        later_fields(visit, spec);
    }
}

/// What nothing is said of is known when all is read: see settle().
template <>
struct Reading<UpdatePolicy> {
    static void begin(UpdatePolicy& update) { update = {.max_surge = max_surge_unsaid}; }
    static void end(UpdatePolicy& /*update*/) {}
};
template <>
struct Reading<TaskSpec> {
    static void begin(TaskSpec& spec) {
        spec = TaskSpec{};
        Reading<UpdatePolicy>::begin(spec.update);
    }
    static void end(TaskSpec& spec) { settle(spec); }
};

void fields(auto& visit, Like<WantedTask> auto& task) {
    visit("name", task.name, valid_name);
    visit("instances", task.instances, plain.or_default());
    fields(visit, task.spec);
    // Most tasks run anywhere, and a file of 100,000 tasks has to fit one upload.
    if constexpr (is_written<std::remove_reference_t<decltype(task)>>) {
        if (task.place == PlacementRule{}) {
            return;
        }
    }
    fields(visit, task.place);
}

template <>
struct Reading<WantedTask> {
    static void begin(WantedTask& task) {
        task = WantedTask{};
        Reading<UpdatePolicy>::begin(task.spec.update);
    }
    static void end(WantedTask& task) { settle(task.spec); }
};

}  // namespace muster::codec
