#include "common/spec_toml.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <toml++/toml.h>

#include "common/limits.hpp"
#include "common/nearest.hpp"

namespace muster {

namespace {

using Keys = std::span<const std::string_view>;

constexpr std::array<std::string_view, 10> task_keys{
    "name",        "instances", "argv",    "env",          "workdir",
    "stop_signal", "grace",     "restart", "max_per_node", "update"};
constexpr std::array<std::string_view, 2> update_keys{"max_surge", "max_unavailable"};
constexpr std::array<std::string_view, 1> file_keys{"task"};

std::string joined(Keys words) {
    std::string text;
    for (const auto word : words) {
        text += (text.empty() ? "" : ", ") + std::string{word};
    }
    return text;
}

/// Reads one task file. The first fault is kept, with its line; what follows one is not used.
class Reader {
public:
    explicit Reader(std::string_view file) : file_{file} {}

    std::vector<WantedTask> tasks(const toml::table& root);
    [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }
    void fail_at(const toml::source_region& where, std::string_view what);

private:
    WantedTask task(const toml::table& table);
    void known_keys(const toml::table& table, Keys known, std::string_view of);
    void update(const toml::table& table, UpdatePolicy& into);

    void text(const toml::node* node, std::string_view key, std::string& into);
    void number(const toml::node* node, std::string_view key, std::uint32_t least, std::size_t most,
                std::uint32_t& into);
    void duration(const toml::node* node, std::string_view key, Duration& into);
    void restart(const toml::node* node, RestartPolicy& into);
    void texts(const toml::node* node, std::string_view key, std::vector<std::string>& into);
    void text_map(const toml::node* node, std::string_view key,
                  std::map<std::string, std::string>& into);

