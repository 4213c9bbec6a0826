#include "common/net/host/signals.hpp"

#include <csignal>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/base/ensure.hpp"

namespace muster::net {

Signals::Signals(std::initializer_list<int> numbers) {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : numbers) {
        sigaddset(&set, number);
    }
    ensure(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0, "signals are blocked");
    file_ = FileDescriptor{signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC)};
    ensure(file_.is_open(), "the first file of a daemon can be made");
}

std::optional<int> Signals::take() const {
    signalfd_siginfo signal{};
    if (read(fd(), &signal, sizeof(signal)) != sizeof(signal)) {
        return std::nullopt;
    }
    return static_cast<int>(signal.ssi_signo);
}

}  // namespace muster::net
