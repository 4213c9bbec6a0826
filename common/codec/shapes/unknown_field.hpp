#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/codec/shapes/field_list.hpp"

namespace muster::codec {

/// `has a field 'usr', which does not exist; did you mean 'user'?`, or with the fields that exist.
[[nodiscard]] std::string describe_unknown_field(std::string_view key,
                                                 std::span<const std::string_view> known);

/// The same, with the fields of a struct that is being read.
template <class Form>
[[nodiscard]] std::string describe_unknown_field(std::string_view key,
                                                 const FieldList<Form, void*>& known) {
    std::vector<std::string_view> names;
    for (const auto& field : known) {
        names.push_back(field.name);
    }
    return describe_unknown_field(key, std::span<const std::string_view>{names});
}

}  // namespace muster::codec
