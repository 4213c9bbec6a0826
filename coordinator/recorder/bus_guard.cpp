#include "coordinator/recorder/bus_guard.hpp"

#include <csignal>

namespace muster::detail {
namespace {

struct sigaction before;

// Neither blocked nor reset when it has been left by a jump.
void on_bus_error(int /*signal*/) {
    if (bus_error_landing != nullptr) {
        siglongjmp(*bus_error_landing, 1);
    }
    sigaction(SIGBUS, &before, nullptr);  // Not ours: the instruction is tried once more.
}

}  // namespace

void catch_bus_errors() {
    static const bool is_caught = [] {
        struct sigaction ours {};
        ours.sa_handler = on_bus_error;
        ours.sa_flags = SA_NODEFER;
        return sigaction(SIGBUS, &ours, &before) == 0;
    }();
    static_cast<void>(is_caught);
}

}  // namespace muster::detail
