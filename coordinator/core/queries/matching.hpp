#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// Of a single wish: a star through as many names as there may be, of any length.
inline constexpr std::uint64_t most_steps_of_one = 20'000'000;

/// The names that a wish, a name or a pattern, means, in the given order. The error says what is
/// wrong with it, or that so many names are too many for it.
[[nodiscard]] Result<std::vector<std::string>> names_matching(std::string_view wish,
                                                              std::vector<std::string> names);

/// The wanted tasks that it means, in the order of their names.
[[nodiscard]] Result<std::vector<std::string>> wanted_names_matching(std::string_view wish,
                                                                     const Workload& workload);

/// Words, each of a thing, among which many wishes are looked for: those that are names by look-up,
/// patterns among the words that begin as they do.
class Words {
public:
    /// Letters of patterns and names that a request may look at: some 70 ms.
    static constexpr std::uint64_t most_steps = 6'000'000;

    struct Word {
        std::string_view text;
        std::uint32_t thing = 0;
    };

    explicit Words(std::vector<Word> words);

    [[nodiscard]] bool empty() const { return words_.empty(); }
    /// The things of all words that the wish means. `steps`: what the request has cost so far; a
    /// bound on it is the only error.
    [[nodiscard]] Result<std::vector<std::uint32_t>> find(std::string_view wish,
                                                          std::uint64_t& steps) const;

private:
    std::vector<Word> words_;  // In the order of the texts.
};

/// The wanted tasks that any of these means; each has to mean one at least.
[[nodiscard]] Result<std::set<TaskIndex>> wanted_tasks_matching(
    std::span<const std::string> patterns, const Workload& workload);

/// `too_large`, once a request has cost so many steps that it holds up the others.
[[nodiscard]] Result<void> check_steps(std::uint64_t steps, std::uint64_t most = Words::most_steps);

}  // namespace muster::coordinator
