#include "common/net/host/notify.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace muster::net {
namespace {

std::string_view environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string_view{} : std::string_view{value};
}

std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

}  // namespace

void notify_systemd(std::string_view state) {
    const auto path = environment("NOTIFY_SOCKET");
    sockaddr_un address{};
    if (path.empty() || path.size() >= sizeof(address.sun_path)) {
        return;
    }
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    if (path.front() == '@') {
        address.sun_path[0] = '\0';  // An abstract address.
    }
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return;
    }
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API asks for it.
    const auto* const to = reinterpret_cast<const sockaddr*>(&address);
    static_cast<void>(
        sendto(fd, state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT, to, size));
    close(fd);
}

std::optional<Duration> watchdog_interval() {
    const auto limit_us = number(environment("WATCHDOG_USEC"));
    const auto pid = environment("WATCHDOG_PID");
    if (!limit_us || *limit_us <= 0 || (!pid.empty() && number(pid) != getpid())) {
        return std::nullopt;
    }
    // Twice as often as we must: one late turn is no reason to be killed.
    return std::chrono::microseconds{*limit_us} / 2;
}

}  // namespace muster::net
