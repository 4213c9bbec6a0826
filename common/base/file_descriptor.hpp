#pragma once

#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace muster {

/// An open file, closed with its owner. -1: none.
class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : fd_{fd} {}
    ~FileDescriptor() { reset(); }
    FileDescriptor(FileDescriptor&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        if (this != &other) {
            reset();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;

    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] bool is_open() const { return fd_ >= 0; }
    void reset() {
        if (fd_ >= 0) {
            close(std::exchange(fd_, -1));
        }
    }

private:
    int fd_ = -1;
};

/// A file that is held only to be given back when another must be opened, so that it can be also
/// when this process or its host has no more.
[[nodiscard]] inline FileDescriptor spare_file() {
    return FileDescriptor{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
}

}  // namespace muster
