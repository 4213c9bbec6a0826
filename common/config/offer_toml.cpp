#include <array>
#include <string>

#include "common/base/limits.hpp"
#include "common/config/toml_fields.hpp"

namespace muster {

namespace {

constexpr std::array<std::string_view, 3> keys_of_host{"cpu", "memory", "slots"};
constexpr std::array<std::string_view, 2> host_keys_with_unit{"cpu_milli", "memory_bytes"};
constexpr auto most_cpu = static_cast<std::int64_t>(limits::cpu_milli);
constexpr auto most_memory = static_cast<std::int64_t>(limits::memory_bytes);
constexpr auto most_slots = static_cast<std::int64_t>(limits::instances_per_node);

/// What a host has, or reserves for others.
template <class Amounts>
void read_amounts(TomlFields& fields, const toml::table& in, std::string_view key, Amounts& into) {
    if (const auto* const table = fields.table(in, key)) {
        fields.known_keys(*table, keys_of_host, key, host_keys_with_unit);
        fields.amount(*table, "cpu_milli", 0, most_cpu, into.cpu_milli);
        fields.amount(*table, "memory_bytes", 0, most_memory, into.memory_bytes);
        fields.number(table->get("slots"), "slots", 0, most_slots, into.slots);
    }
}

}  // namespace

void read_offer(TomlFields& fields, const toml::table& table, Offer& into) {
    const std::size_t faults_before = fields.fault_count();
    fields.text_map(table.get("labels"), "labels", into.labels);
    read_amounts(fields, table, "capacity", into.capacity);
    read_amounts(fields, table, "reserved", into.reserved);
    const bool is_read = fields.fault_count() == faults_before;
    if (const auto fault = is_read ? fault_of(into) : std::nullopt) {
        const auto* const node = table.get(fault->field);
        fields.fail_at(node == nullptr ? table.source() : node->source(),
                       std::string{fault->field} + " " + fault->what);
    }
}

}  // namespace muster
