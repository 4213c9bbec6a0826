#include <array>
#include <charconv>

#include "common/base/limits.hpp"
#include "common/config/toml_fields.hpp"

namespace muster {

namespace {

constexpr std::array<std::string_view, 14> keys_of_processes{
    "restart", "env_files", "user",          "user_group", "umask",     "nice",    "rlimits",
    "limits",  "exclusive", "start_timeout", "pre_start",  "post_stop", "secrets", "log"};
constexpr std::array<std::string_view, 4> restart_keys{"policy", "backoff", "max", "window"};
constexpr std::array<std::string_view, 2> rlimit_keys{"soft", "hard"};
constexpr std::array<std::string_view, 3> limit_keys{"cpu_milli", "memory_bytes", "pids"};
constexpr std::array<std::string_view, 2> log_keys{"max_bytes", "max_age"};
constexpr std::array restart_choices{RestartPolicy::always, RestartPolicy::on_failure,
                                     RestartPolicy::never};
constexpr std::string_view unlimited = "unlimited";

/// The table of a key. Nothing: there is none, or a fault that says what would be right.
const toml::table* table_of(TomlFields& fields, const toml::node* node, std::string_view key,
                            std::string_view example) {
    if (node == nullptr || node->is_table()) {
        return node == nullptr ? nullptr : node->as_table();
    }
    fields.fail_at(node->source(), std::string{key} + " is not a table; write " + std::string{key} +
                                       " = " + std::string{example});
    return nullptr;
}

void read_restart(TomlFields& fields, const toml::node* node, RestartRule& into) {
    if (node == nullptr) {
        return;
    }
    if (node->is_string()) {
        fields.choice<RestartPolicy>(node, "restart", restart_choices, into.policy);
        return;
    }
    const auto* const table = node->as_table();
    if (table == nullptr) {
        fields.fail_at(node->source(),
                       "restart is neither a text nor a table; write restart = \"always\", or "
                       "restart = { policy = \"on-failure\", backoff = \"1s\", max = 10, "
                       "window = \"10m\" }");
        return;
    }
    fields.known_keys(*table, restart_keys, "restart");
    if (const auto* const policy = table->get("policy")) {
        fields.choice<RestartPolicy>(policy, "policy", restart_choices, into.policy);
    }
    fields.duration(table->get("backoff"), "backoff", into.backoff);
    fields.number(table->get("max"), "max", 1, limits::starts_most, into.max);
    fields.duration(table->get("window"), "window", into.window);
}

void read_umask(TomlFields& fields, const toml::node* node, std::uint32_t& into) {
    if (node == nullptr) {
        return;
    }
    // A number would be read as decimal by who wrote it as octal, or the other way round.
    const auto written = node->value_exact<std::string>().value_or("");
    const char* const end = written.data() + written.size();
    std::uint32_t value = 0;
    const auto [at, error] = std::from_chars(written.data(), end, value, 8);
    if (error != std::errc{} || at != end) {
        fields.fail_at(node->source(), "umask is no octal digits in quotes; write umask = \"077\"");
        return;
    }
    into = value;
}

RlimitValue rlimit_value(TomlFields& fields, const toml::node& node, const std::string& key) {
    if (node.value_exact<std::string>() == unlimited) {
        return RlimitValue::unlimited;
    }
    const auto number = node.value_exact<std::int64_t>();
    if (!number || *number < 0) {
        fields.fail_at(node.source(), key +
                                          " is neither a whole number from 0 on nor \"unlimited\"; "
                                          "write rlimits = { nofile = 1024, stack = { soft = "
                                          "8_388_608, hard = \"unlimited\" } }");
        return {};
    }
    return RlimitValue{static_cast<std::uint64_t>(*number)};
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

void read_rlimits(TomlFields& fields, const toml::node* node, std::map<std::string, Rlimit>& into) {
    const auto* const table = table_of(fields, node, "rlimits", "{ nofile = 1024, core = 0 }");
    if (table == nullptr) {
        return;
    }
    fields.known_keys(*table, rlimit_names(), "rlimits");
    for (const auto& [name, value] : *table) {
        const std::string key{name.str()};
        into[key] = read_rlimit(fields, value, "rlimits." + key);
    }
}

void read_limits(TomlFields& fields, const toml::node* node, CgroupLimits& into) {
    const auto* const table = table_of(
        fields, node, "limits", "{ cpu_milli = 500, memory_bytes = 536_870_912, pids = 100 }");
    if (table == nullptr) {
        return;
    }
    fields.known_keys(*table, limit_keys, "limits");
    fields.number(table->get("cpu_milli"), "cpu_milli", 0, std::int64_t{limits::cpu_milli},
                  into.cpu_milli);
    fields.number(table->get("memory_bytes"), "memory_bytes", 0, std::int64_t{limits::memory_bytes},
                  into.memory_bytes);
    fields.number(table->get("pids"), "pids", 0, limits::cgroup_pids, into.pids);
}

void read_log(TomlFields& fields, const toml::node* node, LogRule& into) {
    const auto* const table =
        table_of(fields, node, "log", "{ max_bytes = 16_777_216, max_age = \"24h\" }");
    if (table == nullptr) {
        return;
    }
    fields.known_keys(*table, log_keys, "log");
    fields.number(table->get("max_bytes"), "max_bytes", std::int64_t{limits::log_bytes_least},
                  std::int64_t{limits::log_bytes_most}, into.max_bytes);
    fields.duration(table->get("max_age"), "max_age", into.max_age);
}

}  // namespace

std::span<const std::string_view> process_keys() { return keys_of_processes; }

void read_process(TomlFields& fields, const toml::table& table, TaskSpec& into) {
    read_restart(fields, table.get("restart"), into.restart);
    fields.texts(table.get("env_files"), "env_files", into.env_files);
    fields.text(table.get("user"), "user", into.user);
    fields.text(table.get("user_group"), "user_group", into.user_group);
    read_umask(fields, table.get("umask"), into.umask);
    fields.number(table.get("nice"), "nice", limits::nice_least, limits::nice_most, into.nice);
    read_rlimits(fields, table.get("rlimits"), into.rlimits);
    read_limits(fields, table.get("limits"), into.limits);
    fields.truth(table.get("exclusive"), "exclusive", into.exclusive);
    fields.duration(table.get("start_timeout"), "start_timeout", into.start_timeout);
    fields.texts(table.get("pre_start"), "pre_start", into.pre_start);
    fields.texts(table.get("post_stop"), "post_stop", into.post_stop);
    fields.texts(table.get("secrets"), "secrets", into.secrets);
    read_log(fields, table.get("log"), into.log);
}

}  // namespace muster
