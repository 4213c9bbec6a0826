#include "agent/host_toml.hpp"

#include <cstdint>

#include "common/base/limits.hpp"
#include "common/config/toml_fields.hpp"
#include "common/spec/duration.hpp"

namespace muster::agent {
namespace {

constexpr std::array<std::string_view, 3> floor_keys{"disk_bytes", "disk_files", "memory_bytes"};
constexpr std::array<std::string_view, 2> readiness_keys{"command", "timeout"};
constexpr Duration shortest_timeout = 100ms;
constexpr Duration longest_timeout = 10min;

constexpr auto most_memory = static_cast<std::int64_t>(limits::memory_bytes);
constexpr auto most_disk = static_cast<std::int64_t>(std::uint64_t{1} << 60U);
constexpr std::int64_t most_files = 1'000'000'000;

void read_floors(TomlFields& fields, const toml::table& table, HostFloors& into) {
    fields.known_keys(table, floor_keys, "floors");
    fields.known_number(table.get("disk_bytes"), "disk_bytes", most_disk, into.disk_bytes);
    fields.known_number(table.get("disk_files"), "disk_files", most_files, into.disk_files);
    fields.known_number(table.get("memory_bytes"), "memory_bytes", most_memory, into.memory_bytes);
}

void read_readiness(TomlFields& fields, const toml::table& table, CheckOptions& into) {
    fields.known_keys(table, readiness_keys, "readiness");
    fields.texts(table.get("command"), "command", into.command);
    fields.duration(table.get("timeout"), "timeout", into.timeout);
    if (into.timeout < shortest_timeout || into.timeout > longest_timeout) {
        fields.fail_at(table.get("timeout")->source(),
                       "timeout is " + to_string(into.timeout) + "; it is " +
                           to_string(shortest_timeout) + " to " + to_string(longest_timeout));
    }
    const bool is_named = table.get("command") != nullptr;
    if (is_named && (into.command.empty() || into.command.front().empty() ||
                     into.command.size() > limits::argv_count)) {
        fields.fail_at(table.get("command")->source(),
                       "command names no program; write command = [\"/path/of/program\"]");
    }
}

}  // namespace

std::optional<Error> read_host(const toml::table& table, std::string_view file,
                               AgentSettings& into) {
    TomlFields fields{file};
    read_offer(fields, table, into.offer);
    if (const auto* const floors = fields.table(table, "floors")) {
        read_floors(fields, *floors, into.floors);
    }
    if (const auto* const readiness = fields.table(table, "readiness")) {
        read_readiness(fields, *readiness, into.check);
    }
    return fields.fault();
}

}  // namespace muster::agent
