#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/base/ids.hpp"
#include "common/codec/shapes/field_list.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/codec/shapes/simple_value.hpp"

namespace muster::codec {

/// Fields keep the order of their description, because people read them.
using JsonTree = nlohmann::ordered_json;

/// Bytes that are not UTF-8 (a task's argument may be anything) become replacement characters.
[[nodiscard]] inline std::string text_of(const JsonTree& tree) {
    return tree.dump(-1, ' ', false, JsonTree::error_handler_t::replace);
}

/// Writes what shape.hpp describes as the text of a JSON object, in one pass: an answer may have
/// 100,000 rows, and building a tree of them would block the loop. All structs are objects here,
/// even those that are arrays in msgpack.
class JsonWriter {
public:
    /// Begins an object at the end of `text`.
    explicit JsonWriter(std::string& text) : text_{text} { text_ += '{'; }
    void end() { text_ += '}'; }

    using Fields = FieldList<JsonWriter, const void*>;
    void pairs(const Fields& fields) {
        for (const auto& field : fields) {
            key(field.name);
            field.use(*this, field);
        }
    }
    void pair(std::string_view name, std::string_view text) {
        key(name);
        this->text(text);
    }
    void pair(std::string_view name, bool truth) {
        key(name);
        this->truth(truth);
    }

    // For write_simple().
    void truth(bool value) { text_ += value ? "true" : "false"; }
    void number(std::integral auto value) {
        std::array<char, 24> digits{};
        const auto [end, error] = std::to_chars(digits.begin(), digits.end(), value);
        text_.append(digits.begin(), end);
    }
    // Most texts need no escapes; the library prints the others.
    void text(std::string_view words) {
        if (std::all_of(words.begin(), words.end(), is_plain)) {
            text_ += '"';
            text_ += words;
            text_ += '"';
        } else {
            text_ += text_of(JsonTree(words));
        }
    }

private:
    friend Fields;

    template <class T>
    static void use(JsonWriter& writer, const Fields::Field& field) {
        writer.value(*static_cast<const T*>(field.value), field.rule);
    }
    void key(std::string_view name) {
        text_ += std::exchange(before_key_, ",\"");
        text_ += name;  // Our own names need no escapes.
        text_ += "\":";
    }

    template <class T>
        requires(!Simple<T>)
    void value(const T& structure, Rule rule) {
        if constexpr (Short<T>::possible) {
            if (Short<T>::fits(structure)) {
                return value(Short<T>::value_of(structure), rule);
            }
        }
        JsonWriter object{text_};
        object.pairs(Fields{structure});
        object.end();
    }
    template <Simple T>
    void value(const T& simple, Rule rule) {
        write_simple(*this, simple, rule);
    }
    template <class Tag>
    void value(const Id128<Tag>& id, Rule) {
        text(to_string(id));
    }
    template <class T>
    void value(const std::vector<T>& list, Rule rule) {
        text_ += '[';
        const char* between = "";
        for (const auto& element : list) {
            text_ += std::exchange(between, ",");
            value(element, rule);
        }
        text_ += ']';
    }
    template <class T>
    void value(const std::map<std::string, T>& map, Rule rule) {
        text_ += '{';
        const char* between = "";
        for (const auto& [name, element] : map) {
            text_ += std::exchange(between, ",");
            text(name);
            text_ += ':';
            value(element, rule);
        }
        text_ += '}';
    }

    static bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

    std::string& text_;
    std::string_view before_key_ = "\"";
};

}  // namespace muster::codec
