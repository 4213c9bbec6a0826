#pragma once

#include <algorithm>
#include <cstddef>

#include "common/base/ids.hpp"

namespace muster::coordinator {

/// The element at the index of a node or task. Makes all elements up to it, and at least `least`.
template <class All, class Index>
[[nodiscard]] decltype(auto) made_at(All& all, Index index, std::size_t least = 0) {
    if (raw(index) >= all.size()) {
        all.resize(std::max(least, std::size_t{raw(index)} + 1));
    }
    return all[raw(index)];
}

}  // namespace muster::coordinator
