#include <array>

#include "common/base/limits.hpp"
#include "common/config/toml_fields.hpp"

namespace muster {

namespace {

constexpr std::array<std::string_view, 10> keys{
    "pool",       "constraints", "resources", "spread",           "group",
    "every_node", "pinned",      "priority",  "reschedule_after", "reconcile"};
constexpr std::array<std::string_view, 3> resource_keys{"cpu_milli", "memory_bytes", "slots"};
constexpr std::array reconcile_choices{Reconcile::original, Reconcile::replacement};

void read_constraints(TomlFields& fields, const toml::node* node, PlacementRule& into) {
    if (node == nullptr) {
        return;
    }
    const auto* const array = node->as_array();
    if (array == nullptr) {
        fields.fail_at(node->source(),
                       "constraints is not an array of texts; write constraints = [\"rack = r7\"]");
        return;
    }
    for (const auto& element : *array) {
        const auto written = element.value_exact<std::string>();
        const auto constraint = parse_constraint(written.value_or(""));
        if (!written) {
            fields.fail_at(element.source(), "constraints[" +
                                                 std::to_string(into.constraints.size()) +
                                                 "] is not a text; put it in quotes");
        } else if (!constraint) {
            fields.fail_at(element.source(), constraint.error().detail);
        } else {
            into.constraints.push_back(*constraint);
            continue;
        }
        return;
    }
}

void read_resources(TomlFields& fields, const toml::node* node, Resources& into) {
    if (node == nullptr) {
        return;
    }
    const auto* const table = node->as_table();
    if (table == nullptr) {
        fields.fail_at(node->source(),
                       "resources is not a table; write resources = { cpu_milli = 500, "
                       "memory_bytes = 536_870_912, slots = 1 }");
        return;
    }
    fields.known_keys(*table, resource_keys, "resources");
    fields.number(table->get("cpu_milli"), "cpu_milli", 0, std::int64_t{limits::cpu_milli},
                  into.cpu_milli);
    fields.number(table->get("memory_bytes"), "memory_bytes", 0, std::int64_t{limits::memory_bytes},
                  into.memory_bytes);
    fields.number(table->get("slots"), "slots", 0, std::int64_t{limits::instances_per_node},
                  into.slots);
}

}  // namespace

std::span<const std::string_view> placement_keys() { return keys; }

void read_placement(TomlFields& fields, const toml::table& table, PlacementRule& into) {
    fields.text(table.get("pool"), "pool", into.pool);
    read_constraints(fields, table.get("constraints"), into);
    read_resources(fields, table.get("resources"), into.request);
    fields.text(table.get("spread"), "spread", into.spread);
    fields.text(table.get("group"), "group", into.group);
    fields.truth(table.get("every_node"), "every_node", into.every_node);
    fields.truth(table.get("pinned"), "pinned", into.pinned);
    fields.number(table.get("priority"), "priority", -limits::priority, limits::priority,
                  into.priority);
    fields.duration(table.get("reschedule_after"), "reschedule_after", into.reschedule_after);
    fields.choice<Reconcile>(table.get("reconcile"), "reconcile", reconcile_choices,
                             into.reconcile);
}

}  // namespace muster
