#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/codec/shapes/shape.hpp"

namespace muster::codec {

/// `has a field 'usr', which does not exist; did you mean 'user'?`, or with the fields that exist.
[[nodiscard]] std::string describe_unknown_field(std::string_view key,
                                                 std::span<const std::string_view> known);

/// The same, with the fields of a struct that is being read.
template <class T>
[[nodiscard]] std::string describe_unknown_field(std::string_view key, T& in) {
    std::vector<std::string_view> known;
    const auto collect = [&](std::string_view name, auto&, Rule) { known.push_back(name); };
    fields(collect, in);
    return describe_unknown_field(key, std::span<const std::string_view>{known});
}

}  // namespace muster::codec
