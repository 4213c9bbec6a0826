#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace muster {

/// The words that were perhaps meant: those that begin with it, and those at most a third of whose
/// letters (and at least two) must be changed, the nearest first, at most three. Distance:
/// Levenshtein 1966.
[[nodiscard]] std::vector<std::string_view> nearest(std::string_view word,
                                                    std::span<const std::string_view> known);

}  // namespace muster
