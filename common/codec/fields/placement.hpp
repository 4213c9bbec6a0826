#pragma once

#include <type_traits>

#include "common/base/limits.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/message.hpp"
#include "common/spec/description.hpp"
#include "common/spec/placement.hpp"

/// The fields that say where instances may run: of a task's rule, and of a node's offer.
namespace muster::codec {

inline constexpr Rule valid_name{.bytes = limits::name_bytes, .name = true};

/// True where a description serves a writer: it may omit a field that has its default.
template <class T>
inline constexpr bool is_written = std::is_const_v<T>;

/// A field of a later version is written only if it differs from the default. In an array it comes
/// last.
template <class T>
void unless_default(auto& visit, std::string_view name, T& value,
                    const std::remove_const_t<T>& by_default, Rule rule) {
    if (!is_written<T> || !(value == by_default)) {
        visit(name, value, rule.or_default());
    }
}

/// A part of a task has the fields of its description.
template <class T>
void fields(auto& visit, T& value) requires Described<std::remove_const_t<T>> {
    using Value = std::remove_const_t<T>;
    static const Value unsaid;
    for_each_field<Value>([&](const auto& field) {
        const Rule rule{.bytes = static_cast<std::uint32_t>(field.rule.bytes),
                        .count = static_cast<std::uint32_t>(field.rule.count),
                        .name = field.rule.is_name,
                        .default_ok = field.rule.presence != Presence::required};
        auto& member = value.*field.member;
        if (field.rule.presence == Presence::unless_default) {
            unless_default(visit, field.wire_name, member, unsaid.*field.member, rule);
        } else {
            visit(field.wire_name, member, rule);
        }
    });
}

/// An unknown value is not written.
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

void fields(auto& visit, Like<HostVitals> auto& vitals) {
    visit("at", vitals.at, plain);
    visit("memory_free", vitals.memory_free, plain.or_default());
    visit("disk_free", vitals.disk_free, plain.or_default());
    visit("disk_bytes", vitals.disk_bytes, plain.or_default());
    visit("spawned", vitals.spawned, plain.or_default());
    visit("written", vitals.written, plain.or_default());
    visit("unable", vitals.unable, sentence(limits::detail_bytes).or_default());
    unless_default(visit, "trouble", vitals.trouble, {}, sentence(limits::detail_bytes));
}

void fields(auto& visit, Like<CapacityFrom> auto& from) {
    visit("cpu", from.cpu, text(limits::name_bytes).or_default());
    visit("memory", from.memory, text(limits::name_bytes).or_default());
}

}  // namespace muster::codec
