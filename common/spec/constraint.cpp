#include "common/spec/constraint.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "common/base/ids.hpp"
#include "common/base/limits.hpp"
#include "common/base/number.hpp"
#include "common/text/utf8.hpp"

namespace muster {

namespace {

constexpr std::string_view forms =
    "write rack = r7, rack != r7, rack in (r7, r8), rack exists, or cores with < <= > >= and a "
    "number";
constexpr std::string_view space_or_tab = " \t";

struct Sign {
    std::string_view text;
    ConstraintOp op;
};
/// The longer ones first, because `<=` begins with `<`.
constexpr std::array signs{Sign{"!=", ConstraintOp::not_equal}, Sign{"<=", ConstraintOp::at_most},
                           Sign{">=", ConstraintOp::at_least},  Sign{"=", ConstraintOp::equal},
                           Sign{"<", ConstraintOp::less},       Sign{">", ConstraintOp::more}};

bool compares_numbers(ConstraintOp op) { return op >= ConstraintOp::less; }

tl::unexpected<Error> refuse(std::string_view text, std::string_view what) {
    return fail(Errc::invalid, "the constraint '" + std::string{text.substr(0, 100)} + "' " +
                                   std::string{what} + "; " + std::string{forms});
}

/// Takes the first word, made of name characters, off the front.
std::string_view take_word(std::string_view& rest) {
    const auto size =
        std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-"), rest.size());
    const auto word = rest.substr(0, size);
    rest = trimmed(rest.substr(size), space_or_tab);
    return word;
}

/// Reads `(a, b)` into sorted values. Nothing: it has another form.
std::optional<std::vector<std::string>> read_list(std::string_view rest) {
    if (rest.size() < 2 || rest.front() != '(' || rest.back() != ')') {
        return std::nullopt;
    }
    rest = rest.substr(1, rest.size() - 2);
    std::vector<std::string> values;
    for (bool more = true; more;) {
        const auto comma = rest.find(',');
        const auto value = trimmed(rest.substr(0, comma), space_or_tab);
        if (!is_valid_label_value(value)) {
            return std::nullopt;
        }
        values.emplace_back(value);
        more = comma != std::string_view::npos;
        rest.remove_prefix(more ? comma + 1 : 0);
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

Result<Constraint> parse_list(std::string_view text, std::string key, std::string_view rest) {
    auto values = read_list(rest);
    if (!values) {
        return refuse(text, "has no list of values after 'in'");
    }
    if (values->size() > limits::values_per_constraint) {
        return refuse(text,
                      "has " + too_many(values->size(), "values", limits::values_per_constraint));
    }
    return Constraint{std::move(key), ConstraintOp::in, std::move(*values), 0};
}

Result<Constraint> parse_sign(std::string_view text, std::string key, std::string_view rest) {
    const auto* const sign =
        std::ranges::find_if(signs, [&](const Sign& one) { return rest.starts_with(one.text); });
    if (sign == signs.end()) {
        return refuse(text, "has no known operator after " + in_quotes(key));
    }
    const auto value = trimmed(rest.substr(sign->text.size()), space_or_tab);
    if (compares_numbers(sign->op)) {
        const auto number = number_of_label(value);
        if (!number) {
            return refuse(text, "compares with " + in_quotes(value) +
                                    ", which is no whole number of 64 bits");
        }
        return Constraint{std::move(key), sign->op, {}, *number};
    }
    if (!is_valid_label_value(value)) {
        return refuse(
            text, "has the value " + in_quotes(value) + ", and " + std::string{label_value_rule()});
    }
    return Constraint{std::move(key), sign->op, {std::string{value}}, 0};
}

std::string_view sign_of(ConstraintOp op) {
    const auto* const sign = std::ranges::find(signs, op, &Sign::op);
    return sign == signs.end() ? std::string_view{} : sign->text;
}

bool holds(ConstraintOp op, std::int64_t left, std::int64_t right) {
    switch (op) {
        case ConstraintOp::less: return left < right;
        case ConstraintOp::at_most: return left <= right;
        case ConstraintOp::more: return left > right;
        case ConstraintOp::at_least: return left >= right;
        case ConstraintOp::equal:
        case ConstraintOp::not_equal:
        case ConstraintOp::in:
        case ConstraintOp::exists: break;
    }
    return false;
}

using Group = std::vector<const Constraint*>;

bool all_met(const Group& group, const std::string* value) {
    return std::ranges::all_of(group, [&](const Constraint* one) { return is_met(*one, value); });
}

bool leaves_a_number(const Group& group) {
    // The bounds are whole numbers, so if any number satisfies them, a neighbour of a bound does.
    std::vector<std::int64_t> candidates;
    for (const auto* const one : group) {
        if (compares_numbers(one->op)) {
            candidates.push_back(one->number);
            const auto& number = one->number;
            if (number > std::numeric_limits<std::int64_t>::min()) {
                candidates.push_back(number - 1);
            }
            if (number < std::numeric_limits<std::int64_t>::max()) {
                candidates.push_back(number + 1);
            }
        }
    }
    return candidates.empty() || std::ranges::any_of(candidates, [&](std::int64_t candidate) {
               return std::ranges::all_of(group, [&](const Constraint* one) {
                   return !compares_numbers(one->op) || holds(one->op, candidate, one->number);
               });
           });
}

/// Whether some value of a label, or its absence, satisfies all constraints of one key.
bool can_be_met(const Group& group) {
    if (all_met(group, nullptr)) {
        return true;
    }
    const auto listed = std::ranges::find_if(group, [](const Constraint* one) {
        return one->op == ConstraintOp::equal || one->op == ConstraintOp::in;
    });
    if (listed == group.end()) {
        return leaves_a_number(group);
    }
    const auto& values = (*listed)->values;
    return std::ranges::any_of(values,
                               [&](const std::string& value) { return all_met(group, &value); });
}

}  // namespace

Result<Constraint> parse_constraint(std::string_view text) {
    auto rest = trimmed(text, space_or_tab);
    const auto key = take_word(rest);
    if (!is_valid_name(key)) {
        return refuse(text, "does not begin with the key of a label");
    }
    const auto before_word = rest;
    const auto word = take_word(rest);
    if (word == "exists" && rest.empty()) {
        return Constraint{std::string{key}, ConstraintOp::exists, {}, 0};
    }
    if (word == "in") {
        return parse_list(text, std::string{key}, rest);
    }
    return parse_sign(text, std::string{key}, before_word);
}

std::string to_string(const Constraint& constraint) {
    const auto first = constraint.values.empty() ? std::string{} : constraint.values.front();
    switch (constraint.op) {
        case ConstraintOp::exists: return constraint.key + " exists";
        case ConstraintOp::in:
            return fmt::format("{} in ({})", constraint.key, fmt::join(constraint.values, ", "));
        case ConstraintOp::equal:
        case ConstraintOp::not_equal:
        case ConstraintOp::less:
        case ConstraintOp::at_most:
        case ConstraintOp::more:
        case ConstraintOp::at_least: break;
    }
    return constraint.key + ' ' + std::string{sign_of(constraint.op)} + ' ' +
           (compares_numbers(constraint.op) ? std::to_string(constraint.number) : first);
}

bool is_met(const Constraint& constraint, const std::string* value) {
    const auto& values = constraint.values;
    switch (constraint.op) {
        case ConstraintOp::not_equal: return value == nullptr || *value != values.front();
        case ConstraintOp::exists: return value != nullptr;
        case ConstraintOp::equal:
        case ConstraintOp::in:
            return value != nullptr && std::ranges::binary_search(values, *value);
        case ConstraintOp::less:
        case ConstraintOp::at_most:
        case ConstraintOp::more:
        case ConstraintOp::at_least: break;
    }
    const auto number = value == nullptr ? std::nullopt : number_of_label(*value);
    return number && holds(constraint.op, *number, constraint.number);
}

std::optional<std::string> contradiction_of(std::span<const Constraint> constraints) {
    std::map<std::string_view, Group> by_key;
    for (const auto& one : constraints) {
        by_key[one.key].push_back(&one);
    }
    for (const auto& [key, group] : by_key) {
        if (can_be_met(group)) {
            continue;
        }
        return joined(group, " and ", [](const Constraint* one) { return to_string(*one); }) +
               (group.size() == 1 ? " leaves" : " leave") + " no value of " + std::string{key};
    }
    return std::nullopt;
}

std::optional<std::int64_t> number_of_label(std::string_view value) {
    return number_in<std::int64_t>(value);
}

bool is_valid_label_value(std::string_view value) {
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:/+@";
    return !value.empty() && value.size() <= limits::label_bytes &&
           value.find_first_not_of(letters) == std::string_view::npos;
}

std::string_view label_value_rule() {
    return "a label's value is 1 to 63 of letters, digits and . _ - : / + @";
}

}  // namespace muster