    std::string file_;
    std::optional<Error> fault_;
};

void Reader::fail_at(const toml::source_region& where, std::string_view what) {
    if (!fault_) {
        fault_ = Error{Errc::invalid,
                       file_ + ':' + std::to_string(where.begin.line) + ": " + std::string{what}};
    }
}

void Reader::known_keys(const toml::table& table, Keys known, std::string_view of) {
    for (const auto& [key, value] : table) {
        const std::string_view name = key.str();
        if (std::find(known.begin(), known.end(), name) != known.end()) {
            continue;
        }
        const auto near = nearest(name, known);
        fail_at(key.source(), "unknown key '" + std::string{name.substr(0, limits::name_bytes)} +
                                  "' in " + std::string{of} + "; " +
                                  (near.empty() ? "" : "perhaps '" + std::string{near[0]} + "'; ") +
                                  "the keys are " + joined(known));
    }
}

void Reader::text(const toml::node* node, std::string_view key, std::string& into) {
    if (node == nullptr) {
        return;
    }
    if (const auto value = node->value_exact<std::string>()) {
        into = *value;
    } else {
        fail_at(node->source(),
                std::string{key} + " is not a text; write " + std::string{key} + " = \"...\"");
    }
}

void Reader::number(const toml::node* node, std::string_view key, std::uint32_t least,
                    std::size_t most, std::uint32_t& into) {
    if (node == nullptr) {
        return;
    }
    const auto value = node->value_exact<std::int64_t>();
    if (!value || *value < least || *value > static_cast<std::int64_t>(most)) {
        const auto is =
            value ? " is " + std::to_string(*value) : std::string{" is no whole number"};
        fail_at(node->source(), std::string{key} + is + "; write one from " +
                                    std::to_string(least) + " to " + std::to_string(most) +
                                    ", as in " + std::string{key} + " = 3");
        return;
    }
    into = static_cast<std::uint32_t>(*value);
}

void Reader::duration(const toml::node* node, std::string_view key, Duration& into) {
    if (node == nullptr) {
        return;
    }
    const auto written = node->value_exact<std::string>();
    const auto value = parse_duration(written.value_or(""));
    if (value) {
        into = *value;
    } else {
        const auto why = written ? value.error().detail : "it is a text in quotes";
        fail_at(node->source(),
                std::string{key} + ": " + why + ", as in " + std::string{key} + " = \"10s\"");
    }
}

void Reader::restart(const toml::node* node, RestartPolicy& into) {
    std::string written;
    text(node, "restart", written);
    if (node == nullptr || fault_) {
        return;
    }
    for (const auto policy :
         {RestartPolicy::always, RestartPolicy::on_failure, RestartPolicy::never}) {
        if (to_string(policy) == written) {
            into = policy;
            return;
        }
    }
    fail_at(node->source(), "restart is '" + written.substr(0, limits::name_bytes) +
                                "'; it is one of always, on-failure, never");
}

void Reader::texts(const toml::node* node, std::string_view key, std::vector<std::string>& into) {
    if (node == nullptr) {
        return;
    }
    const auto* const array = node->as_array();
    if (array == nullptr) {
        fail_at(node->source(), std::string{key} + " is not an array of texts; write " +
                                    std::string{key} + " = [\"program\", \"argument\"]");
        return;
    }
    for (const auto& element : *array) {
        const auto value = element.value_exact<std::string>();
        if (!value) {
            fail_at(element.source(), std::string{key} + "[" + std::to_string(into.size()) +
                                          "] is not a text; put it in quotes");
            return;
        }
        into.push_back(*value);
    }
}

void Reader::text_map(const toml::node* node, std::string_view key,
                      std::map<std::string, std::string>& into) {
    if (node == nullptr) {
        return;
    }
    const auto* const table = node->as_table();
    if (table == nullptr) {
        fail_at(node->source(), std::string{key} + " is not a table of texts; write " +
                                    std::string{key} + " = { LANG = \"C\" }");
        return;
    }
    for (const auto& [name, value] : *table) {
        text(&value, std::string{key} + '.' + std::string{name.str()},
             into[std::string{name.str()}]);
    }
}

void Reader::update(const toml::table& table, UpdatePolicy& into) {
    known_keys(table, update_keys, "update");
    constexpr auto most = limits::instances_per_task;
    number(table.get("max_surge"), "max_surge", 0, most, into.max_surge);
    number(table.get("max_unavailable"), "max_unavailable", 0, most, into.max_unavailable);
}

WantedTask Reader::task(const toml::table& table) {
    WantedTask task;
    known_keys(table, task_keys, "[[task]]");
    text(table.get("name"), "name", task.name);
    number(table.get("instances"), "instances", 0, limits::instances_per_task, task.instances);
    texts(table.get("argv"), "argv", task.spec.argv);
    text_map(table.get("env"), "env", task.spec.env);
    text(table.get("workdir"), "workdir", task.spec.workdir);
    text(table.get("stop_signal"), "stop_signal", task.spec.stop_signal);
    duration(table.get("grace"), "grace", task.spec.grace);
    restart(table.get("restart"), task.spec.restart);
    number(table.get("max_per_node"), "max_per_node", 1, limits::instances_per_node,
           task.spec.max_per_node);
    if (const auto* const node = table.get("update")) {
        if (const auto* const policy = node->as_table()) {
            update(*policy, task.spec.update);
        } else {
            fail_at(node->source(),
                    "update is not a table; write update = { max_surge = 1, "
                    "max_unavailable = 1 }");
        }
    }
    for (const auto* const required : {"name", "argv"}) {
        if (!table.contains(required)) {
            fail_at(table.source(), std::string{"the task has no "} + required +
                                        "; every [[task]] needs name and argv");
        }
    }
    if (const auto broken = fault_of(task)) {
        const auto* const field = table.get(broken->field);
        fail_at(field != nullptr ? field->source() : table.source(),
                "task '" + task.name.substr(0, limits::name_bytes) +
                    "': " + std::string{broken->field} + ' ' + broken->what);
    }
    return task;
}

std::vector<WantedTask> Reader::tasks(const toml::table& root) {
    known_keys(root, file_keys, "the file");
    std::vector<WantedTask> tasks;
    const auto* const node = root.get("task");
    if (node == nullptr) {
        return tasks;
    }
    const auto* const array = node->as_array();
    if (array == nullptr) {
        fail_at(node->source(), "task is not an array of tables; begin each task with [[task]]");
        return tasks;
    }
    if (array->size() > limits::tasks) {
        fail_at(node->source(), "there are " + std::to_string(array->size()) + " tasks; at most " +
                                    std::to_string(limits::tasks) + " are allowed");
        return tasks;
    }
    std::map<std::string, toml::source_index> line_of;
    for (const auto& element : *array) {
        const auto* const table = element.as_table();
        if (table == nullptr) {
            fail_at(element.source(),
                    "task holds something else than a table; begin each task "
                    "with [[task]]");
            return tasks;
        }
        tasks.push_back(task(*table));
        const auto line = table->source().begin.line;
        const auto [first, is_new] = line_of.emplace(tasks.back().name, line);
        if (!is_new) {
            fail_at(table->source(), "task '" + tasks.back().name + "' is already on line " +
                                         std::to_string(first->second) +
                                         "; each name is given once");
        }
    }
    return tasks;
}

}  // namespace

Result<std::vector<WantedTask>> tasks_from_toml(std::string_view text, std::string_view file) {
    if (text.size() > limits::upload_bytes) {
        return fail(Errc::too_large, std::string{file} + ": the file has " +
                                         std::to_string(text.size()) + " bytes; at most " +
                                         std::to_string(limits::upload_bytes) + " are allowed");
    }
    Reader reader{file};
    try {
        const toml::table root = toml::parse(text);
        auto tasks = reader.tasks(root);
        if (!reader.fault()) {
            return tasks;
        }
    } catch (const toml::parse_error& error) {
        reader.fail_at(error.source(), "this is not TOML: " + std::string{error.description()});
    }
    return tl::unexpected{*reader.fault()};
}

}  // namespace muster
