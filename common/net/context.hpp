#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>

#include "common/base/result.hpp"

namespace zmq {
class context_t;  // NOLINT(readability-identifier-naming): the name of the library.
}

namespace muster::net {

struct ContextOptions {
    int io_threads = 1;      ///< On two cores a second one gains nothing.
    int max_sockets = 1023;  ///< Sockets, not peers.
};

/// Counts the bytes of messages in the library's queues, until the library has passed them to the
/// kernel or dropped them. Each byte counted here is also counted in `whole`.
///
/// The library's threads decrement it, so the Context makes a meter and keeps it for life.
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

/// The library's threads and memory. One per process, tests included: ending a second one can crash
/// the first. It outlives every socket made from it. Signals must be blocked before it is made,
/// because its threads inherit the mask.
class Context {
public:
    explicit Context(const ContextOptions& options = {});
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    [[nodiscard]] zmq::context_t& library() { return *context_; }
    [[nodiscard]] Meter& make_meter(Meter* whole = nullptr) { return meters_.emplace_back(whole); }

private:
    std::deque<Meter> meters_;  // First: the library decrements until it has ended.
    std::unique_ptr<zmq::context_t> context_;
};

/// Refuses a library too old to be safe before authentication, or built without CURVE.
[[nodiscard]] Result<void> check_library();

}  // namespace muster::net
