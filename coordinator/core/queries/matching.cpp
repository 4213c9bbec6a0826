#include "coordinator/core/queries/matching.hpp"

#include <algorithm>
#include <utility>

#include "common/text/pattern.hpp"

namespace muster::coordinator {

Result<std::vector<std::string>> names_matching(std::string_view selector,
                                                std::vector<std::string> names) {
    if (const auto sound = pattern::check(selector); !sound) {
        return tl::unexpected{sound.error()};
    }
    std::uint64_t steps = 0;
    std::erase_if(names, [&](const std::string& name) {
        return steps > most_steps_of_one || !pattern::matches_sound(selector, name, steps);
    });
    if (const auto affordable = check_steps(steps, most_steps_of_one); !affordable) {
        return tl::unexpected{affordable.error()};
    }
    return names;
}

Result<std::vector<std::string>> wanted_names_matching(std::string_view selector,
                                                       const Workload& workload) {
    std::vector<std::string> names;
    for (const TaskIndex task : workload.wanted()) {
        names.push_back(workload.name(task));
    }
    return names_matching(selector, std::move(names));
}

Words::Words(std::vector<Word> words) : words_{std::move(words)} {
    if (!std::ranges::is_sorted(words_, {}, &Word::text)) {
        std::ranges::sort(words_, {}, &Word::text);
    }
}

Result<std::vector<std::uint32_t>> Words::find(std::string_view selector,
                                               std::uint64_t& steps) const {
    const std::string_view beginning = pattern::beginning(selector);
    const bool is_name = beginning.size() == selector.size();
    std::vector<std::uint32_t> things;
    std::string_view last;  // No word is empty.
    bool matches = false;
    for (auto word = std::ranges::lower_bound(words_, beginning, {}, &Word::text);
         word != words_.end() && word->text.starts_with(beginning); ++word) {
        if (is_name && word->text != selector) {
            break;
        }
        if (word->text != last) {
            last = word->text;
            matches = is_name || pattern::matches_sound(selector, word->text, steps);
        }
        ++steps;
        if (const auto affordable = check_steps(steps); !affordable) {
            return tl::unexpected{affordable.error()};
        }
        if (matches) {
            things.push_back(word->thing);
        }
    }
    return things;
}

Result<std::set<TaskIndex>> wanted_tasks_matching(std::span<const std::string> patterns,
                                                  const Workload& workload) {
    std::set<TaskIndex> tasks;
    if (patterns.empty()) {
        return tasks;
    }
    std::vector<Words::Word> names;
    for (const TaskIndex task : workload.wanted()) {
        names.push_back({workload.name(task), raw(task)});
    }
    const Words words{std::move(names)};
    std::uint64_t steps = 0;
    for (const std::string_view pattern :
         std::set<std::string_view>{patterns.begin(), patterns.end()}) {
        if (const auto sound = pattern::check(pattern); !sound) {
            return tl::unexpected{sound.error()};
        }
        const auto found = words.find(pattern, steps);
        if (!found) {
            return tl::unexpected{found.error()};
        }
        if (found->empty()) {
            return fail(Errc::not_found,
                        "no task matches '" + std::string{pattern} + "'; see 'muster task list'");
        }
        for (const std::uint32_t task : *found) {
            tasks.insert(TaskIndex{task});
        }
    }
    return tasks;
}

Result<void> check_steps(std::uint64_t steps, std::uint64_t most) {
    return steps <= most
               ? Result<void>{}
               : fail(Errc::too_large,
                      "these patterns take too long to compare with so many names; ask with fewer, "
                      "or with names, or with patterns that begin as the names do");
}

}  // namespace muster::coordinator
