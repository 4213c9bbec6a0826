#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

namespace muster::shim {

inline constexpr uint64_t ms = 1000000;

inline uint64_t nanoseconds(clockid_t clock) {
    timespec now = {};
    clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000 * ms + static_cast<uint64_t>(now.tv_nsec);
}

/// For every deadline: it counts while the host sleeps, and nobody can set it.
inline uint64_t boot_now() { return nanoseconds(CLOCK_BOOTTIME); }
inline int64_t boot_ms() { return static_cast<int64_t>(boot_now() / ms); }
/// For people only.
inline uint64_t civil_ms() { return nanoseconds(CLOCK_REALTIME) / ms; }

/// A path plus the name of a kernel file in it.
inline constexpr size_t path_bytes = 4096 + 32;

inline void close_file(int& file) {
    if (file >= 0) {
        close(file);
        file = -1;
    }
}

}  // namespace muster::shim
