#include "common/spec/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace muster {

namespace {

struct SizeUnit {
    std::string_view name;
    std::uint64_t bytes;
};

// Only the binary units are written, the largest first.
constexpr std::array binary_units{SizeUnit{"TiB", 1ULL << 40U}, SizeUnit{"GiB", 1ULL << 30U},
                                  SizeUnit{"MiB", 1ULL << 20U}, SizeUnit{"KiB", 1ULL << 10U}};
constexpr std::array decimal_units{SizeUnit{"TB", 1'000'000'000'000}, SizeUnit{"GB", 1'000'000'000},
                                   SizeUnit{"MB", 1'000'000}, SizeUnit{"kB", 1'000},
                                   SizeUnit{"B", 1}};

constexpr std::uint64_t thousand = 1'000;

/// A number with up to three decimal places.
struct Decimal {
    std::uint64_t whole = 0;
    std::uint64_t thousandths = 0;  ///< Below 1,000.
    std::string_view rest{};        ///< The text after the number.
};

std::optional<Decimal> read_decimal(std::string_view text) {
    Decimal number;
    const char* const end = text.data() + text.size();
    const auto [behind, error] = std::from_chars(text.data(), end, number.whole);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    number.rest = {behind, static_cast<std::size_t>(end - behind)};
    if (!number.rest.starts_with('.')) {
        return number;
    }
    number.rest.remove_prefix(1);
    const auto digits = std::min(number.rest.find_first_not_of("0123456789"), number.rest.size());
    if (digits == 0 || digits > 3) {
        return std::nullopt;
    }
    std::uint64_t weight = thousand / 10;
    for (const char digit : number.rest.substr(0, digits)) {
        number.thousandths += weight * static_cast<std::uint64_t>(digit - '0');
        weight /= 10;
    }
    number.rest.remove_prefix(digits);
    return number;
}

tl::unexpected<Error> no_size(std::string_view text) {
    return fail(Errc::invalid, "'" + std::string{text.substr(0, 40)} +
                                   "' is not a size; write 512KiB, 64MiB or 1.5GiB");
}

std::optional<std::uint64_t> unit_named(std::string_view name) {
    for (const auto& unit : binary_units) {
        if (unit.name == name) {
            return unit.bytes;
        }
    }
    const auto found = std::ranges::find(decimal_units, name, &SizeUnit::name);
    return found == decimal_units.end() ? std::nullopt : std::optional{found->bytes};
}

/// `1.5`, `0.25`, `2`: without trailing zeros.
std::string decimal_text(std::uint64_t thousandths) {
    std::string text = std::to_string(thousandths / thousand);
    if (const auto rest = thousandths % thousand; rest != 0) {
        text += '.' + std::to_string(thousand + rest).substr(1);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text;
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
    const auto number = read_decimal(text);
    const bool is_bytes = number && number->rest.empty() && number->thousandths == 0 &&
                          text.find('.') == std::string_view::npos;
    const auto unit = !number ? std::nullopt : is_bytes ? 1ULL : unit_named(number->rest);
    if (!unit || (*unit == 1 && number->thousandths != 0)) {
        return no_size(text);
    }
    if (number->whole >= std::numeric_limits<std::uint64_t>::max() / *unit) {
        return fail(Errc::invalid, "'" + std::string{text.substr(0, 40)} + "' is too large");
    }
    return number->whole * *unit + number->thousandths * *unit / thousand;
}

std::string size_text(std::uint64_t bytes) {
    for (const auto& unit : binary_units) {
        if (bytes >= unit.bytes) {
            const auto whole = bytes / unit.bytes;
            const auto tenths = bytes % unit.bytes * 10 / unit.bytes;
            return std::to_string(whole) + (tenths == 0 ? "" : '.' + std::to_string(tenths)) +
                   std::string{unit.name};
        }
    }
    return std::to_string(bytes) + "B";
}

Result<std::uint64_t> parse_cores(std::string_view text) {
    const auto number = read_decimal(text);
    if (!number || !number->rest.empty() ||
        number->whole >= std::numeric_limits<std::uint64_t>::max() / thousand) {
        return fail(Errc::invalid, "'" + std::string{text.substr(0, 40)} +
                                       "' is not a number of cores; write 2, 1.5 or 0.25");
    }
    return number->whole * thousand + number->thousandths;
}

std::string cores_text(std::uint64_t milli) {
    return decimal_text(milli) + (milli == thousand ? " core" : " cores");
}

}  // namespace muster
