#include "tests/integration/support/notify_socket.hpp"

#include <array>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace muster::integration {

NotifySocket::NotifySocket(std::string path) : path_{std::move(path)} {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the API asks for it.
    if (bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        throw std::runtime_error{"cannot bind " + path_};
    }
}

NotifySocket::~NotifySocket() {
    close(fd_);
    unlink(path_.c_str());
}

std::optional<std::string> NotifySocket::next_state(const Process& process,
                                                    Deadline deadline) const {
    std::array<pollfd, 2> waiting{{{fd_, POLLIN, 0}, {process.pidfd(), POLLIN, 0}}};
    if (poll(waiting.data(), waiting.size(), milliseconds_until(deadline)) < 1 ||
        (waiting[0].revents & POLLIN) == 0) {
        return std::nullopt;
    }
    std::array<char, 4096> text{};
    const auto size = recv(fd_, text.data(), text.size(), 0);
    if (size < 0) {
        return std::nullopt;
    }
    return std::string{text.data(), static_cast<std::size_t>(size)};
}

}  // namespace muster::integration
