#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/spec/placement.hpp"

namespace muster {

/// Reads the values of a file's keys. The first fault is kept, with its line; what follows one is
/// not used. A key that is not there (no node) keeps the value that it has.
class TomlFields {
public:
    explicit TomlFields(std::string_view file) : file_{file} {}

    [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }
    void fail_at(const toml::source_region& where, std::string_view what);
    /// Refuses every other key, and names the nearest of these.
    void known_keys(const toml::table& table, std::span<const std::string_view> known,
                    std::string_view of);

    void text(const toml::node* node, std::string_view key, std::string& into);
    template <class N>
    void number(const toml::node* node, std::string_view key, std::int64_t least, std::int64_t most,
                N& into) {
        std::int64_t value = 0;
        if (is_number(node, key, least, most, value)) {
            into = static_cast<N>(value);
        }
    }
    /// Of what may be unknown.
    template <class N>
    void number(const toml::node* node, std::string_view key, std::int64_t least, std::int64_t most,
                std::optional<N>& into) {
        if (node != nullptr) {
            number(node, key, least, most, into.emplace());
        }
    }
    void truth(const toml::node* node, std::string_view key, bool& into);
    void duration(const toml::node* node, std::string_view key, Duration& into);
    void texts(const toml::node* node, std::string_view key, std::vector<std::string>& into);
    void text_map(const toml::node* node, std::string_view key,
                  std::map<std::string, std::string>& into);
    /// The table of this key; null: it is not there, or something else is.
    [[nodiscard]] const toml::table* table(const toml::table& in, std::string_view key);
    /// One of the values that have names.
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

    std::string file_;
    std::optional<Error> fault_;
};

/// What `read` makes of the table of a whole file, or the first fault in it.
template <class T>
[[nodiscard]] Result<T> read_toml(std::string_view text, std::string_view file,
                                  T (*read)(TomlFields& fields, const toml::table& root)) {
    TomlFields fields{file};
    try {
        T value = read(fields, toml::parse(text));
        if (!fields.fault()) {
            return value;
        }
    } catch (const toml::parse_error& error) {
        fields.fail_at(error.source(), "this is not TOML: " + std::string{error.description()});
    }
    return tl::unexpected{*fields.fault()};
}

/// What a host has: its labels, its capacity and what of it is reserved.
void read_offer(TomlFields& fields, const toml::table& table, Offer& into);

}  // namespace muster
