#pragma once

#include <type_traits>

#include "common/codec/placement_fields.hpp"
#include "common/codec/shape.hpp"
#include "common/limits.hpp"
#include "common/spec.hpp"

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

void fields(auto& visit, Like<TaskSpec> auto& spec) {
    visit("argv", spec.argv, texts(limits::argv_count, limits::spec_text_bytes));
    visit("env", spec.env, texts(limits::env_count, limits::spec_text_bytes).or_default());
    visit("workdir", spec.workdir, text(limits::path_bytes).or_default());
    visit("stop_signal", spec.stop_signal, text(limits::name_bytes).or_default());
    visit("grace_ms", spec.grace, plain.or_default());
    visit("restart", spec.restart.policy, plain.or_default());
    visit("max_per_node", spec.max_per_node, plain.or_default());
    visit("update", spec.update, plain.or_default());
}

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

}  // namespace muster::codec
