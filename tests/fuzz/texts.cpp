#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ensure.hpp"
#include "common/spec/constraint.hpp"
#include "common/text/pattern.hpp"
#include "common/text/template.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/targets.hpp"

// Small texts that people write.
namespace muster::fuzz {
namespace {

// True if a label with this value meets all constraints.
bool all_are_met(const std::vector<Constraint>& constraints, const std::string& value) {
    return std::ranges::all_of(constraints,
                               [&](const Constraint& one) { return is_met(one, &value); });
}

}  // namespace

// Lines: each a constraint, or a value.
void fuzz_constraint(std::string_view input) {
    std::vector<Constraint> constraints;
    std::vector<std::string> values;
    for (Bytes lines{input}; !lines.is_empty();) {
        const auto line = lines.up_to('\n');
        if (const auto constraint = parse_constraint(line)) {
            const auto again = parse_constraint(to_string(*constraint));
            ensure(again && *again == *constraint, "a constraint is read as it is written");
            static_cast<void>(is_met(*constraint, nullptr));
            constraints.push_back(*constraint);
        } else if (is_valid_label_value(line)) {
            values.emplace_back(line);
            static_cast<void>(number_of_label(line));
        }
    }
    const auto contradiction = contradiction_of(constraints);
    for (const auto& value : values) {
        ensure(!contradiction || !all_are_met(constraints, value),
               "what contradicts itself is met by nobody");
    }
}

// A pattern, and lines with names.
void fuzz_pattern(std::string_view input) {
    Bytes lines{input};
    const auto text = lines.up_to('\n');
    const bool is_sound = pattern::check(text).has_value();
    while (!lines.is_empty()) {
        const auto name = lines.up_to('\n');
        const bool matches = pattern::matches(text, name);
        if (!is_sound) {
            ensure(!matches, "what is no pattern matches nothing");
            continue;
        }
        std::uint64_t steps = 0;
        ensure(pattern::matches_sound(text, name, steps) == matches, "both ways to match agree");
        ensure(steps <= (text.size() + 1) * (name.size() + 1), "time is bounded");
        ensure(!matches || name.starts_with(pattern::beginning(text)),
               "what matches begins as the pattern does");
        ensure(!pattern::is_name(text) || matches == (text == name), "a name matches itself");
    }
}

// A text, and lines with the values of variables.
void fuzz_command_template(std::string_view input) {
    static const TemplateValues usual{{"MUSTER_TASK", "web"},   {"MUSTER_INSTANCE", "web.0"},
                                      {"MUSTER_ORDINAL", "0"},  {"MUSTER_GENERATION", "7"},
                                      {"MUSTER_NODE", "n1"},    {"MUSTER_SECRETS", "/secrets"},
                                      {"MUSTER_TOKEN", "9"},    {"node.name", "n1"},
                                      {"node.pool", "default"}, {"node.label.rack", "r1"}};
    Bytes lines{input};
    const auto text = lines.up_to('\n');
    TemplateValues values = usual;
    while (!lines.is_empty()) {
        const auto name = lines.up_to('=');
        values.insert_or_assign(std::string{name}, std::string{lines.up_to('\n')});
    }
    const auto fault = fault_of_template(text);
    const auto expanded = expand(text, values);
    ensure(expanded || !expanded.error().detail.empty(), "a refusal has a reason");
    ensure(!begins_with_variable(text) || text.starts_with("${"), "a variable begins with ${");
    if (text.find("${") == std::string_view::npos) {
        ensure(!fault && expanded && *expanded == text, "a text without variables stays as it is");
    }
}

}  // namespace muster::fuzz
