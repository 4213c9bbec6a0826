#pragma once

#include "agent/shim/sandbox.hpp"
#include "agent/shim/wire.hpp"

namespace muster::shim {

/// An agent's order, as pointers into its message. Fields that may occur several times are read
/// again from the message where they are needed.
struct Order {
    const char* message = nullptr;
    size_t size = 0;
    uint64_t process = 0;
    Field record;
    const char* program = "";
    const char* directory = "";
    const char* log_name = "";
    SandboxMethod sandbox = SandboxMethod::none;
    const char* sandbox_own = "";
    const char* sandbox_shown = "";
    uint64_t log_bytes = 0;
    uint64_t log_age_ms = 0;
    uint64_t start_timeout_ms = 0;
    uint64_t post_stop_ms = 0;
    uint64_t lease_ns = 0;
    uint64_t grace_ms = 0;
    int signal_number = 0;
    bool has_pre_start = false;
    bool has_post_stop = false;

    [[nodiscard]] Reader fields() const { return {message, size}; }
};

/// Reads an order whose bytes stay in place. False: the message is not an order, or it is
/// incomplete.
bool read_order(const char* message, size_t size, Order& into);

}  // namespace muster::shim
