#pragma once

#include <atomic>
#include <csetjmp>

/// A mapped file may lose pages under its writer: somebody truncates it, or its disk fails. The
/// kernel then sends SIGBUS to the writing thread, which ends the process unless the thread can
/// jump out.
namespace muster::coordinator {

namespace detail {

/// Where this thread continues after a SIGBUS. Null: the earlier handler applies.
inline thread_local sigjmp_buf* bus_error_landing = nullptr;

void catch_bus_errors();

}  // namespace detail

/// Runs `write`, which only copies to mapped memory, so it may be left anywhere. False: a SIGBUS
/// ended it early.
[[nodiscard]] bool survives_bus_error(const auto& write) {
    detail::catch_bus_errors();
    sigjmp_buf landing;
    if (sigsetjmp(landing, 0) != 0) {
        detail::bus_error_landing = nullptr;
        return false;
    }
    detail::bus_error_landing = &landing;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    write();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    detail::bus_error_landing = nullptr;
    return true;
}

}  // namespace muster::coordinator
