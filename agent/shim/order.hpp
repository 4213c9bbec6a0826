#pragma once

#include "agent/shim/wire.hpp"

namespace muster::shim {

/// What an agent ordered, as pointers into its message. What stands several times in it is read
/// from the message again by who needs it.
struct Order {
    const char* message = nullptr;
    size_t size = 0;
    uint64_t process = 0;
    Field record;
    const char* program = "";
    const char* directory = "";
    const char* log_name = "";
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

/// Reads an order whose bytes stay where they are. False: it is none, or lacks what none may lack.
bool read_order(const char* message, size_t size, Order& into);

}  // namespace muster::shim
