#include "common/config/task_toml.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>

#include "common/base/limits.hpp"
#include "common/base/number.hpp"
#include "common/config/renamed_keys.hpp"
#include "common/config/spec_toml.hpp"
#include "common/spec/description.hpp"
#include "common/spec/quantity.hpp"

namespace muster {

namespace {

/// An example of a table, for the text of a fault.
template <class T>
constexpr std::string_view example_of{};
template <>
constexpr std::string_view example_of<UpdatePolicy> =
    "{ max_surge = 1, max_unavailable = 1, min_healthy = \"10s\" }";
template <>
constexpr std::string_view example_of<CgroupLimits> =
    "{ cpu = \"0.5\", memory = \"512MiB\", pids = 100 }";
template <>
constexpr std::string_view example_of<LogRule> = "{ max = \"16MiB\", max_age = \"24h\" }";
template <>
constexpr std::string_view example_of<Resources> =
    "{ cpu = \"0.5\", memory = \"512MiB\", slots = 1 }";

constexpr std::array<std::string_view, 1> file_keys{"task"};
constexpr std::array<std::string_view, 2> rlimit_keys{"soft", "hard"};

/// The keys that a described struct has in a file.
template <Described T>
std::vector<std::string_view> keys_of() {
    std::vector<std::string_view> keys;
    for_each_field<T>([&](const auto& field) { keys.push_back(field.file_name()); });
    return keys;
}

/// The wire names of keys whose value is an amount: a file may have these names, too.
template <Described T>
std::vector<std::string_view> keys_with_unit() {
    std::vector<std::string_view> keys;
    for_each_field<T>([&](const auto& field) {
        if (field.unit() != AmountUnit::none) {
            keys.push_back(field.wire_name);
        }
    });
    return keys;
}

/// The table of a key. Null: it recorded a fault.
const toml::table* table_of(TomlFields& fields, const toml::node& node, std::string_view key,
                            std::string_view example) {
    if (!node.is_table()) {
        fields.fail_at(node.source(), std::string{key} + " is not a table; write " +
                                          std::string{key} + " = " + std::string{example});
    }
    return node.as_table();
}

void read_octal(TomlFields& fields, const toml::node& node, std::string_view key,
                std::integral auto& into) {
    // A bare number would be ambiguous between decimal and octal.
    const auto written = node.value_exact<std::string>().value_or("");
    const auto value = number_in<std::remove_cvref_t<decltype(into)>>(written, 8);
    if (!value) {
        fields.fail_at(node.source(), std::string{key} + " is not octal digits in quotes; write " +
                                          std::string{key} + " = \"077\"");
        return;
    }
    into = *value;
}

RlimitValue rlimit_value(TomlFields& fields, const toml::node& node, const std::string& key) {
    if (node.value_exact<std::string>() == unlimited) {
        return RlimitValue::unlimited;
    }
    const auto number = node.value_exact<std::int64_t>();
    const auto size = parse_size(node.value_exact<std::string>().value_or(""));
    if (!size && (!number || *number < 0)) {
        fields.fail_at(node.source(), key +
                                          " is neither a number, a size nor \"unlimited\"; "
                                          "write rlimits = { nofile = 1024, stack = { soft = "
                                          "\"8MiB\", hard = \"unlimited\" } }");
        return {};
    }
    return RlimitValue{size ? *size : static_cast<std::uint64_t>(*number)};
}

Rlimit read_rlimit(TomlFields& fields, const toml::node& node, const std::string& key) {
    const auto* const table = node.as_table();
    if (table == nullptr) {
        const auto both = rlimit_value(fields, node, key);
        return {.soft = both, .hard = both};
    }
    fields.known_keys(*table, rlimit_keys, key);
    Rlimit limit;
    for (const auto& [name, value] : {std::pair{"soft", &limit.soft}, {"hard", &limit.hard}}) {
        if (const auto* const bound = table->get(name)) {
            *value = rlimit_value(fields, *bound, key + '.' + name);
        } else {
            fields.fail_at(table->source(), key + " has no " + name + "; write both, as in " + key +
                                                " = { soft = 1024, hard = \"unlimited\" }");
        }
    }
    return limit;
}

// Each read_value() reads the value of one key.

void read_value(TomlFields& fields, const toml::node& node, std::string_view /*key*/,
                const FieldRule& /*rule*/, std::vector<Constraint>& into) {
    const auto* const array = node.as_array();
    if (array == nullptr) {
        fields.fail_at(node.source(),
                       "constraints is not an array of texts; write constraints = [\"rack = r7\"]");
        return;
    }
    for (const auto& element : *array) {
        const auto written = element.value_exact<std::string>();
        const auto constraint = parse_constraint(written.value_or(""));
        if (!constraint) {
            fields.fail_at(element.source(), written
                                                 ? constraint.error().detail
                                                 : "constraints[" + std::to_string(into.size()) +
                                                       "] is not a text; put it in quotes");
            return;
        }
        into.push_back(*constraint);
    }
}

template <class T>
void read_value(TomlFields& fields, const toml::node& node, std::string_view key,
                const FieldRule& rule, T& into) {
    if constexpr (std::is_same_v<T, bool>) {
        fields.truth(&node, key, into);
    } else if constexpr (std::is_same_v<T, std::string>) {
        fields.text(&node, key, into);
    } else if constexpr (std::is_same_v<T, Duration>) {
        fields.duration(&node, key, into);
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        fields.texts(&node, key, into);
    } else if constexpr (std::is_same_v<T, std::map<std::string, std::string>>) {
        fields.text_map(&node, key, into);
    } else if constexpr (Named<T>) {
        fields.choice(&node, key, into);
    } else if (rule.octal) {
        read_octal(fields, node, key, into);
    } else {
        fields.number(&node, key, rule.least, rule.most, into);
    }
}

void read_value(TomlFields& fields, const toml::node& node, std::string_view key,
                const FieldRule& /*rule*/, std::map<std::string, Rlimit>& into) {
    if (const auto* const table = table_of(fields, node, key, "{ nofile = 1024, core = 0 }")) {
        fields.known_keys(*table, rlimit_names(), key);
        for (const auto& [name, value] : *table) {
            const std::string resource{name.str()};
            into[resource] = read_rlimit(fields, value, std::string{key} + '.' + resource);
        }
    }
}

template <Described T>
void read_table(TomlFields& fields, const toml::table& table, T& into);

template <Described T>
void read_value(TomlFields& fields, const toml::node& node, std::string_view key,
                const FieldRule& /*rule*/, T& into) {
    if (const auto* const table = table_of(fields, node, key, example_of<T>)) {
        fields.known_keys(*table, keys_of<T>(), key, keys_with_unit<T>());
        read_table(fields, *table, into);
    }
}

void read_value(TomlFields& fields, const toml::node& node, std::string_view key,
                const FieldRule& rule, RestartRule& into) {
    if (node.is_string()) {
        read_value(fields, node, key, rule, into.policy);
    } else if (const auto* const table = node.as_table()) {
        fields.known_keys(*table, keys_of<RestartRule>(), key);
        read_table(fields, *table, into);
    } else {
        fields.fail_at(node.source(),
                       "restart is neither a text nor a table; write restart = \"always\", or "
                       "restart = { policy = \"on-failure\", backoff = \"1s\", max = 10, "
                       "window = \"10m\" }");
    }
}

/// Missing keys keep their values.
template <Described T>
void read_table(TomlFields& fields, const toml::table& table, T& into) {
    for_each_field<T>([&](const auto& field) {
        using Value = typename std::remove_cvref_t<decltype(field)>::Value;
        if constexpr (std::is_unsigned_v<Value> && !std::is_same_v<Value, bool>) {
            if (field.unit() != AmountUnit::none) {
                fields.amount(table, field.wire_name, field.rule.least, field.rule.most,
                              into.*field.member);
                return;
            }
        }
        if (const auto* const node = table.get(field.file_name())) {
            read_value(fields, *node, field.file_name(), field.rule, into.*field.member);
        }
    });
}

void known_task_keys(TomlFields& fields, const toml::table& table) {
    std::vector<std::string_view> known{"name", "instances"};
    for (const auto& more : {keys_of<TaskSpec>(), keys_of<PlacementRule>()}) {
        known.insert(known.end(), more.begin(), more.end());
    }
    fields.known_keys(table, known, "[[task]]");
}

/// True if the table has a foreign name for the key, which already is a fault.
bool has_key_meant_as(const toml::table& table, std::string_view key) {
    return std::ranges::any_of(
        table, [&](const auto& pair) { return usual_name(pair.first.str()) == key; });
}

WantedTask read_task(TomlFields& fields, const toml::table& table) {
    WantedTask task;
    const std::size_t faults_before = fields.fault_count();
    task.spec.update.max_surge = max_surge_unsaid;
    known_task_keys(fields, table);
    fields.text(table.get("name"), "name", task.name);
    fields.number(table.get("instances"), "instances", 0, limits::instances_per_task,
                  task.instances);
    read_table(fields, table, task.spec);
    apply_defaults(task.spec);
    read_table(fields, table, task.place);
    for (const auto* const required : {"name", "argv"}) {
        if (!table.contains(required) && !has_key_meant_as(table, required)) {
            fields.fail_at(table.source(), std::string{"the task has no "} + required +
                                               "; every [[task]] needs name and argv");
        }
    }
    // A missing or unreadable value gets no second fault.
    if (const auto broken = fault_of(task)) {
        const auto* const field = table.get(broken->field);
        if (fields.fault_count() != faults_before &&
            (field == nullptr || fields.has_fault_on(field->source().begin.line))) {
            return task;
        }
        fields.fail_at(field != nullptr ? field->source() : table.source(),
                       "task " + in_quotes(task.name) + ": " + std::string{broken->field} + ' ' +
                           broken->what);
    }
    return task;
}

std::vector<WantedTask> read_file(TomlFields& fields, const toml::table& root) {
    fields.known_keys(root, file_keys, "the file");
    return read_tasks(fields, root.get("task"));
}

}  // namespace

Result<std::vector<WantedTask>> tasks_from_toml(std::string_view text, std::string_view file) {
    if (text.size() > limits::upload_bytes) {
        return fail(Errc::too_large, std::string{file} + ": the file has " +
                                         too_many(text.size(), "bytes", limits::upload_bytes));
    }
    return read_toml(text, file, read_file);
}

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
        fields.fail_at(node->source(),
                       "there are " + too_many(array->size(), "tasks", limits::tasks));
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
        if (!is_new && !tasks.back().name.empty()) {
            fields.fail_at(table->source(), "task '" + tasks.back().name + "' is already on line " +
                                                std::to_string(first->second) +
                                                "; each name is given once");
        }
    }
    return tasks;
}

}  // namespace muster
