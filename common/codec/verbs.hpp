#pragma once

#include <string_view>

#include "common/base/result.hpp"

namespace muster::codec {

/// The error for a verb that is none, with those that are near.
[[nodiscard]] tl::unexpected<Error> unknown_verb(std::string_view verb);

}  // namespace muster::codec
