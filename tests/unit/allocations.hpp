#pragma once

#include <cstddef>

namespace muster::allocations {

/// Bytes that this thread has asked operator new for since it began, never given back.
[[nodiscard]] std::size_t bytes_so_far();

/// What `work()` asks for.
template <class Work>
[[nodiscard]] std::size_t bytes_of(Work&& work) {
    const std::size_t before = bytes_so_far();
    work();
    return bytes_so_far() - before;
}

}  // namespace muster::allocations
