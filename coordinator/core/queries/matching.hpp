#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// For a single selector: enough for a star over the largest number of names of any length.
inline constexpr std::uint64_t most_steps_of_one = 20'000'000;

/// The names that a selector (a name or a pattern) matches, in the given order. The error says what
/// is wrong with the selector, or that it is too expensive for so many names.
[[nodiscard]] Result<std::vector<std::string>> names_matching(std::string_view selector,
                                                              std::vector<std::string> names);

/// The same of the names that are the keys of a map.
template <class Map>
[[nodiscard]] Result<std::vector<std::string>> keys_matching(std::string_view selector,
                                                             const Map& map) {
    std::vector<std::string> names;
    for (const auto& [name, value] : map) {
        names.push_back(name);
    }
    return names_matching(selector, std::move(names));
}

/// The wanted tasks that a selector matches, in the order of their names.
[[nodiscard]] Result<std::vector<std::string>> wanted_names_matching(std::string_view selector,
                                                                     const Workload& workload);

/// An index of words for many selectors. Each word belongs to a thing. A name is looked up; a
/// pattern is compared with the words that have its fixed beginning.
class Words {
public:
    /// Letters of patterns and names that a request may compare: about 70 ms.
    static constexpr std::uint64_t most_steps = 6'000'000;

    struct Word {
        std::string_view text;
        std::uint32_t thing = 0;
    };

    explicit Words(std::vector<Word> words);

    [[nodiscard]] bool empty() const { return words_.empty(); }
    /// The things of all words that the selector matches. `steps`: the cost of the request so far.
    /// The only error is that this exceeds its bound.
    [[nodiscard]] Result<std::vector<std::uint32_t>> find(std::string_view selector,
                                                          std::uint64_t& steps) const;

private:
    std::vector<Word> words_;  // In the order of their texts.
};

/// The wanted tasks that any of the patterns matches; each must match at least one.
[[nodiscard]] Result<std::set<TaskIndex>> wanted_tasks_matching(
    std::span<const std::string> patterns, const Workload& workload);

/// `too_large` if a request has cost so many steps that it delays others.
[[nodiscard]] Result<void> check_steps(std::uint64_t steps, std::uint64_t most = Words::most_steps);

}  // namespace muster::coordinator
