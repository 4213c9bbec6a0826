#include "common/base/ids.hpp"

#include <fmt/format.h>

#include "common/base/limits.hpp"
#include "common/base/number.hpp"

namespace muster {

namespace {

// The class of a byte in a name, as bits to combine for a whole name: this runs for each name in
// each report.
constexpr std::uint8_t no_start = 1;
constexpr std::uint8_t is_dot = 2;
constexpr std::uint8_t is_foreign = 4;
constexpr auto kinds_of_bytes = [] {
    std::array<std::uint8_t, 256> kinds{};
    kinds.fill(is_foreign);
    for (const char c : std::string_view{"abcdefghijklmnopqrstuvwxyz0123456789"}) {
        kinds[static_cast<unsigned char>(c)] = 0;
    }
    kinds['_'] = kinds['-'] = no_start;
    kinds['.'] = is_dot;
    return kinds;
}();
constexpr std::uint8_t kind_of(char c) { return kinds_of_bytes[static_cast<unsigned char>(c)]; }

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

bool is_valid_name(std::string_view name) {
    if (name.empty() || name.size() > limits::name_bytes || kind_of(name.front()) != 0) {
        return false;
    }
    std::uint8_t kinds = 0;
    for (const char c : name) {
        kinds |= kind_of(c);
    }
    return (kinds & is_foreign) == 0 &&
           ((kinds & is_dot) == 0 || name.find("..") == std::string_view::npos);
}

std::string_view name_rule() {
    return "a name is 1 to 63 of a-z 0-9 . _ - and begins with a letter or digit, without '..'";
}

}  // namespace muster
