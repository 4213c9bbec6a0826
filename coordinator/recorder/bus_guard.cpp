#include "coordinator/recorder/bus_guard.hpp"

#include <csignal>

namespace muster::coordinator::detail {
namespace {

struct sigaction before;

// SA_NODEFER, because the handler leaves by a jump: the signal stays unblocked, and the handler
// installed.
void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
    const bool is_fault = info->si_code > 0;  // Otherwise a process sent it.
    if (is_fault && bus_error_landing != nullptr) {
        siglongjmp(*bus_error_landing, 1);
    }
    sigaction(SIGBUS, &before, nullptr);
    if (!is_fault) {
        static_cast<void>(raise(signal));
    }  // Otherwise the instruction runs once more.
}

}  // namespace

void catch_bus_errors() {
    static const bool is_caught = [] {
        struct sigaction ours {};
        ours.sa_sigaction = on_bus_error;
        ours.sa_flags = SA_NODEFER | SA_SIGINFO;
        return sigaction(SIGBUS, &ours, &before) == 0;
    }();
    static_cast<void>(is_caught);
}

}  // namespace muster::coordinator::detail
