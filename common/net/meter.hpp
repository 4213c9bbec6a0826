#pragma once

#include <atomic>
#include <cstddef>

namespace muster::net {

/// Counts the bytes of messages that were handed over to be sent, until the library is done with
/// them: they are the kernel's now, or dropped. What is counted here is counted in `whole` too.
///
/// The library's threads count down, so a meter is made by the Context and lives as long.
class Meter {
public:
    explicit Meter(Meter* whole) : whole_{whole} {}

    void add(std::size_t bytes) {
        for (Meter* meter = this; meter != nullptr; meter = meter->whole_) {
            meter->bytes_ += bytes;
        }
    }
    void take_off(std::size_t bytes) {
        for (Meter* meter = this; meter != nullptr; meter = meter->whole_) {
            meter->bytes_ -= bytes;
        }
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    std::atomic<std::size_t> bytes_{0};
    Meter* whole_;
};

}  // namespace muster::net
