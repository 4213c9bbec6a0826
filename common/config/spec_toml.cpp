#include "common/config/spec_toml.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/limits.hpp"
#include "common/config/toml_fields.hpp"

namespace muster {

namespace {

constexpr std::array<std::string_view, 9> task_keys{"name",  "instances",    "argv",
                                                    "env",   "workdir",      "stop_signal",
                                                    "grace", "max_per_node", "update"};
constexpr std::array<std::string_view, 2> update_keys{"max_surge", "max_unavailable"};
constexpr std::array<std::string_view, 1> file_keys{"task"};

void known_task_keys(TomlFields& fields, const toml::table& table) {
    std::vector<std::string_view> known{task_keys.begin(), task_keys.end()};
    for (const auto more : {process_keys(), placement_keys()}) {
        known.insert(known.end(), more.begin(), more.end());
    }
    fields.known_keys(table, known, "[[task]]");
}

void read_update(TomlFields& fields, const toml::table& table, UpdatePolicy& into) {
    fields.known_keys(table, update_keys, "update");
    constexpr auto most = limits::instances_per_task;
    fields.number(table.get("max_surge"), "max_surge", 0, most, into.max_surge);
    fields.number(table.get("max_unavailable"), "max_unavailable", 0, most, into.max_unavailable);
}

WantedTask read_task(TomlFields& fields, const toml::table& table) {
    WantedTask task;
    task.spec.update.max_surge = max_surge_unsaid;
    known_task_keys(fields, table);
    fields.text(table.get("name"), "name", task.name);
    fields.number(table.get("instances"), "instances", 0, limits::instances_per_task,
                  task.instances);
    fields.texts(table.get("argv"), "argv", task.spec.argv);
    fields.text_map(table.get("env"), "env", task.spec.env);
    fields.text(table.get("workdir"), "workdir", task.spec.workdir);
    fields.text(table.get("stop_signal"), "stop_signal", task.spec.stop_signal);
    fields.duration(table.get("grace"), "grace", task.spec.grace);
    fields.number(table.get("max_per_node"), "max_per_node", 1, limits::instances_per_node,
                  task.spec.max_per_node);
    if (const auto* const node = table.get("update")) {
        if (const auto* const policy = node->as_table()) {
            read_update(fields, *policy, task.spec.update);
        } else {
            fields.fail_at(node->source(),
                           "update is not a table; write update = { max_surge = 1, "
                           "max_unavailable = 1 }");
        }
    }
    read_process(fields, table, task.spec);
    settle(task.spec);
    read_placement(fields, table, task.place);
    for (const auto* const required : {"name", "argv"}) {
        if (!table.contains(required)) {
            fields.fail_at(table.source(), std::string{"the task has no "} + required +
                                               "; every [[task]] needs name and argv");
        }
    }
    if (const auto broken = fault_of(task)) {
        const auto* const field = table.get(broken->field);
        fields.fail_at(field != nullptr ? field->source() : table.source(),
                       "task '" + task.name.substr(0, limits::name_bytes) +
                           "': " + std::string{broken->field} + ' ' + broken->what);
    }
    return task;
}

}  // namespace

std::vector<WantedTask> read_tasks(TomlFields& fields, const toml::node* node) {
    std::vector<WantedTask> tasks;
    if (node == nullptr) {
        return tasks;
    }
    const auto* const array = node->as_array();
    if (array == nullptr) {
        fields.fail_at(node->source(),
                       "task is not an array of tables; begin each task with [[task]]");
        return tasks;
    }
    if (array->size() > limits::tasks) {
        fields.fail_at(node->source(), "there are " + std::to_string(array->size()) +
                                           " tasks; at most " + std::to_string(limits::tasks) +
                                           " are allowed");
        return tasks;
    }
    std::map<std::string, toml::source_index> line_of;
    for (const auto& element : *array) {
        const auto* const table = element.as_table();
        if (table == nullptr) {
            fields.fail_at(element.source(),
                           "task holds something else than a table; begin each task "
                           "with [[task]]");
            return tasks;
        }
        tasks.push_back(read_task(fields, *table));
        const auto line = table->source().begin.line;
        const auto [first, is_new] = line_of.emplace(tasks.back().name, line);
        if (!is_new) {
            fields.fail_at(table->source(), "task '" + tasks.back().name + "' is already on line " +
                                                std::to_string(first->second) +
                                                "; each name is given once");
        }
    }
    return tasks;
}

Result<std::vector<WantedTask>> tasks_from_toml(std::string_view text, std::string_view file) {
    if (text.size() > limits::upload_bytes) {
        return fail(Errc::too_large, std::string{file} + ": the file has " +
                                         std::to_string(text.size()) + " bytes; at most " +
                                         std::to_string(limits::upload_bytes) + " are allowed");
    }
    TomlFields fields{file};
    try {
        const toml::table root = toml::parse(text);
        fields.known_keys(root, file_keys, "the file");
        auto tasks = read_tasks(fields, root.get("task"));
        if (!fields.fault()) {
            return tasks;
        }
    } catch (const toml::parse_error& error) {
        fields.fail_at(error.source(), "this is not TOML: " + std::string{error.description()});
    }
    return tl::unexpected{*fields.fault()};
}

}  // namespace muster
