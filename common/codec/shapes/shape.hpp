#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "common/base/names.hpp"

/// The description of a message's fields: once, for all forms.
///
/// Each struct has one function `fields(visit, message)` that calls `visit(name, member, rule)` for
/// its members in their order on the wire. The writers and readers of msgpack and of JSON use it,
/// so the forms cannot drift apart. They visit first and use the members then (see FieldList), so
/// only what lives as long as the message is visited. A struct is a map of names to values, unless
/// it is `positional`: then msgpack writes an array without names, to save space.
namespace muster::codec {

/// The limits of a field, and whether a map may omit it. It fits two registers.
struct Rule {
    std::uint32_t bytes = 0;  ///< Of a text, or of each text in a list.
    std::uint32_t count = 0;  ///< Elements of a list.
    bool name = false;        ///< Obeys the rule for names.
    bool cut = false;         ///< A text for people: a writer cuts it to its limit.
    bool default_ok = false;  ///< Missing: keeps its struct's initial value.

    /// The same rule, but the field may be missing.
    [[nodiscard]] constexpr Rule or_default() const {
        Rule rule = *this;
        rule.default_ok = true;
        return rule;
    }
};

/// A number, an id, a boolean, an enum or a struct.
inline constexpr Rule plain{};

[[nodiscard]] constexpr Rule text(std::uint32_t bytes) { return {.bytes = bytes}; }
[[nodiscard]] constexpr Rule sentence(std::uint32_t bytes) { return {.bytes = bytes, .cut = true}; }
[[nodiscard]] constexpr Rule list(std::uint32_t count) { return {.count = count}; }
[[nodiscard]] constexpr Rule texts(std::uint32_t count, std::uint32_t bytes) {
    return {.bytes = bytes, .count = count};
}

/// One of these types.
template <class T, class... Types>
concept OneOf = (std::same_as<T, Types> || ...);

/// `T` or `const T`: a description serves readers and writers, and several message types.
template <class M, class... T>
concept Like = OneOf<std::remove_const_t<M>, T...>;

/// True for a struct that is an array in msgpack.
template <class T>
inline constexpr bool positional = false;

/// The number that begins the array of a positional message.
template <class T>
inline constexpr std::uint8_t message_number = 0;

/// The text that identifies a map: a message's `type`, a request's `verb`, a reply's `reply`.
template <class T>
inline constexpr std::string_view tag{};

/// For enums with names: msgpack writes these as numbers, to save space; JSON never does.
template <class E>
inline constexpr bool by_number = false;

/// The value for an unknown name, from a later version; nothing: an unknown name is a fault.
template <class E>
inline constexpr std::optional<E> of_later_version{};

/// Finds the enumerator of a name. False: no such name.
template <Named E>
[[nodiscard]] bool enum_from(std::string_view name, E& into) {
    const auto known = value_named<E>(name);
    const auto value = known || name.empty() ? known : of_later_version<E>;
    into = value.value_or(into);
    return value.has_value();
}

/// An opaque number such as Epoch.
template <class E>
concept OpaqueNumber = std::is_enum_v<E> && !Named<E>;

template <class T>
concept Unsigned = std::unsigned_integral<T> && !std::same_as<T, bool>;

/// How a reader begins a struct, and what it does once all fields are read.
template <class T>
struct Reading {
    static void begin(T& message) { message = T{}; }
    static void end(T& /*message*/) {}
};

/// Readers ignore skipped keys of a map, except in these structs: they keep the first such key
/// anywhere below them, because they must not be carried out without it.
///
///     static std::string& key_of(T&);
template <class T>
struct UnknownKey {
    static constexpr bool is_kept = false;
};

/// True for a task. In a request a skipped key anywhere in it is an error: a task with a misspelled
/// `user` would run as root. In a reply, perhaps of a later version, it is ignored.
template <class T>
inline constexpr bool is_read_whole = false;
enum class UnknownFields : std::uint8_t { ignored, refused };

/// A struct that may also be written as one value, as in a task file: `restart: "never"`. Writers
/// do so where the value suffices; programs of the first release understand only this form.
///
///     static bool fits(const T&);     the value suffices
///     static Value value_of(const T&);
///     static T from(Value);
template <class T>
struct Short {
    static constexpr bool possible = false;
};

template <class T>
[[nodiscard]] std::uint32_t count_fields(const T& message) {
    std::uint32_t count = 0;
    const auto visit = [&](std::string_view, const auto&, Rule) { ++count; };
    fields(visit, message);
    return count;
}

/// Calls `use.operator()<T>()` for the alternative of the variant whose tag is `text`, and returns
/// whether it exists.
template <class Variant>
struct Alternatives;
template <template <class...> class Variant, class... T>
struct Alternatives<Variant<T...>> {
    template <class Use>
    static bool with_tag(std::string_view text, Use use) {
        static_assert((!tag<T>.empty() && ...), "include what says the tags: verb_table.hpp");
        return ((tag<T> == text && (use.template operator()<T>(), true)) || ...);
    }
};

}  // namespace muster::codec
