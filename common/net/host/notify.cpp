#include "common/net/host/notify.hpp"

#include <cstddef>
#include <cstdint>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/file_descriptor.hpp"
#include "common/base/number.hpp"
#include "common/base/paths.hpp"

namespace muster::net {

void notify_systemd(std::string_view state) {
    const auto path = paths::variable("NOTIFY_SOCKET");
    sockaddr_un address{};
    if (path.empty() || path.size() >= sizeof(address.sun_path)) {
        return;
    }
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    if (path.front() == '@') {
        address.sun_path[0] = '\0';  // An abstract address.
    }
    const FileDescriptor link{socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API asks for it.
    const auto* const to = reinterpret_cast<const sockaddr*>(&address);
    static_cast<void>(
        sendto(link.get(), state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT, to, size));
}

std::optional<Duration> watchdog_interval() {
    const auto limit_us = number_in<std::int64_t>(paths::variable("WATCHDOG_USEC"));
    const auto pid = paths::variable("WATCHDOG_PID");
    if (!limit_us || *limit_us <= 0 || (!pid.empty() && number_in<pid_t>(pid) != getpid())) {
        return std::nullopt;
    }
    // Twice as often as required: one late turn must not end the process.
    return std::chrono::microseconds{*limit_us} / 2;
}

}  // namespace muster::net
