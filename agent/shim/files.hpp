#pragma once

#include <stddef.h>
#include <unistd.h>

namespace muster::shim {

/// A path and the name of a file of the kernel's behind it.
inline constexpr size_t path_bytes = 4096 + 32;

inline void close_file(int& file) {
    if (file >= 0) {
        close(file);
        file = -1;
    }
}

}  // namespace muster::shim
