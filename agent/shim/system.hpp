#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace muster::shim {

inline constexpr uint64_t ms = 1000000;

/// By a call of the kernel. The C library would read the kernel's vDSO, and the first such reading
/// maps three pages into each shim, which costs more than all readings until the task runs.
inline uint64_t nanoseconds(clockid_t clock) {
    timespec now = {};
#ifdef SYS_clock_gettime64  // A host of 32 bits, whose older call has a smaller timespec.
    syscall(SYS_clock_gettime64, clock, &now);
#else
    syscall(SYS_clock_gettime, clock, &now);
#endif
    return static_cast<uint64_t>(now.tv_sec) * 1000 * ms + static_cast<uint64_t>(now.tv_nsec);
}

/// For every deadline: it counts while the host sleeps, and nobody can set it.
inline uint64_t boot_now() { return nanoseconds(CLOCK_BOOTTIME); }
inline int64_t boot_ms() { return static_cast<int64_t>(boot_now() / ms); }
/// For people only.
inline uint64_t civil_ms() { return nanoseconds(CLOCK_REALTIME) / ms; }

inline void close_file(int& file) {
    if (file >= 0) {
        close(file);
        file = -1;
    }
}

}  // namespace muster::shim
