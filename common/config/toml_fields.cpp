#include "common/config/toml_fields.hpp"

#include <algorithm>
#include <cmath>

#include "common/base/limits.hpp"
#include "common/config/renamed_keys.hpp"
#include "common/spec/duration.hpp"
#include "common/spec/quantity.hpp"
#include "common/text/suggestions.hpp"
#include "common/text/utf8.hpp"

namespace muster {

namespace {

constexpr std::size_t faults_kept = 1'000;  // A large file may be entirely wrong.
constexpr std::size_t faults_shown = 20;

/// The key of `known` that was probably meant; empty if none is similar.
std::string_view meant_key(std::string_view name, std::span<const std::string_view> known) {
    const auto usual = usual_name(name);
    if (std::ranges::find(known, usual) != known.end()) {
        return usual;
    }
    const auto near = suggestions(name, known);
    return near.empty() ? std::string_view{} : near.front();
}

/// A number of cores in the form that parse_cores() reads.
std::string cores_written(double cores) {
    std::string text = std::to_string(static_cast<std::int64_t>(std::llround(cores * 1000)));
    text.insert(0, text.size() < 4 ? 4 - text.size() : 0, '0');
    return text.insert(text.size() - 3, ".");
}

/// The value has the wrong kind; `example` has the right one.
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

std::optional<Error> TomlFields::fault() const {
    if (faults_.empty()) {
        return std::nullopt;
    }
    auto sorted = faults_;
    std::ranges::stable_sort(sorted, std::ranges::less{},
                             [](const auto& one) { return one.first; });
    std::string text;
    for (std::size_t at = 0; at < std::min(sorted.size(), faults_shown); ++at) {
        text += (at == 0 ? "" : "\n") + file_ + ':' + std::to_string(sorted[at].first) + ": " +
                sorted[at].second;
    }
    if (sorted.size() > faults_shown) {
        text += '\n' + file_ + ": and more errors, which are not shown";
    }
    return Error{Errc::invalid, std::move(text)};
}

bool TomlFields::has_fault_on(toml::source_index line) const {
    return std::ranges::any_of(faults_, [&](const auto& fault) { return fault.first == line; });
}

void TomlFields::fail_at(const toml::source_region& where, std::string_view what) {
    if (faults_.size() < faults_kept) {
        faults_.emplace_back(where.begin.line, printable(what));
    }
}

void TomlFields::known_keys(const toml::table& table, std::span<const std::string_view> known,
                            std::string_view of, std::span<const std::string_view> also) {
    for (const auto& [key, value] : table) {
        const std::string_view name = key.str();
        if (std::ranges::find(known, name) != known.end() ||
            std::ranges::find(also, name) != also.end()) {
            continue;
        }
        const auto present = present_name(name);
        if (std::find(known.begin(), known.end(), present) != known.end()) {
            fail_at(key.source(), std::string{name} + " is now called " + std::string{present} +
                                      "; rename the key");
            continue;
        }
        const auto meant = meant_key(name, known);
        fail_at(key.source(),
                "unknown key " + in_quotes(name) + " in " + std::string{of} + "; " +
                    (meant.empty() ? "" : "did you mean '" + std::string{meant} + "'? ") +
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

bool TomlFields::is_amount(const toml::table& in, std::string_view key, std::int64_t least,
                           std::int64_t most, std::int64_t& into) {
    const bool is_size = key.ends_with("_bytes");
    const std::string_view short_key = key.substr(0, key.rfind('_'));
    const auto* const with_unit = in.get(key);
    const auto* const node = with_unit != nullptr ? with_unit : in.get(short_key);
    if (node == nullptr) {
        return false;
    }
    const std::string used{with_unit != nullptr ? key : short_key};
    if (with_unit != nullptr && in.contains(short_key)) {
        fail_at(node->source(), used + " and " + std::string{short_key} +
                                    " are the same; write only " + std::string{short_key});
        return false;
    }
    if (with_unit != nullptr && node->is_integer()) {
        return is_number(node, key, least, most, into);
    }
    // Cores may also be a number: `cpu = 2`, `cpu = 1.5`.
    std::string written = node->value_exact<std::string>().value_or("");
    if (!is_size && !node->is_string()) {
        const auto cores = node->value<double>().value_or(-1);
        const bool is_sound = cores >= 0 && cores <= static_cast<double>(limits::cpu_milli);
        written = is_sound ? cores_written(cores) : "";
    }
    const auto value = is_size ? parse_size(written) : parse_cores(written);
    const std::string example = used + (is_size ? " = \"64MiB\"" : " = \"1.5\"");
    if (!value) {
        const auto why = !written.empty() ? value.error().detail
                         : is_size        ? "a size is a text in quotes with its unit"
                                          : "cores are a number such as 2 or \"1.5\"";
        fail_at(node->source(), used + ": " + why + ", as in " + example);
        return false;
    }
    if (*value < static_cast<std::uint64_t>(least) || *value > static_cast<std::uint64_t>(most)) {
        const auto text = is_size ? size_text : cores_text;
        fail_at(node->source(), used + " is " + text(*value) + "; it is " +
                                    text(static_cast<std::uint64_t>(least)) + " to " +
                                    text(static_cast<std::uint64_t>(most)));
        return false;
    }
    into = static_cast<std::int64_t>(*value);
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
