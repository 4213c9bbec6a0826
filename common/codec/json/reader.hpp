#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/base/ids.hpp"
#include "common/base/limits.hpp"
#include "common/base/result.hpp"
#include "common/codec/shapes/field_list.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/codec/shapes/simple_value.hpp"

namespace muster::codec {

using ParsedJson = nlohmann::json;

/// Parses a text that is one JSON object, after a check of its size and depth.
[[nodiscard]] Result<ParsedJson> parse_json(std::string_view text, std::size_t max_bytes);

/// Points at one value of a tree. The first fault is kept.
class JsonCursor {
public:
    void stand_at(const ParsedJson& tree) { tree_ = &tree; }
    [[nodiscard]] const ParsedJson& tree() const { return *tree_; }

    [[nodiscard]] bool truth(std::string_view what);
    [[nodiscard]] std::uint64_t number(std::string_view what, std::uint64_t max);
    [[nodiscard]] std::int64_t signed_number(std::string_view what, std::int64_t min,
                                             std::int64_t max);
    [[nodiscard]] std::string_view text(std::string_view what, std::size_t max);
    [[nodiscard]] bool at_text() const { return tree_->is_string(); }
    /// False, and a fault: it is not a list (or object) of at most `max` elements.
    [[nodiscard]] bool is_list(std::string_view what, std::size_t max);
    [[nodiscard]] bool is_object(std::string_view what, std::size_t max);
    void hold_key(std::string_view key);

    void fail(Errc code, std::string_view what, std::string_view is_wrong);
    [[nodiscard]] Result<void> finish(std::string_view message);

private:
    const ParsedJson* tree_ = nullptr;
    std::optional<Error> fault_;
};

/// Reads what shape.hpp describes from a JSON object. As with msgpack, unknown names are skipped
/// (but see is_read_whole) and every bound is checked.
class JsonReader {
public:
    explicit JsonReader(UnknownFields unknown = UnknownFields::ignored) : unknown_{unknown} {}

    template <class T>
    void pairs(const ParsedJson& object, T& message) {
        pairs_of(object, Fields{message});
    }

    [[nodiscard]] Result<void> finish(std::string_view message) { return cursor_.finish(message); }

private:
    using Fields = FieldList<JsonReader, void*>;
    friend Fields;

    template <class T>
    static void use(JsonReader& reader, const Fields::Field& field) {
        reader.read(field.name, reader.cursor_.tree(), *static_cast<T*>(field.value), field.rule);
    }
    void pairs_of(const ParsedJson& object, const Fields& known);
    /// The bounds of any map, for known and unknown keys.
    void hold_bounds(const ParsedJson& object);

    template <class T>
        requires(!Simple<T>)
    void read(std::string_view what, const ParsedJson& tree, T& into, Rule rule) {
        if constexpr (Short<T>::possible) {
            if (!tree.is_object()) {
                typename Short<T>::Value value{};
                read(what, tree, value, rule);
                into = Short<T>::from(value);
                return;
            }
        }
        cursor_.stand_at(tree);
        if (cursor_.is_object(what, limits::map_fields)) {
            if constexpr (is_read_whole<T>) {
                fault_ = unknown_ == UnknownFields::refused ? std::optional{std::string{}}
                                                            : std::nullopt;
            }
            Reading<T>::begin(into);
            pairs(tree, into);
            Reading<T>::end(into);
            if constexpr (is_read_whole<T>) {
                if (fault_ && !fault_->empty()) {
                    cursor_.fail(Errc::invalid, "task " + in_quotes(into.name), *fault_);
                }
                fault_.reset();
            }
        }
    }
    template <Simple T>
    void read(std::string_view what, const ParsedJson& tree, T& into, Rule rule) {
        cursor_.stand_at(tree);
        read_simple(cursor_, what, into, rule);
    }
    template <class Tag>
    void read(std::string_view what, const ParsedJson& tree, Id128<Tag>& into, Rule) {
        cursor_.stand_at(tree);
        const auto id = parse_id<Id128<Tag>>(cursor_.text(what, limits::name_bytes));
        if (id) {
            into = *id;
        } else {
            cursor_.fail(Errc::malformed, what, "is not 32 hexadecimal digits");
        }
    }
    template <class N>
    void read(std::string_view what, const ParsedJson& tree, std::optional<N>& into, Rule rule) {
        read(what, tree, into.emplace(), rule);
    }
    template <class T>
    void read(std::string_view what, const ParsedJson& tree, std::vector<T>& into, Rule rule) {
        into.clear();
        cursor_.stand_at(tree);
        if (!cursor_.is_list(what, rule.count)) {
            return;
        }
        for (const auto& element : tree) {
            read(what, element, into.emplace_back(), rule);
        }
    }
    template <class T>
    void read(std::string_view what, const ParsedJson& tree, std::map<std::string, T>& into,
              Rule rule) {
        into.clear();
        cursor_.stand_at(tree);
        if (!cursor_.is_object(what, rule.count)) {
            return;
        }
        for (const auto& [key, element] : tree.items()) {
            if (key.size() > rule.bytes) {
                cursor_.fail(Errc::too_large, what, "has a key that is too long");
            }
            read(what, element, into[key], rule);
        }
    }

    JsonCursor cursor_;
    UnknownFields unknown_;
    /// In a struct that is read whole: the first key that was skipped, in a sentence.
    std::optional<std::string> fault_;
};

}  // namespace muster::codec
