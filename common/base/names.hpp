#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace muster {

/// A list of the given names.
[[nodiscard]] constexpr auto name_list(const auto&... names) {
    return std::array<std::string_view, sizeof...(names)>{names...};
}

/// The texts of `all`, each made by `text_of`, with `between` between them.
template <class All, class TextOf = std::identity>
[[nodiscard]] std::string joined(const All& all, std::string_view between, TextOf text_of = {}) {
    std::string text;
    for (const auto& one : all) {
        text += text.empty() ? std::string_view{} : between;
        text += std::invoke(text_of, one);
    }
    return text;
}

/// The names of an enum's values, from the first value on, for people and messages. An enum without
/// a specialisation has no names.
template <class E>
inline constexpr std::array<std::string_view, 0> enum_names{};

template <class E>
concept Named = std::is_enum_v<E> && !enum_names<E>.empty();

template <Named E>
[[nodiscard]] constexpr std::string_view to_string(E value) {
    const auto at = static_cast<std::size_t>(value);
    return at < enum_names<E>.size() ? enum_names<E>[at] : "unknown";
}

/// The value of a name; nothing: no such name.
template <Named E>
[[nodiscard]] constexpr std::optional<E> value_named(std::string_view name) {
    const auto found = std::ranges::find(enum_names<E>, name);
    const bool is_there = found != enum_names<E>.end();
    return is_there ? std::optional{static_cast<E>(found - enum_names<E>.begin())} : std::nullopt;
}

/// All names, for an error text.
template <Named E>
[[nodiscard]] std::string names_of() {
    return joined(enum_names<E>, ", ");
}

}  // namespace muster
