#include "common/base/process.hpp"

#include <fcntl.h>
#include <initializer_list>
#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace muster {

void keep_freed_memory() {
    constexpr int largest_reused = 32 << 20;  // The largest block that malloc reuses.
    constexpr int kept = 256 << 20;
    // Other allocators, such as a sanitizer's, ignore this.
    static_cast<void>(mallopt(M_MMAP_THRESHOLD, largest_reused));
    static_cast<void>(mallopt(M_TRIM_THRESHOLD, kept));
}

void hold_standard_files() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(fd, F_GETFD) < 0) {
            // open() takes the lowest free number, which is this one.
            static_cast<void>(open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
        }
    }
}

void keep_memory_private() {
    // Fails on no kernel that muster runs on.
    static_cast<void>(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
}

}  // namespace muster
