#include "common/base/memory.hpp"

#include <malloc.h>

namespace muster {

void keep_freed_memory() {
    constexpr int largest_reused = 32 << 20;  // The most that malloc takes from what it keeps.
    constexpr int kept = 256 << 20;
    // Another allocator, as of a sanitizer, takes no such advice.
    static_cast<void>(mallopt(M_MMAP_THRESHOLD, largest_reused));
    static_cast<void>(mallopt(M_TRIM_THRESHOLD, kept));
}

}  // namespace muster
