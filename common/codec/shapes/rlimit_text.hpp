#pragma once

#include <string_view>

#include "common/spec/spec.hpp"

/// A bound of the kernel is a number, or this word for none.
namespace muster::codec {

inline constexpr std::string_view unlimited = "unlimited";
inline constexpr std::string_view is_no_rlimit = "is neither a whole number nor unlimited";

}  // namespace muster::codec
