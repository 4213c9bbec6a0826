#include "common/config/toml_fields.hpp"

#include <algorithm>

#include "common/config/renamed_keys.hpp"
#include "common/spec/duration.hpp"
#include "common/text/letter.hpp"
#include "common/text/nearest.hpp"

namespace muster {

namespace {

/// The value is no such thing; `example` is written so.
void refuse_kind(TomlFields& fields, const toml::node& node, std::string_view key,
                 std::string_view kind, std::string_view example) {
    fields.fail_at(node.source(), std::string{key} + " is not " + std::string{kind} + "; write " +
                                      std::string{key} + " = " + std::string{example});
}

template <class T>
void read_exact(TomlFields& fields, const toml::node* node, std::string_view key,
                std::string_view kind, std::string_view example, T& into) {
    if (node == nullptr) {
        return;
    }
    if (const auto value = node->value_exact<T>()) {
        into = *value;
    } else {
        refuse_kind(fields, *node, key, kind, example);
    }
}

}  // namespace

void TomlFields::fail_at(const toml::source_region& where, std::string_view what) {
    if (!fault_) {
        fault_ = Error{Errc::invalid,
                       file_ + ':' + std::to_string(where.begin.line) + ": " + printable(what)};
    }
}

void TomlFields::known_keys(const toml::table& table, std::span<const std::string_view> known,
                            std::string_view of) {
    for (const auto& [key, value] : table) {
        const std::string_view name = key.str();
        if (std::find(known.begin(), known.end(), name) != known.end()) {
            continue;
        }
        const auto present = present_name(name);
        if (std::find(known.begin(), known.end(), present) != known.end()) {
            fail_at(key.source(), std::string{name} + " is now called " + std::string{present} +
                                      "; rename the key");
            continue;
        }
        const auto near = nearest(name, known);
        fail_at(key.source(), "unknown key " + in_quotes(name) + " in " + std::string{of} + "; " +
                                  (near.empty() ? "" : "perhaps '" + std::string{near[0]} + "'; ") +
                                  "the keys are " + joined(known, ", "));
    }
}

void TomlFields::text(const toml::node* node, std::string_view key, std::string& into) {
    read_exact(*this, node, key, "a text", "\"...\"", into);
}

bool TomlFields::is_number(const toml::node* node, std::string_view key, std::int64_t least,
                           std::int64_t most, std::int64_t& into) {
    if (node == nullptr) {
        return false;
    }
    const auto value = node->value_exact<std::int64_t>();
    if (!value || *value < least || *value > most) {
        const auto is =
            value ? " is " + std::to_string(*value) : std::string{" is no whole number"};
        fail_at(node->source(), std::string{key} + is + "; write one from " +
                                    std::to_string(least) + " to " + std::to_string(most) +
                                    ", as in " + std::string{key} + " = " +
                                    std::to_string(std::clamp(std::int64_t{3}, least, most)));
        return false;
    }
    into = *value;
    return true;
}

void TomlFields::truth(const toml::node* node, std::string_view key, bool& into) {
    read_exact(*this, node, key, "true or false", "true", into);
}

const toml::table* TomlFields::table(const toml::table& in, std::string_view key) {
    const auto* const node = in.get(key);
    if (node != nullptr && !node->is_table()) {
        fail_at(node->source(), std::string{key} + " is a table: write [" + std::string{key} +
                                    "] and its keys below");
    }
    return node == nullptr ? nullptr : node->as_table();
}

void TomlFields::duration(const toml::node* node, std::string_view key, Duration& into) {
    if (node == nullptr) {
        return;
    }
    const auto written = node->value_exact<std::string>();
    const auto value = parse_duration(written.value_or(""));
    if (value) {
        into = *value;
    } else {
        const auto why = written ? value.error().detail : "it is a text in quotes";
        fail_at(node->source(),
                std::string{key} + ": " + why + ", as in " + std::string{key} + " = \"10s\"");
    }
}

void TomlFields::texts(const toml::node* node, std::string_view key,
                       std::vector<std::string>& into) {
    if (node == nullptr) {
        return;
    }
    const auto* const array = node->as_array();
    if (array == nullptr) {
        refuse_kind(*this, *node, key, "an array of texts", "[\"program\", \"argument\"]");
        return;
    }
    for (const auto& element : *array) {
        const auto value = element.value_exact<std::string>();
        if (!value) {
            fail_at(element.source(), std::string{key} + "[" + std::to_string(into.size()) +
                                          "] is not a text; put it in quotes");
            return;
        }
        into.push_back(*value);
    }
}

void TomlFields::text_map(const toml::node* node, std::string_view key,
                          std::map<std::string, std::string>& into) {
    if (node == nullptr) {
        return;
    }
    const auto* const table = node->as_table();
    if (table == nullptr) {
        refuse_kind(*this, *node, key, "a table of texts", "{ LANG = \"C\" }");
        return;
    }
    for (const auto& [name, value] : *table) {
        text(&value, std::string{key} + '.' + std::string{name.str()},
             into[std::string{name.str()}]);
    }
}

}  // namespace muster
