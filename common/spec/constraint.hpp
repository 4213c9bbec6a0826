#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace muster {

/// The labels of a node: `rack` is `r7`. A key obeys the rule of names and is not `node`.
using Labels = std::map<std::string, std::string>;

/// The key for the node's own name in a selector or a constraint.
inline constexpr std::string_view node_key = "node";

enum class ConstraintOp : std::uint8_t {
    equal,
    not_equal,
    in,
    exists,
    less,
    at_most,
    more,
    at_least
};

/// A task's condition on the labels of its nodes, in one of the forms
///
///     rack = r7      rack != r7      zone in (a, b)      ssd exists
///     cores < 16     cores <= 16     cores > 16          cores >= 16
///
/// A missing label is unequal to every value, and satisfies nothing else. An order of numbers needs
/// a label whose whole value is a decimal number of 64 bits.
struct Constraint {
    std::string key;
    ConstraintOp op = ConstraintOp::exists;
    std::vector<std::string> values;  ///< equal, not_equal: one. in: sorted, each once.
    std::int64_t number = 0;          ///< less, at_most, more, at_least.

    friend bool operator==(const Constraint&, const Constraint&) = default;
};

/// `invalid`, with what is wrong and the valid forms.
[[nodiscard]] Result<Constraint> parse_constraint(std::string_view text);

/// Its canonical form, which parse_constraint reads back unchanged.
[[nodiscard]] std::string to_string(const Constraint& constraint);

/// True if a label with this value, or (nothing) no such label, satisfies it.
[[nodiscard]] bool is_met(const Constraint& constraint, const std::string* value);

/// Two or more constraints that no node can satisfy together, as a sentence: `rack = r7 and rack =
/// r8 leave no value of rack`.
[[nodiscard]] std::optional<std::string> contradiction_of(std::span<const Constraint> constraints);

/// The number in a label's value; nothing if it is not a number.
[[nodiscard]] std::optional<std::int64_t> number_of_label(std::string_view value);

/// The rule for every value of a label: 1 to 63 of letters, digits and . _ - : / + @.
[[nodiscard]] bool is_valid_label_value(std::string_view value);
/// The rule in words, for error messages.
[[nodiscard]] std::string_view label_value_rule();

}  // namespace muster
