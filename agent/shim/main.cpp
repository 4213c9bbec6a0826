#include <sys/socket.h>
#include <unistd.h>

#include "agent/shim/shim.hpp"

namespace {

constexpr char what_it_is[] =
    "muster-shim: this program stands beside each process of a task, and muster-agent starts it; "
    "it cannot be run by hand\n";
constexpr int exit_usage = 2;

/// Only an agent passes a listening socket under this number.
bool is_started_by_agent() {
    int listens = 0;
    socklen_t size = sizeof(listens);
    return getsockopt(muster::shim::listen_file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 &&
           listens != 0;
}

}  // namespace

int main() {
    if (!is_started_by_agent()) {
        const ssize_t written = write(STDERR_FILENO, what_it_is, sizeof(what_it_is) - 1);
        static_cast<void>(written);
        return exit_usage;
    }
    static muster::shim::Shim shim;
    shim.run();
    return 0;
}
