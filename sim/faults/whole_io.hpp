#pragma once

#include <cstddef>
#include <sys/types.h>
#include <unistd.h>

namespace muster::sim {

/// All of it, however many calls it takes. False: it cannot be.
[[nodiscard]] inline bool write_all(int file, const void* bytes, std::size_t size) {
    const auto* at = static_cast<const char*>(bytes);
    for (std::size_t left = size; left > 0;) {
        const ssize_t count = ::write(file, at, left);
        if (count <= 0) {
            return false;
        }
        at += count;
        left -= static_cast<std::size_t>(count);
    }
    return true;
}

[[nodiscard]] inline bool read_all(int file, void* bytes, std::size_t size) {
    auto* at = static_cast<char*>(bytes);
    for (std::size_t left = size; left > 0;) {
        const ssize_t count = ::read(file, at, left);
        if (count <= 0) {
            return false;
        }
        at += count;
        left -= static_cast<std::size_t>(count);
    }
    return true;
}

}  // namespace muster::sim
