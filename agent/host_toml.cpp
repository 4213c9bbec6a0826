#include "agent/host_toml.hpp"

#include <cstdint>
#include <string>

#include "common/limits.hpp"
#include "common/spec_toml.hpp"
#include "common/toml_fields.hpp"

namespace muster {
namespace {

constexpr std::array<std::string_view, 3> resource_keys{"cpu_milli", "memory_bytes", "slots"};
constexpr std::array<std::string_view, 3> floor_keys{"disk_bytes", "disk_files", "memory_bytes"};
constexpr std::array<std::string_view, 2> readiness_keys{"command", "timeout"};
constexpr Duration shortest_timeout = 100ms;
constexpr Duration longest_timeout = 10min;

/// The table of this key, or none; then `fields` may have the fault.
const toml::table* table_of(TomlFields& fields, const toml::table& in, std::string_view key) {
    const auto* const node = in.get(key);
    if (node != nullptr && !node->is_table()) {
        fields.fail_at(node->source(), std::string{key} + " is a table: write [" +
                                           std::string{key} + "] and its keys below");
    }
    return node == nullptr ? nullptr : node->as_table();
}

constexpr auto most_cpu = static_cast<std::int64_t>(limits::cpu_milli);
constexpr auto most_memory = static_cast<std::int64_t>(limits::memory_bytes);
constexpr auto most_disk = static_cast<std::int64_t>(std::uint64_t{1} << 60U);
constexpr std::int64_t most_files = 1'000'000'000;
constexpr auto most_slots = static_cast<std::int64_t>(limits::instances_per_node);

template <class N>
void read_known(TomlFields& fields, const toml::table& table, std::string_view key,
                std::int64_t most, std::optional<N>& into) {
    if (const auto* const node = table.get(key)) {
        fields.number(node, key, 0, most, into.emplace());
    }
}

void read_capacity(TomlFields& fields, const toml::table& table, Capacity& into) {
    fields.known_keys(table, resource_keys, "capacity");
    read_known(fields, table, "cpu_milli", most_cpu, into.cpu_milli);
    read_known(fields, table, "memory_bytes", most_memory, into.memory_bytes);
    read_known(fields, table, "slots", most_slots, into.slots);
}

void read_reserved(TomlFields& fields, const toml::table& table, Resources& into) {
    fields.known_keys(table, resource_keys, "reserved");
    fields.number(table.get("cpu_milli"), "cpu_milli", 0, most_cpu, into.cpu_milli);
    fields.number(table.get("memory_bytes"), "memory_bytes", 0, most_memory, into.memory_bytes);
    fields.number(table.get("slots"), "slots", 0, most_slots, into.slots);
}

void read_floors(TomlFields& fields, const toml::table& table, HostFloors& into) {
    fields.known_keys(table, floor_keys, "floors");
    read_known(fields, table, "disk_bytes", most_disk, into.disk_bytes);
    read_known(fields, table, "disk_files", most_files, into.disk_files);
    read_known(fields, table, "memory_bytes", most_memory, into.memory_bytes);
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
    Offer& offer = into.offer;
    fields.text_map(table.get("labels"), "labels", offer.labels);
    if (const auto* const capacity = table_of(fields, table, "capacity")) {
        read_capacity(fields, *capacity, offer.capacity);
    }
    if (const auto* const reserved = table_of(fields, table, "reserved")) {
        read_reserved(fields, *reserved, offer.reserved);
    }
    if (const auto* const floors = table_of(fields, table, "floors")) {
        read_floors(fields, *floors, into.floors);
    }
    if (const auto* const readiness = table_of(fields, table, "readiness")) {
        read_readiness(fields, *readiness, into.check);
    }
    if (const auto fault = fault_of(offer); fault && !fields.fault()) {
        const auto* const node = table.get(fault->field);
        fields.fail_at(node == nullptr ? table.source() : node->source(),
                       std::string{fault->field} + " " + fault->what);
    }
    return fields.fault();
}

}  // namespace muster
