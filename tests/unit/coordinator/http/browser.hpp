#pragma once

#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>

#include "tests/catch.hpp"

#include "common/base/file_descriptor.hpp"

namespace muster::coordinator {

/// One connection to an HTTP server at `tcp://127.0.0.1:PORT`, which sends what a test wants.
class Browser {
public:
    explicit Browser(const std::string& endpoint) : file_{socket(AF_INET, SOCK_STREAM, 0)} {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        at.sin_port =
            htons(static_cast<std::uint16_t>(std::stoul(endpoint.substr(endpoint.rfind(':') + 1))));
        REQUIRE(connect(file_.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
    }

    void send(std::string_view bytes) {
        REQUIRE(::send(file_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                static_cast<ssize_t>(bytes.size()));
    }
    /// Reads what is available, up to this size. True once the other side has closed.
    bool is_closed(std::size_t at_most = std::size_t{1} << 20U) {
        std::string bytes(at_most, ' ');
        // Not recv(), which the library's guard replaces.
        const auto got =
            recvfrom(file_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT, nullptr, nullptr);
        received_ += bytes.substr(0, got > 0 ? static_cast<std::size_t>(got) : 0);
        return got == 0 || (got < 0 && errno != EAGAIN);
    }
    [[nodiscard]] const std::string& received() const { return received_; }

private:
    FileDescriptor file_;
    std::string received_;
};

}  // namespace muster::coordinator
