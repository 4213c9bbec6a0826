#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/spec/placement.hpp"

namespace muster {

/// Reads the values of a file's keys and collects all faults, each with its line. A missing key (no
/// node) keeps its value, and so does a key with a fault.
class TomlFields {
public:
    explicit TomlFields(std::string_view file) : file_{file} {}

    /// All faults in the order of their lines, one line of text each; nothing if there are none.
    [[nodiscard]] std::optional<Error> fault() const;
    [[nodiscard]] std::size_t fault_count() const { return faults_.size(); }
    [[nodiscard]] bool has_fault_on(toml::source_index line) const;
    void fail_at(const toml::source_region& where, std::string_view what);
    /// Refuses all other keys, and suggests the known key that was probably meant. Keys of `also`
    /// are accepted, but not suggested.
    void known_keys(const toml::table& table, std::span<const std::string_view> known,
                    std::string_view of, std::span<const std::string_view> also = {});

    void text(const toml::node* node, std::string_view key, std::string& into);
    template <class N>
    void number(const toml::node* node, std::string_view key, std::int64_t least, std::int64_t most,
                N& into) {
        std::int64_t value = 0;
        if (is_number(node, key, least, most, value)) {
            into = static_cast<N>(value);
        }
    }
    /// The same for a value that may be unknown.
    template <class N>
    void number(const toml::node* node, std::string_view key, std::int64_t least, std::int64_t most,
                std::optional<N>& into) {
        if (node != nullptr) {
            number(node, key, least, most, into.emplace());
        }
    }
    /// An amount of bytes or of thousandths of a core. `key` ends in the unit (`memory_bytes`), and
    /// a plain whole number is valid. Without the ending (`memory`) the value has its unit: a text
    /// such as "64MiB", or for cores also a number.
    template <class N>
    void amount(const toml::table& in, std::string_view key, std::int64_t least, std::int64_t most,
                N& into) {
        std::int64_t value = 0;
        if (is_amount(in, key, least, most, value)) {
            into = static_cast<N>(value);
        }
    }
    /// The same for a value that may be unknown.
    template <class N>
    void amount(const toml::table& in, std::string_view key, std::int64_t least, std::int64_t most,
                std::optional<N>& into) {
        std::int64_t value = 0;
        if (is_amount(in, key, least, most, value)) {
            into = static_cast<N>(value);
        }
    }
    void truth(const toml::node* node, std::string_view key, bool& into);
    void duration(const toml::node* node, std::string_view key, Duration& into);
    void texts(const toml::node* node, std::string_view key, std::vector<std::string>& into);
    void text_map(const toml::node* node, std::string_view key,
                  std::map<std::string, std::string>& into);
    /// The table of this key; null: it is missing, or has another kind.
    [[nodiscard]] const toml::table* table(const toml::table& in, std::string_view key);
    /// One of the values of an enum with names.
    template <Named E>
    void choice(const toml::node* node, std::string_view key, E& into) {
        std::string written{to_string(into)};
        text(node, key, written);
        const auto value = value_named<E>(written);
        if (!value) {
            fail_at(node->source(), std::string{key} + " is " + in_quotes(written) +
                                        "; it is one of " + names_of<E>());
        }
        into = value.value_or(into);
    }

private:
    [[nodiscard]] bool is_number(const toml::node* node, std::string_view key, std::int64_t least,
                                 std::int64_t most, std::int64_t& into);
    [[nodiscard]] bool is_amount(const toml::table& in, std::string_view key, std::int64_t least,
                                 std::int64_t most, std::int64_t& into);

    std::string file_;
    std::vector<std::pair<toml::source_index, std::string>> faults_;  // By line.
};

/// The result of `read` for the table of a whole file, or all faults in it.
template <class T>
[[nodiscard]] Result<T> read_toml(std::string_view text, std::string_view file,
                                  T (*read)(TomlFields& fields, const toml::table& root)) {
    TomlFields fields{file};
    try {
        T value = read(fields, toml::parse(text));
        if (fields.fault_count() == 0) {
            return value;
        }
    } catch (const toml::parse_error& error) {
        fields.fail_at(error.source(), "this is not TOML: " + std::string{error.description()});
    }
    return tl::unexpected{*fields.fault()};
}

/// What a host offers: its labels, its capacity and the reserved part of it.
void read_offer(TomlFields& fields, const toml::table& table, Offer& into);

}  // namespace muster
