#include "common/codec/json/reader.hpp"

#include <algorithm>

#include "common/codec/shapes/unknown_field.hpp"

namespace muster::codec {

namespace {

/// What a text has, if it is JSON.
struct Scan {
    std::size_t depth = 0;
    std::size_t keys = 0;
};

// The library builds trees by recursion, so a scan finds the depth of a text first.
Scan scan(std::string_view text) {
    Scan found;
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (in_string) {
            at += c == '\\' ? 1 : 0;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == ':') {
            ++found.keys;
        } else if (c == '{' || c == '[') {
            found.depth = std::max(found.depth, ++depth);
        } else if ((c == '}' || c == ']') && depth > 0) {
            --depth;
        }
    }
    return found;
}

std::size_t keys_in(const ParsedJson& tree) {
    std::size_t keys = tree.is_object() ? tree.size() : 0;
    for (const ParsedJson& element : tree) {
        keys += element.is_structured() ? keys_in(element) : 0;
    }
    return keys;
}

/// The library's error text without its frame and without the input, which may be long.
std::string_view finding_of(std::string_view what) {
    constexpr std::string_view before = " - ";
    const auto begin = what.find(before);
    what.remove_prefix(begin == std::string_view::npos ? 0 : begin + before.size());
    return what.substr(0, std::min(what.find("; last read"), what.find("; expected")));
}

Result<ParsedJson> parse(std::string_view text, std::size_t keys) {
    try {
        auto tree = ParsedJson::parse(text);
        // Of a key that an object has twice the tree keeps one, perhaps the wrong one. The
        // library's callbacks could see it, but with them it needs the square of the time for long
        // lists.
        if (keys_in(tree) != keys) {
            return muster::fail(Errc::malformed,
                                "the JSON text has the same key twice in an object");
        }
        return tree;
    } catch (const ParsedJson::parse_error& error) {
        return muster::fail(Errc::malformed, "the text is not JSON from byte " +
                                                 std::to_string(error.byte) +
                                                 " on: " + std::string{finding_of(error.what())});
    } catch (const ParsedJson::out_of_range&) {
        return muster::fail(Errc::malformed,
                            "the JSON text holds a number that is too large for any field");
    }
}

}  // namespace

Result<ParsedJson> parse_json(std::string_view text, std::size_t max_bytes) {
    if (text.size() > max_bytes) {
        return muster::fail(Errc::too_large,
                            "the JSON text has " + too_many(text.size(), "bytes", max_bytes));
    }
    const auto found = scan(text);
    if (found.depth > limits::nesting) {
        return muster::fail(Errc::too_large, "the JSON text nests deeper than " +
                                                 std::to_string(limits::nesting) + " levels");
    }
    // The library would take it as the end of the text, and skip what follows.
    if (const auto zero = text.find('\0'); zero != std::string_view::npos) {
        return muster::fail(Errc::malformed, "the text is not JSON from byte " +
                                                 std::to_string(zero + 1) + " on: a byte of 0");
    }
    auto tree = parse(text, found.keys);
    if (tree && !tree->is_object()) {
        return muster::fail(Errc::malformed, "the JSON text is not an object");
    }
    return tree;
}

void JsonReader::pairs_of(const ParsedJson& object, const Fields& known) {
    hold_bounds(object);
    std::size_t found = 0;
    for (const auto& field : known) {
        const auto pair = object.find(std::string{field.name});
        if (pair != object.end()) {
            ++found;
            cursor_.stand_at(*pair);
            field.use(*this, field);
        } else if (!field.rule.default_ok) {
            cursor_.fail(Errc::malformed, field.name, "is missing");
        }
    }
    if (!fault_ || !fault_->empty() || found == object.size()) {
        return;
    }
    for (auto pair = object.begin(); pair != object.end() && fault_->empty(); ++pair) {
        if (std::ranges::find(known, pair.key(), &Fields::Field::name) == known.end()) {
            *fault_ = describe_unknown_field(pair.key(), known);
        }
    }
}

void JsonReader::hold_bounds(const ParsedJson& object) {
    cursor_.stand_at(object);
    if (!cursor_.is_object("an object", limits::map_fields)) {
        return;
    }
    for (const auto& [key, value] : object.items()) {
        cursor_.hold_key(key);
    }
}

void JsonCursor::fail(Errc code, std::string_view what, std::string_view is_wrong) {
    if (!fault_) {
        fault_ = Error{code, std::string{what} + ' ' + std::string{is_wrong}};
    }
}

Result<void> JsonCursor::finish(std::string_view message) {
    if (fault_) {
        return muster::fail(fault_->code, std::string{message} + ": " + fault_->detail);
    }
    return {};
}

std::uint64_t JsonCursor::number(std::string_view what, std::uint64_t max) {
    if (!tree_->is_number_unsigned()) {
        fail(Errc::malformed, what, "is not a whole number from 0 on");
        return 0;
    }
    const auto value = tree_->get<std::uint64_t>();
    if (value > max) {
        fail(Errc::too_large, what,
             "is " + std::to_string(value) + "; at most " + std::to_string(max) + " is allowed");
        return 0;
    }
    return value;
}

std::int64_t JsonCursor::signed_number(std::string_view what, std::int64_t min, std::int64_t max) {
    if (tree_->is_number_unsigned()) {
        return static_cast<std::int64_t>(number(what, static_cast<std::uint64_t>(max)));
    }
    const auto value = tree_->is_number_integer() ? tree_->get<std::int64_t>() : min;
    if (!tree_->is_number_integer() || value < min) {
        fail(Errc::malformed, what,
             "is not a whole number from " + std::to_string(min) + " to " + std::to_string(max));
        return 0;
    }
    return value;
}

std::string_view JsonCursor::text(std::string_view what, std::size_t max) {
    if (!tree_->is_string()) {
        fail(Errc::malformed, what, "is not a text");
        return {};
    }
    const auto& text = tree_->get_ref<const std::string&>();
    if (text.size() > max) {
        fail(Errc::too_large, what, "has " + too_many(text.size(), "bytes", max));
        return {};
    }
    return text;
}

bool JsonCursor::is_list(std::string_view what, std::size_t max) {
    if (!tree_->is_array()) {
        fail(Errc::malformed, what, "is not an array");
        return false;
    }
    if (tree_->size() > max) {
        fail(Errc::too_large, what, "has " + too_many(tree_->size(), "elements", max));
        return false;
    }
    return true;
}

bool JsonCursor::is_object(std::string_view what, std::size_t max) {
    if (!tree_->is_object()) {
        fail(Errc::malformed, what, "is not an object");
        return false;
    }
    if (tree_->size() > max) {
        fail(Errc::too_large, what, "has " + too_many(tree_->size(), "keys", max));
        return false;
    }
    return true;
}

void JsonCursor::hold_key(std::string_view key) {
    if (key.size() > limits::name_bytes) {
        fail(Errc::too_large, "a key", "has " + too_many(key.size(), "bytes", limits::name_bytes));
    }
}

bool JsonCursor::truth(std::string_view what) {
    if (!tree_->is_boolean()) {
        fail(Errc::malformed, what, "is not true or false");
        return false;
    }
    return tree_->get<bool>();
}

}  // namespace muster::codec
