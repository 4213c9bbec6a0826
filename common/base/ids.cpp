#include "common/base/ids.hpp"

#include <fmt/format.h>

#include "common/base/limits.hpp"
#include "common/base/number.hpp"

namespace muster {

namespace {

constexpr bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

constexpr auto name_characters = [] {
    std::array<bool, 256> allowed{};
    for (const char c : std::string_view{"abcdefghijklmnopqrstuvwxyz0123456789._-"}) {
        allowed[static_cast<unsigned char>(c)] = true;
    }
    return allowed;
}();

}  // namespace

namespace detail {

std::string hex(std::uint64_t high, std::uint64_t low) {
    return fmt::format("{:016x}{:016x}", high, low);
}

std::optional<std::array<std::uint64_t, 2>> parse_hex(std::string_view text) {
    std::string digits{text};
    std::erase(digits, '-');
    if (digits.size() != 32) {
        return std::nullopt;
    }
    const auto high = number_in<std::uint64_t>(std::string_view{digits}.substr(0, 16), 16);
    const auto low = number_in<std::uint64_t>(std::string_view{digits}.substr(16), 16);
    return high && low ? std::optional{std::array{*high, *low}} : std::nullopt;
}

}  // namespace detail

std::string to_string(const InstanceId& id) { return id.task + '.' + std::to_string(id.ordinal); }

std::optional<InstanceId> parse_instance(std::string_view text) {
    const auto dot = text.rfind('.');
    if (dot == std::string_view::npos) {
        return std::nullopt;
    }
    const auto ordinal = number_in<Ordinal>(text.substr(dot + 1));
    return ordinal ? std::optional{InstanceId{std::string{text.substr(0, dot)}, *ordinal}}
                   : std::nullopt;
}

// A table, since every name of every report passes here.
bool is_valid_name(std::string_view name) {
    if (name.empty() || name.size() > limits::name_bytes || !is_name_start(name.front())) {
        return false;
    }
    bool after_dot = false;
    for (const char c : name) {
        if (!name_characters[static_cast<unsigned char>(c)] || (c == '.' && after_dot)) {
            return false;
        }
        after_dot = c == '.';
    }
    return true;
}

std::string_view name_rule() {
    return "a name is 1 to 63 of a-z 0-9 . _ - and begins with a letter or digit, without '..'";
}

}  // namespace muster
