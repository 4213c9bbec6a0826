#pragma once

#include <initializer_list>
#include <optional>

#include "common/base/file_descriptor.hpp"

namespace muster::net {

/// Signals as a file to watch. Made before any thread, so that all inherit the mask. A child
/// process needs an empty mask (POSIX_SPAWN_SETSIGMASK), or it ignores SIGTERM for life.
class Signals {
public:
    explicit Signals(std::initializer_list<int> numbers);

    [[nodiscard]] int fd() const { return file_.get(); }
    /// The next received signal, if any.
    [[nodiscard]] std::optional<int> take() const;

private:
    FileDescriptor file_;
};

}  // namespace muster::net
