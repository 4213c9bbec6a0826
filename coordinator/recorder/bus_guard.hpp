#pragma once

#include <atomic>
#include <csetjmp>

/// A file that is mapped may lose pages under its writer: somebody makes it shorter, or its disk
/// fails. The kernel then sends SIGBUS to the thread that writes there, which ends the process
/// unless it has a way out.
namespace muster::coordinator {

namespace detail {

/// Where this thread goes on after a SIGBUS. Null: the signal does what it did without us.
inline thread_local sigjmp_buf* bus_error_landing = nullptr;

void catch_bus_errors();

}  // namespace detail

/// Runs `write`, which only copies to mapped memory: it may be left anywhere. False: it was.
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
