#pragma once

#include <cstddef>

namespace muster::allocations {

/// The total bytes that this thread has requested from operator new; it never decreases.
[[nodiscard]] std::size_t bytes_so_far();

/// The bytes that `work()` requests.
template <class Work>
[[nodiscard]] std::size_t bytes_of(Work&& work) {
    const std::size_t before = bytes_so_far();
    work();
    return bytes_so_far() - before;
}

}  // namespace muster::allocations
