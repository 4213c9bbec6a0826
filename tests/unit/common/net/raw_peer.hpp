#pragma once

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

/// A peer that sends what no library would: ZMTP 3.0 byte by byte (rfc.zeromq.org/spec/23).
namespace muster::zmtp {

inline constexpr char more = 1;
inline constexpr char command = 4;

inline std::string greeting(char revision = 3, const std::string& mechanism = "NULL") {
    std::string bytes(64, '\0');
    bytes[0] = '\xff';
    bytes[9] = '\x7f';
    bytes[10] = revision;
    bytes.replace(12, mechanism.size(), mechanism);
    return bytes;
}

inline std::string frame(const std::string& body, char flags = 0) {
    std::string head{flags, static_cast<char>(body.size())};
    if (body.size() > 255) {
        head = std::string{static_cast<char>(flags | 2)} + std::string(8, '\0');
        for (std::size_t i = 0; i < 8; ++i) {
            head[8 - i] = static_cast<char>(body.size() >> (8 * i) & 0xffU);
        }
    }
    return head + body;
}

inline std::string message(const std::vector<std::string>& frames) {
    std::string bytes;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        bytes += frame(frames[i], i + 1 < frames.size() ? more : '\0');
    }
    return bytes;
}

inline std::string ready(const std::string& socket_type) {
    const std::string size{'\0', '\0', '\0', static_cast<char>(socket_type.size())};
    return frame("\x05READY\x0bSocket-Type" + size + socket_type, command);
}
inline std::string ping() { return frame(std::string{"\x04PING\0\0", 7}, command); }

/// A connection, and the bytes on it.
class RawLink {
public:
    explicit RawLink(const std::string& endpoint)
        : fd_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        REQUIRE(fd_ >= 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const auto port = endpoint.substr(endpoint.rfind(':') + 1);
        address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API asks for it.
        const auto* const to = reinterpret_cast<const sockaddr*>(&address);
        REQUIRE(connect(fd_, to, sizeof(address)) == 0);
    }
    ~RawLink() { close(fd_); }
    RawLink(const RawLink&) = delete;
    RawLink& operator=(const RawLink&) = delete;

    void send(std::string_view bytes) { unsent_ += bytes; }
    /// Sends as much as the other side accepts. True: everything.
    [[nodiscard]] bool has_sent_all() {
        const auto size = ::send(fd_, unsent_.data(), unsent_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        unsent_.erase(0, size > 0 ? static_cast<std::size_t>(size) : 0);
        return unsent_.empty();
    }
    /// The other side has closed the connection.
    [[nodiscard]] bool was_ended() const {
        std::array<char, 256> into{};
        ssize_t got = 1;
        while (got > 0) {
            got = recv(fd_, into.data(), into.size(), MSG_DONTWAIT);
        }
        return got == 0 || errno == ECONNRESET;
    }
    /// Closes with a reset.
    void hang_up() {
        const linger now{1, 0};
        setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        close(std::exchange(fd_, -1));
    }

protected:
    /// Empty: the other side has closed the connection.
    [[nodiscard]] std::string receive(std::size_t size) const {
        std::string bytes(size, '\0');
        const auto got = recv(fd_, bytes.data(), size, MSG_WAITALL);
        return got == static_cast<ssize_t>(size) ? bytes : std::string{};
    }
    /// The body of a short frame.
    [[nodiscard]] std::string receive_frame() const {
        const auto head = receive(2);
        return head.empty() ? head : receive(static_cast<unsigned char>(head.back()));
    }

private:
    int fd_ = -1;
    std::string unsent_;
};

class RawPeer : public RawLink {
public:
    /// Does the handshake. The library accepts nothing before it has sent its own part.
    RawPeer(const std::string& endpoint, const std::string& socket_type) : RawLink{endpoint} {
        send(greeting() + ready(socket_type));
        REQUIRE(has_sent_all());
        REQUIRE_FALSE(receive(greeting().size()).empty());
        REQUIRE_FALSE(receive_frame().empty());
    }
};

}  // namespace muster::zmtp
