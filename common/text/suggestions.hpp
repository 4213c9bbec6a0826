#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

namespace muster {

/// The words that were perhaps meant, the nearest first, at most three: those that begin with it,
/// and those that differ in at most a third of their letters (or two, if that is more). Distance:
/// Levenshtein 1966.
[[nodiscard]] std::vector<std::string_view> suggestions(std::string_view word,
                                                        std::span<const std::string_view> known);

/// The same among the names of some rows, for the first of these words that has a similar one.
template <class Rows, class Name>
[[nodiscard]] std::vector<std::string_view> suggestions(
    std::initializer_list<std::string_view> words, const Rows& rows, Name name) {
    std::vector<std::string_view> known;
    std::ranges::transform(rows, std::back_inserter(known), name);
    std::vector<std::string_view> near;
    for (auto word = words.begin(); near.empty() && word != words.end(); ++word) {
        near = suggestions(*word, known);
    }
    return near;
}

}  // namespace muster
