#pragma once

#include <initializer_list>
#include <optional>

namespace muster::net {

/// Signals as a file to watch. Made before any thread, so that all inherit the mask: a child
/// process must be given an empty one (POSIX_SPAWN_SETSIGMASK), or it ignores SIGTERM for life.
class Signals {
public:
    explicit Signals(std::initializer_list<int> numbers);
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    [[nodiscard]] int fd() const { return fd_; }
    /// The next signal that came, if any.
    [[nodiscard]] std::optional<int> take() const;

private:
    int fd_ = -1;
};

}  // namespace muster::net
