#pragma once

#include <map>
#include <utility>

#include "common/base/ids.hpp"

namespace muster::coordinator {

/// A map from instances, by task, then ordinal.
template <class T>
using ByInstance = std::map<std::pair<TaskIndex, Ordinal>, T>;

template <class T>
[[nodiscard]] bool has_task(const ByInstance<T>& all, TaskIndex task) {
    const auto first = all.lower_bound({task, 0});
    return first != all.end() && first->first.first == task;
}

/// The range of one task. The caller may erase from it meanwhile.
[[nodiscard]] auto of_task(auto& all, TaskIndex task) {
    return std::pair{all.lower_bound({task, 0}), all.upper_bound({task, ~Ordinal{0}})};
}
template <class T>
void erase_task(ByInstance<T>& all, TaskIndex task) {
    const auto [first, last] = of_task(all, task);
    all.erase(first, last);
}

}  // namespace muster::coordinator
