#include "common/spec/placement.hpp"

#include "common/base/ids.hpp"
#include "common/base/limits.hpp"
#include "common/spec/duration.hpp"

namespace muster {

namespace {

using Fault = std::optional<FieldFault>;

std::string number_fault(std::uint64_t number, std::uint64_t most) {
    return std::to_string(number) + "; at most " + std::to_string(most) + " is allowed";
}

Fault check_name(std::string_view field, std::string_view name) {
    if (is_valid_name(name)) {
        return std::nullopt;
    }
    return FieldFault{field, "is " + in_quotes(name) + "; " + std::string{name_rule()}};
}

Fault check_resources(std::string_view field, const Resources& resources) {
    struct Bound {
        std::string_view name;
        std::uint64_t value;
        std::uint64_t most;
    };
    for (const auto& [name, value, most] :
         {Bound{"cpu_milli", resources.cpu_milli, limits::cpu_milli},
          Bound{"memory_bytes", resources.memory_bytes, limits::memory_bytes},
          Bound{"slots", resources.slots, limits::instances_per_node}}) {
        if (value > most) {
            return FieldFault{field, "has " + std::string{name} + ' ' + number_fault(value, most)};
        }
    }
    return std::nullopt;
}

Fault check_constraints(const PlacementRule& rule) {
    if (rule.constraints.size() > limits::constraints) {
        return FieldFault{"constraints",
                          "are " + number_fault(rule.constraints.size(), limits::constraints)};
    }
    for (const auto& one : rule.constraints) {
        if (const auto read = parse_constraint(to_string(one)); !read || *read != one) {
            return FieldFault{"constraints", "hold an invalid one: '" + to_string(one) + "'"};
        }
    }
    if (const auto sentence = contradiction_of(rule.constraints)) {
        return FieldFault{"constraints", "contradict each other: " + *sentence};
    }
    return std::nullopt;
}

Fault check_priority(const PlacementRule& rule) {
    if (rule.priority < -limits::priority || rule.priority > limits::priority) {
        return FieldFault{"priority", "is " + std::to_string(rule.priority) + "; it is -" +
                                          std::to_string(limits::priority) + " to " +
                                          std::to_string(limits::priority)};
    }
    return std::nullopt;
}

Fault check_reschedule_after(const PlacementRule& rule) {
    const auto after = rule.reschedule_after;
    if (after < Duration::zero() || after > limits::reschedule_after_max ||
        after % 1ms != Duration::zero()) {
        return FieldFault{"reschedule_after", "is " + to_string(after) + "; it is 0s to " +
                                                  to_string(limits::reschedule_after_max) +
                                                  " in whole milliseconds"};
    }
    return std::nullopt;
}

Fault check_labels(const Offer& offer) {
    if (offer.labels.size() > limits::labels_per_node) {
        return FieldFault{"labels",
                          "are " + number_fault(offer.labels.size(), limits::labels_per_node)};
    }
    for (const auto& [key, value] : offer.labels) {
        if (!is_valid_name(key) || key == node_key) {
            return FieldFault{"labels",
                              "have the key " + in_quotes(key) + "; a key is a name other than '" +
                                  std::string{node_key} + "', and " + std::string{name_rule()}};
        }
        if (!is_valid_label_value(value)) {
            return FieldFault{"labels", "have for " + in_quotes(key) + " the value '" +
                                            value.substr(0, limits::label_bytes) + "'; " +
                                            std::string{label_value_rule()}};
        }
    }
    return std::nullopt;
}

Fault check_reserve(const Offer& offer) {
    const auto& [cpu, memory, slots] = offer.capacity;
    const auto& reserved = offer.reserved;
    if (reserved.cpu_milli > cpu.value_or(limits::cpu_milli) ||
        reserved.memory_bytes > memory.value_or(limits::memory_bytes) ||
        reserved.slots > slots.value_or(limits::instances_per_node)) {
        return FieldFault{"reserved", "is more than the capacity; reserve at most what there is"};
    }
    return std::nullopt;
}

}  // namespace

std::optional<FieldFault> fault_of(const PlacementRule& rule) {
    if (auto fault = check_name("pool", rule.pool)) {
        return fault;
    }
    if (auto fault = rule.spread.empty() ? Fault{} : check_name("spread", rule.spread)) {
        return fault;
    }
    if (auto fault = rule.group.empty() ? Fault{} : check_name("group", rule.group)) {
        return fault;
    }
    if (auto fault = check_resources("resources", rule.request)) {
        return fault;
    }
    if (rule.every_node && !rule.spread.empty()) {
        return FieldFault{"spread",
                          "goes with every_node, which leaves nothing to spread; leave it out"};
    }
    return first_fault(rule, {check_constraints, check_priority, check_reschedule_after});
}

std::optional<FieldFault> fault_of(const Offer& offer) {
    if (auto fault = check_name("pool", offer.pool)) {
        return fault;
    }
    const auto& [cpu, memory, slots] = offer.capacity;
    if (auto fault =
            check_resources("capacity", {cpu.value_or(0), memory.value_or(0), slots.value_or(0)})) {
        return fault;
    }
    return first_fault(offer, {check_labels, check_reserve});
}

}  // namespace muster
