#pragma once

#include <type_traits>

#include "common/codec/fields/placement.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/spec/spec.hpp"

/// The fields of a task and its spec, the same in a request, a batch, the store and a task file.
namespace muster::codec {

template <>
struct Short<RestartRule> {
    using Value = RestartPolicy;
    static constexpr bool possible = true;
    static bool fits(const RestartRule& rule) { return rule == from(rule.policy); }
    static Value value_of(const RestartRule& rule) { return rule.policy; }
    static RestartRule from(Value policy) { return {.policy = policy}; }
};

template <>
struct Short<Rlimit> {
    using Value = RlimitValue;
    static constexpr bool possible = true;
    static bool fits(const Rlimit& limit) { return limit.soft == limit.hard; }
    static Value value_of(const Rlimit& limit) { return limit.soft; }
    static Rlimit from(Value both) { return {.soft = both, .hard = both}; }
};

/// Defaults that depend on other fields are set once all are read: see apply_defaults().
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
    static void end(TaskSpec& spec) { apply_defaults(spec); }
};

template <>
inline constexpr bool is_read_whole<WantedTask> = true;

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
    static void end(WantedTask& task) { apply_defaults(task.spec); }
};

}  // namespace muster::codec
