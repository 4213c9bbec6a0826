#pragma once

#include <deque>
#include <memory>

#include "common/base/result.hpp"
#include "common/net/meter.hpp"

namespace zmq {
class context_t;
}

namespace muster::net {

struct ContextOptions {
    int io_threads = 1;      ///< On two cores a second one brings nothing.
    int max_sockets = 1023;  ///< Sockets, not peers.
};

/// The library's threads and memory. One per process, tests included: ending a second one can crash
/// the first. It outlives every socket made from it; block signals before it is made, because its
/// threads inherit the mask.
class Context {
public:
    explicit Context(const ContextOptions& options = {});
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    [[nodiscard]] zmq::context_t& library() { return *context_; }
    [[nodiscard]] Meter& make_meter(Meter* whole = nullptr) { return meters_.emplace_back(whole); }

private:
    std::deque<Meter> meters_;  // First: the library counts down until it has ended.
    std::unique_ptr<zmq::context_t> context_;
};

/// Refuses a library too old to be safe before authentication, or built without CURVE.
[[nodiscard]] Result<void> check_library();

}  // namespace muster::net
