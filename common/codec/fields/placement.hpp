#pragma once

#include <type_traits>

#include "common/base/limits.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/spec/placement.hpp"

/// The fields of where instances may run: of a task's rule, and of what a node offers.
namespace muster::codec {

template <>
struct NamedEnum<Reconcile> {
    static constexpr bool named = true;
    static constexpr auto last = Reconcile::replacement;
    static constexpr bool by_number = false;
};

inline constexpr Rule valid_name{.bytes = limits::name_bytes, .name = true};

/// True where a description serves a writer: it may leave out what its reader has a default for.
template <class T>
inline constexpr bool is_written = std::is_const_v<T>;

/// A field that came later is written only if it is not as in what says nothing of it; in an
/// array it stands last.
template <class T>
void unless_default(auto& visit, std::string_view name, T& value,
                    const std::remove_const_t<T>& by_default, Rule rule) {
    if (!is_written<T> || !(value == by_default)) {
        visit(name, value, rule.or_default());
    }
}

void fields(auto& visit, Like<Resources> auto& resources) {
    visit("cpu_milli", resources.cpu_milli, plain.or_default());
    visit("memory_bytes", resources.memory_bytes, plain.or_default());
    visit("slots", resources.slots, plain.or_default());
}

/// What is not known is not written.
void optional_field(auto& visit, std::string_view name, auto& value) {
    if constexpr (!is_written<std::remove_reference_t<decltype(value)>>) {
        visit(name, value, plain.or_default());
    } else if (value) {
        visit(name, *value, plain);
    }
}

void fields(auto& visit, Like<Capacity> auto& capacity) {
    optional_field(visit, "cpu_milli", capacity.cpu_milli);
    optional_field(visit, "memory_bytes", capacity.memory_bytes);
    optional_field(visit, "slots", capacity.slots);
}

void fields(auto& visit, Like<PlacementRule> auto& rule) {
    visit("pool", rule.pool, valid_name.or_default());
    visit("constraints", rule.constraints,
          texts(limits::constraints, limits::constraint_bytes).or_default());
    visit("resources", rule.request, plain.or_default());
    visit("spread", rule.spread, text(limits::name_bytes).or_default());
    visit("group", rule.group, text(limits::name_bytes).or_default());
    visit("every_node", rule.every_node, plain.or_default());
    visit("pinned", rule.pinned, plain.or_default());
    visit("priority", rule.priority, plain.or_default());
    visit("reschedule_after_ms", rule.reschedule_after, plain.or_default());
    visit("reconcile", rule.reconcile, plain.or_default());
}

void fields(auto& visit, Like<Offer> auto& offer) {
    visit("labels", offer.labels, texts(limits::labels_per_node, limits::label_bytes).or_default());
    visit("pool", offer.pool, valid_name.or_default());
    visit("capacity", offer.capacity, plain.or_default());
    visit("reserved", offer.reserved, plain.or_default());
}

void fields(auto& visit, Like<LimitFact> auto& fact) {
    visit("limit", fact.limit, valid_name);
    visit("enforced", fact.enforced, plain);
    visit("how", fact.how, sentence(limits::detail_bytes).or_default());
}

}  // namespace muster::codec
