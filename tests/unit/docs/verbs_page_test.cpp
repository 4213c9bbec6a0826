// The list of verbs in docs/reference/protocol.md is generated here, from the table of verbs and
// from the descriptions of the requests' fields.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "tests/catch.hpp"

#include "common/codec/fields/operator.hpp"
#include "common/codec/verb_table.hpp"
#include "tests/unit/docs/page.hpp"

namespace muster::codec {

using docs::escaped;
using docs::in_code;

namespace {

constexpr std::string_view heading =
    "| verb | subject | role | fields | line of text | reply |\n|---|---|---|---|---|---|\n";

std::string kind_of(const std::string&, Rule rule) {
    return rule.name ? "name" : "text " + std::to_string(rule.bytes);
}
std::string kind_of(bool, Rule) { return "bool"; }
std::string kind_of(std::uint32_t, Rule) { return "u32"; }
std::string kind_of(std::uint64_t, Rule) { return "u64"; }
std::string kind_of(CivilMs, Rule) { return "i64, ms since 1970"; }
std::string kind_of(const WantedTask&, Rule) { return "a task"; }
std::string kind_of(const std::vector<WantedTask>&, Rule) { return "list of tasks"; }
std::string kind_of(const std::vector<ListedNode>&, Rule) {
    return "list of nodes: `name`, `pool`";
}
std::string kind_of(const std::vector<PoolNeedView>&, Rule rule) {
    return "list of at most " + std::to_string(rule.count) + ": `pool` name, `amount` u64";
}
std::string kind_of(const std::vector<std::string>&, Rule rule) {
    return "list of at most " + std::to_string(rule.count) + " texts " + std::to_string(rule.bytes);
}
template <Named E>
std::string kind_of(E, Rule) {
    return '(' + names_of<E>() + ')';
}
template <class T>
std::string kind_of(const std::optional<T>&, Rule rule) {
    return kind_of(T{}, rule) + ", may be missing";
}

std::string text_of(const std::string& value) { return value.empty() ? "\"\"" : in_code(value); }
std::string text_of(bool value) { return value ? "true" : "false"; }
template <class N>
std::string text_of(N value) requires std::is_integral_v<N> {
    return std::to_string(value);
}
template <Named E>
std::string text_of(E value) {
    return std::string{to_string(value)};
}
template <class T>
std::string text_of(const std::vector<T>&) {
    return "[]";
}

/// Writes each field with its kind and its default.
struct FieldWriter {
    std::string text;

    template <class T>
    void operator()(std::string_view name, const T& value, Rule rule) {
        text += (text.empty() ? "" : "; ") + in_code(name) + ' ' + kind_of(value, rule);
        if constexpr (requires { text_of(value); }) {
            text += rule.default_ok ? " = " + text_of(value) : "";
        }
    }
};

/// The fields of the request with this index in RequestBody.
template <std::size_t place = 0>
std::string request_fields(std::size_t request) {
    if constexpr (place < std::variant_size_v<RequestBody::Base>) {
        if (place != request) {
            return request_fields<place + 1>(request);
        }
        // Not const: a missing field is visible.
        std::variant_alternative_t<place, RequestBody::Base> body;
        FieldWriter writer;
        fields(writer, body);
        return writer.text;
    }
    return {};
}

std::string row_of(const Verb& verb) {
    const std::string line = verb.is_json() ? "" : in_code(escaped(usage_of(verb)));
    return "| " + in_code(verb.name) + (verb.access == Access::change ? " * | " : " | ") +
           std::string{to_string(verb.area)} + " | " + std::string{to_string(verb.role)} + " | " +
           request_fields(verb.request) + " | " + line + " | " + in_code(verb.answer) + " |\n";
}

}  // namespace

// Goal: the protocol page lists the coordinator's requests.
// Method: compare its table with the one generated from the code.
TEST_CASE("the page of the protocol lists every verb as the table of verbs has it", "[verbs]") {
    std::string table{heading};
    for (const Verb& verb : verb_rows) {
        table += row_of(verb);
    }
    docs::check_part("reference/protocol.md", "verbs", table);
}

}  // namespace muster::codec
