#include "common/text/pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "common/base/limits.hpp"
#include "common/base/number.hpp"

namespace muster::pattern {

namespace {

constexpr std::size_t most_digits = 9;  // A number that fits 32 bits; no fleet has more hosts.

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text) {
    return std::min(text.find_first_not_of("0123456789"), text.size());
}

std::uint32_t number_of(std::string_view digits) {
    return number_in<std::uint32_t>(digits).value_or(0);
}

/// `1-40` or `52` in a range's list.
struct Span {
    std::string_view first;
    std::string_view last;

    [[nodiscard]] bool contains(std::string_view digits) const {
        const bool padded = first.front() == '0' && first.size() > 1;
        const bool well_written =
            padded ? digits.size() == first.size() : digits.front() != '0' || digits.size() == 1;
        const auto number = number_of(digits);
        return well_written && number_of(first) <= number && number <= number_of(last);
    }
};

/// Takes one span off the front of a list. Nothing: the span is malformed.
std::optional<Span> take_span(std::string_view& list) {
    const auto take_number = [&list]() {
        const auto number = list.substr(0, digits_at(list));
        list.remove_prefix(number.size());
        return number;
    };
    Span span{take_number(), {}};
    span.last = span.first;
    if (list.starts_with('-')) {
        list.remove_prefix(1);
        span.last = take_number();
    }
    const bool sound = !span.first.empty() && !span.last.empty() &&
                       span.first.size() <= most_digits && span.last.size() <= most_digits &&
                       number_of(span.first) <= number_of(span.last);
    return sound ? std::optional{span} : std::nullopt;
}

/// The list in the brackets at the start of a pattern; empty if it is malformed.
std::string_view list_at(std::string_view pattern) {
    const auto close = pattern.find(']');
    return close == std::string_view::npos ? std::string_view{} : pattern.substr(1, close - 1);
}

bool is_sound(std::string_view list) {
    while (take_span(list)) {
        if (list.empty()) {
            return true;
        }
        if (!list.starts_with(',')) {
            return false;
        }
        list.remove_prefix(1);
    }
    return false;
}

bool list_contains(std::string_view list, std::string_view digits) {
    while (const auto span = take_span(list)) {
        if (span->contains(digits)) {
            return true;
        }
        list.remove_prefix(std::min<std::size_t>(1, list.size()));
    }
    return false;
}

/// How much of the name the first element of the pattern matches. Nothing: no match.
std::optional<std::size_t> match_element(std::string_view pattern, std::string_view name) {
    if (name.empty()) {
        return std::nullopt;
    }
    if (pattern.front() != '[') {
        const bool same = pattern.front() == '?' || pattern.front() == name.front();
        return same ? std::optional<std::size_t>{1} : std::nullopt;
    }
    const auto digits = digits_at(name);
    if (digits == 0 || digits > most_digits ||
        !list_contains(list_at(pattern), name.substr(0, digits))) {
        return std::nullopt;
    }
    return digits;
}

std::size_t element_size(std::string_view pattern) {
    return pattern.front() == '[' ? list_at(pattern).size() + 2 : 1;
}

constexpr std::string_view signs = "*?[";
constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789._-*?[";

/// Greedy matching with one step back: only the last `*` ever needs to match more.
bool match(std::string_view pattern, const std::string_view whole, std::uint64_t& steps) {
    std::string_view name = whole;
    std::optional<std::string_view> behind_star;
    std::string_view star_name;
    while (true) {
        steps += pattern.empty() ? 1 : element_size(pattern);
        if (!pattern.empty() && pattern.front() == '*') {
            pattern.remove_prefix(1);
            behind_star = pattern;
            star_name = name;
            continue;
        }
        if (pattern.empty() && name.empty()) {
            return true;
        }
        // A `*` before a range never matches the first digits of its number.
        const bool inside_number = behind_star && pattern == *behind_star &&
                                   name.size() < whole.size() &&
                                   is_digit(whole[whole.size() - name.size() - 1]);
        const bool possible = !pattern.empty() && !(inside_number && pattern.front() == '[');
        const auto taken = possible ? match_element(pattern, name) : std::nullopt;
        if (taken) {
            pattern.remove_prefix(element_size(pattern));
            name.remove_prefix(*taken);
        } else if (behind_star && !star_name.empty()) {
            star_name.remove_prefix(1);
            pattern = *behind_star;
            name = star_name;
        } else {
            return false;
        }
    }
}

}  // namespace

Result<void> check(std::string_view pattern) {
    if (pattern.empty() || pattern.size() > limits::pattern_bytes) {
        return fail(Errc::invalid, "a pattern has 1 to " + std::to_string(limits::pattern_bytes) +
                                       " bytes; '*' matches every name");
    }
    for (std::size_t at = 0; at < pattern.size(); at += element_size(pattern.substr(at))) {
        const auto rest = pattern.substr(at);
        if (rest.front() == '[' && !is_sound(list_at(rest))) {
            return fail(Errc::invalid, "the range in '" + std::string{pattern} +
                                           "' is broken; write numbers as in n[1-40,52]");
        }
        if (allowed.find(rest.front()) == std::string_view::npos) {
            return fail(Errc::invalid,
                        "a pattern is made of a-z 0-9 . _ - and of * ? and ranges such as [1-40]");
        }
    }
    return {};
}

bool matches(std::string_view pattern, std::string_view name) {
    std::uint64_t steps = 0;
    return check(pattern) && match(pattern, name, steps);
}

bool matches_sound(std::string_view pattern, std::string_view name, std::uint64_t& steps) {
    return match(pattern, name, steps);
}

bool is_name(std::string_view pattern) {
    return pattern.find_first_of(signs) == std::string_view::npos;
}

std::string_view beginning(std::string_view pattern) {
    return pattern.substr(0, pattern.find_first_of(signs));
}

}  // namespace muster::pattern
