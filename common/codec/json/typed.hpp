#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "common/base/limits.hpp"
#include "common/codec/json/reader.hpp"

/// Reads a structure, or a message with a type, from a JSON tree.
namespace muster::codec {

template <class T>
Result<void> read_object(const ParsedJson& tree, T& into, std::string_view message,
                         UnknownFields unknown = UnknownFields::ignored) {
    JsonReader reader{unknown};
    reader.pairs(tree, into);
    return reader.finish(message);
}

template <class Variant>
Result<Variant> typed_from_json(std::string_view text) {
    const auto tree = parse_json(text, limits::agent_message_bytes);
    if (!tree) {
        return tl::unexpected{tree.error()};
    }
    const auto type = tree->find("type");
    if (type == tree->end() || !type->is_string()) {
        return fail(Errc::malformed, "message: type is missing");
    }
    const auto& name = type->template get_ref<const std::string&>();
    Variant message;
    Result<void> result;
    const bool known = Alternatives<Variant>::with_tag(name, [&]<class T>() {
        result = read_object(*tree, message.template emplace<T>(), tag<T>);
    });
    if (!known) {
        return fail(Errc::malformed, "message: its type is unknown here");
    }
    return result.map([&] { return std::move(message); });
}

}  // namespace muster::codec
