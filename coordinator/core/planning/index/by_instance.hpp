#pragma once

#include <map>
#include <utility>

#include "common/base/ids.hpp"

namespace muster::coordinator {

/// What is known of some instances: by task, then ordinal.
template <class T>
using ByInstance = std::map<std::pair<TaskIndex, Ordinal>, T>;

template <class T>
[[nodiscard]] bool has_task(const ByInstance<T>& all, TaskIndex task) {
    const auto first = all.lower_bound({task, 0});
    return first != all.end() && first->first.first == task;
}

template <class T>
void erase_task(ByInstance<T>& all, TaskIndex task) {
    all.erase(all.lower_bound({task, 0}), all.upper_bound({task, ~Ordinal{0}}));
}

}  // namespace muster::coordinator
