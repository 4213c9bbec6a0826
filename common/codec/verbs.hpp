#pragma once

#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/codec/verb_table.hpp"

namespace muster::codec {

/// The whole line of text, or the request in JSON: `node drain PATTERN [DEADLINE]`.
[[nodiscard]] std::string usage_of(const Verb& verb);

/// The error for a verb that is none, with those that are near.
[[nodiscard]] tl::unexpected<Error> unknown_verb(std::string_view verb);

}  // namespace muster::codec
