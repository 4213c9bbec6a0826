#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace muster {

/// The number that the whole text is; nothing: it is not a number, or does not fit.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text, int base = 10) {
    if constexpr (std::is_enum_v<Number>) {
        const auto number = number_in<std::underlying_type_t<Number>>(text, base);
        return number ? std::optional{Number{*number}} : std::nullopt;
    } else {
        Number number{};
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, number, base);
        return error == std::errc{} && stop == end ? std::optional{number} : std::nullopt;
    }
}

}  // namespace muster
