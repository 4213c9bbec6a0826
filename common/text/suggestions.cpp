#include "common/text/suggestions.hpp"

#include <cstddef>
#include <numeric>
#include <utility>

#include "common/base/limits.hpp"

namespace muster {

namespace {

constexpr std::size_t most_offered = 3;
constexpr std::size_t least_begun = 3;  // Letters; fewer begin too many words.

std::size_t distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < to.size(); ++j) {
            const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

}  // namespace

std::vector<std::string_view> suggestions(std::string_view word,
                                          std::span<const std::string_view> known) {
    word = word.substr(0, limits::name_bytes);
    std::vector<std::pair<std::size_t, std::string_view>> candidates;
    for (const auto candidate : known) {
        const std::size_t changes = distance(word, candidate);
        const bool begins = word.size() >= least_begun && candidate.starts_with(word);
        if (begins || changes <= std::max<std::size_t>(2, candidate.size() / 3)) {
            candidates.emplace_back(begins ? std::min(changes, least_begun) : changes, candidate);
        }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string_view> words;
    for (const auto& candidate : candidates) {
        if (words.size() < most_offered) {
            words.push_back(candidate.second);
        }
    }
    return words;
}

}  // namespace muster
