#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/codec/shape.hpp"
#include "common/codec/text.hpp"
#include "common/ids.hpp"
#include "common/time.hpp"

namespace muster::codec {

/// Fields stay in the order of their description: people read them.
using JsonTree = nlohmann::ordered_json;

/// Adds what shape.hpp describes to a JSON object. All structs are objects here, also those that
/// are arrays in msgpack.
class JsonWriter {
public:
    explicit JsonWriter(JsonTree& object) : object_{object} {}

    template <class T>
    void pairs(const T& message) {
        const auto visit = [this](std::string_view name, const auto& member, const Rule& rule) {
            object_[std::string{name}] = tree(member, rule);
        };
        fields(visit, message);
    }

private:
    template <class T>
        requires std::is_class_v<T>
    static JsonTree tree(const T& structure, const Rule&) {
        JsonTree object = JsonTree::object();
        JsonWriter{object}.pairs(structure);
        return object;
    }
    static JsonTree tree(bool value, const Rule&) { return value; }
    template <std::integral N>
    static JsonTree tree(N value, const Rule&) {
        return value;
    }
    template <OpaqueNumber E>
    static JsonTree tree(E value, const Rule&) {
        return raw(value);
    }
    template <Named E>
    static JsonTree tree(E value, const Rule&) {
        return std::string{to_string(value)};
    }
    template <class Tag>
    static JsonTree tree(const Id128<Tag>& id, const Rule&) {
        return to_string(id);
    }
    static JsonTree tree(Duration duration, const Rule&) { return to_ms(duration); }
    static JsonTree tree(const std::string& value, const Rule& rule) {
        return rule.cut ? std::string{cut(value, rule.bytes)} : value;
    }
    template <class T>
    static JsonTree tree(const std::vector<T>& list, const Rule& rule) {
        JsonTree array = JsonTree::array();
        for (const auto& element : list) {
            array.push_back(tree(element, rule));
        }
        return array;
    }
    static JsonTree tree(const std::map<std::string, std::string>& map, const Rule&) {
        JsonTree object = JsonTree::object();
        for (const auto& [key, value] : map) {
            object[key] = value;
        }
        return object;
    }

    JsonTree& object_;
};

/// Bytes that are no UTF-8 (a task's argument may be anything) become replacement characters.
[[nodiscard]] inline std::string text_of(const JsonTree& tree) {
    return tree.dump(-1, ' ', false, JsonTree::error_handler_t::replace);
}

}  // namespace muster::codec
