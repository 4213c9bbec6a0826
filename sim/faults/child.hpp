#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <string_view>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/base/file_descriptor.hpp"

namespace muster::sim {

/// Reads this many bytes, in as many calls as needed. False: the other end has closed, or an error.
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

/// The bytes of a value that is sent through a pipe.
template <class Value>
[[nodiscard]] std::string_view bytes_of(const Value& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// A child process and the pipe on which it reports.
struct Child {
    FileDescriptor words;
    pid_t pid = -1;
};

/// Calls `does` with the pipe's write end in a child, which ends after it.
template <class Does>
Child begin_child(Does does) {
    std::array<int, 2> both{};
    if (pipe(both.data()) != 0) {
        return {};
    }
    Child child{FileDescriptor{both[0]}, -1};
    const FileDescriptor ours{both[1]};
    child.pid = fork();
    if (child.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // Its reader would be gone.
        does(ours.get());
        _exit(0);
    }
    return child;
}

}  // namespace muster::sim
