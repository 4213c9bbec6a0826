#include "agent/options.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include <toml++/toml.h>

#include "agent/host_probe.hpp"
#include "agent/joined.hpp"
#include "common/base/ids.hpp"
#include "common/base/limits.hpp"
#include "common/base/paths.hpp"
#include "common/base/process.hpp"
#include "common/config/toml_fields.hpp"
#include "common/net/endpoint.hpp"
#include "common/spec/duration.hpp"
#include "common/text/utf8.hpp"

namespace muster::agent {
namespace {

// The tables of an agent's configuration: the capacity of its host, and its checks.
constexpr std::array<std::string_view, 5> host_tables{"labels", "capacity", "reserved", "floors",
                                                      "readiness"};

/// One key of the file, and how its text is read.
struct Key {
    std::string_view name;
    Result<void> (*set)(const std::string& text, AgentSettings& into);
};

Result<void> set_text(const std::string& text, std::string& into) {
    into = text;
    return {};
}

Result<void> check_name(const std::string& name) {
    if (!is_valid_name(name)) {
        return fail(Errc::invalid, in_quotes(printable(name.substr(0, 2 * limits::name_bytes))) +
                                       " is not a valid node name: " + std::string{name_rule()});
    }
    return {};
}

Result<void> set_name(const std::string& name, AgentSettings& into) {
    into.name = name;
    return check_name(name);
}

Result<void> set_coordinator(const std::string& text, AgentSettings& into) {
    return net::endpoints_to_connect(text).map(
        [&](const std::string& found) { into.coordinator = found; });
}

Result<void> set_level(const std::string& text, AgentSettings& into) {
    return log::parse_level(text).map([&](log::Level level) { into.log_level = level; });
}

constexpr std::array keys{
    Key{"name", set_name},
    Key{"coordinator", set_coordinator},
    Key{"state_dir", [](const auto& text, auto& into) { return set_text(text, into.state_dir); }},
    Key{"run_dir", [](const auto& text, auto& into) { return set_text(text, into.run_dir); }},
    Key{"secrets_dir",
        [](const auto& text, auto& into) { return set_text(text, into.secrets_dir); }},
    Key{"policy", [](const auto& text, auto& into) { return set_text(text, into.policy); }},
    Key{"log_level", set_level},
    Key{"pool", [](const auto& text, auto& into) { return set_text(text, into.offer.pool); }},
};

std::vector<std::string_view> known_keys() {
    std::vector<std::string_view> known;
    std::ranges::transform(keys, std::back_inserter(known), &Key::name);
    known.insert(known.end(), host_tables.begin(), host_tables.end());
    return known;
}

/// Reads the keys whose values are texts.
void read_texts(TomlFields& fields, const toml::table& table, AgentSettings& into) {
    for (const auto& [name, value] : table) {
        const auto* const key = std::ranges::find(keys, name.str(), &Key::name);
        if (key == keys.end()) {
            continue;
        }
        const auto text = value.value_exact<std::string>().value_or("");
        const auto done =
            text.empty() ? fail(Errc::invalid, "needs a text in quotes") : key->set(text, into);
        if (!done) {
            fields.fail_at(name.source(), std::string{name.str()} + " " + done.error().detail);
        }
    }
}

bool is_kept(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

constexpr std::array<std::string_view, 3> floor_keys{"disk", "disk_files", "memory"};
constexpr std::array<std::string_view, 2> floor_keys_with_unit{"disk_bytes", "memory_bytes"};
constexpr std::array<std::string_view, 2> readiness_keys{"command", "timeout"};
constexpr Duration shortest_timeout = 100ms;
constexpr Duration longest_timeout = 10min;

constexpr auto most_memory = static_cast<std::int64_t>(limits::memory_bytes);
constexpr auto most_disk = static_cast<std::int64_t>(std::uint64_t{1} << 60U);
constexpr std::int64_t most_files = 1'000'000'000;

void read_floors(TomlFields& fields, const toml::table& table, HostFloors& into) {
    fields.known_keys(table, floor_keys, "[floors]", floor_keys_with_unit);
    fields.amount(table, "disk_bytes", 0, most_disk, into.disk_bytes);
    fields.number(table.get("disk_files"), "disk_files", 0, most_files, into.disk_files);
    fields.amount(table, "memory_bytes", 0, most_memory, into.memory_bytes);
}

void read_readiness(TomlFields& fields, const toml::table& table, CheckOptions& into) {
    fields.known_keys(table, readiness_keys, "[readiness]");
    fields.texts(table.get("command"), "command", into.command);
    fields.duration(table.get("timeout"), "timeout", into.timeout);
    if (into.timeout < shortest_timeout || into.timeout > longest_timeout) {
        fields.fail_at(table.get("timeout")->source(),
                       "timeout is " + muster::to_string(into.timeout) + "; it is " +
                           muster::to_string(shortest_timeout) + " to " +
                           muster::to_string(longest_timeout));
    }
    const bool is_named = table.get("command") != nullptr;
    if (is_named && (into.command.empty() || into.command.front().empty() ||
                     into.command.size() > limits::argv_count)) {
        fields.fail_at(table.get("command")->source(),
                       "command names no program; write command = [\"/path/of/program\"]");
    }
}

AgentSettings read_file(TomlFields& fields, const toml::table& table) {
    AgentSettings settings;
    fields.known_keys(table, known_keys(), "the configuration");
    read_texts(fields, table, settings);
    read_offer(fields, table, settings.offer);
    if (const auto* const floors = fields.table(table, "floors")) {
        read_floors(fields, *floors, settings.floors);
    }
    if (const auto* const readiness = fields.table(table, "readiness")) {
        read_readiness(fields, *readiness, settings.check);
    }
    return settings;
}

}  // namespace

Result<AgentSettings> agent_settings_from_toml(std::string_view text, std::string_view file) {
    return read_toml(text, file, read_file);
}

std::string node_name_of_host(std::string_view host) {
    std::string name;
    for (const char c : host) {
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        const char kept = is_kept(lower) ? lower : '-';
        const bool begins_badly = name.empty() && (kept == '.' || kept == '_' || kept == '-');
        const bool second_dot = kept == '.' && name.ends_with('.');
        if (!begins_badly && !second_dot && name.size() < limits::name_bytes) {
            name += kept;
        }
    }
    return name;
}

Result<AgentSettings> completed(AgentSettings settings) {
    if (settings.name.empty()) {
        settings.name = node_name_of_host(host_name());
        if (settings.name.empty()) {
            return fail(Errc::invalid, "this host's name is not a valid node name: give --name");
        }
    }
    const std::string coordinator = settings.coordinator;
    const auto set = [&] { return set_coordinator(coordinator, settings); };
    if (const auto sound = check_name(settings.name).and_then(set); !sound) {
        return tl::unexpected{sound.error()};
    }
    settings.capacity_from =
        complete(settings.offer.capacity, find_capacity(cgroup_trees_of_process()));
    if (const auto fault = fault_of(settings.offer)) {
        return fail(Errc::invalid, std::string{fault->field} + " " + fault->what);
    }
    return settings;
}

Result<AgentSettings> with_keys(AgentSettings settings) {
    const auto directories = paths::directories(settings.state_dir, settings.run_dir);
    return read_joined(paths::agent_state(directories, settings.name))
        .and_then([&](const std::optional<Joined>& joined) -> Result<AgentSettings> {
            if (joined) {
                settings.keys = net::ClientKeys{joined->coordinator_key, joined->own};
                settings.made_key = joined->made;
                if (settings.coordinator == AgentSettings{}.coordinator) {
                    settings.coordinator = joined->coordinator;
                }
            } else if (!std::ranges::all_of(net::endpoints_in(settings.coordinator),
                                            net::is_on_this_host)) {
                return fail(Errc::refused,
                            settings.name + " has joined no cluster, so it has no key for " +
                                settings.coordinator + ": 'muster token create --node " +
                                settings.name +
                                "' on the coordinator's host prints the command to join");
            }
            return std::move(settings);
        });
}

}  // namespace muster::agent
