#pragma once

#include <cstddef>

#include "common/base/ids.hpp"

namespace muster::coordinator {

/// The element at the index of a node or task. Makes all elements up to it.
template <class All, class Index>
[[nodiscard]] decltype(auto) made_at(All& all, Index index) {
    if (raw(index) >= all.size()) {
        all.resize(std::size_t{raw(index)} + 1);
    }
    return all[raw(index)];
}

}  // namespace muster::coordinator
