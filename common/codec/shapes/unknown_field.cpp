#include "common/codec/shapes/unknown_field.hpp"

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/text/suggestions.hpp"

namespace muster::codec {

std::string describe_unknown_field(std::string_view key, std::span<const std::string_view> known) {
    const auto near = suggestions(key, known);
    return "has a field " + in_quotes(key) + ", which does not exist; " +
           (near.empty() ? "the fields are " + joined(known, ", ")
                         : "did you mean " + in_quotes(near.front()) + "?");
}

}  // namespace muster::codec
