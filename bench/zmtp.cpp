#include "bench/zmtp.hpp"

#include <cstdio>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"

namespace muster::bench::zmtp {

using namespace std::string_view_literals;

namespace {
constexpr unsigned char long_flag = 2;
}  // namespace

std::string greeting() {
    std::string bytes{"\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL"sv};
    bytes.resize(greeting_bytes, '\0');
    return bytes;
}

std::string frame(unsigned char flags, std::string_view body) {
    const std::size_t length_bytes = body.size() < 256 ? 1 : 8;
    std::string bytes{static_cast<char>(length_bytes == 1 ? flags : flags | long_flag)};
    for (std::size_t i = length_bytes; i-- > 0;) {
        bytes += static_cast<char>(body.size() >> (8 * i));
    }
    bytes += body;
    return bytes;
}

std::string message(std::string_view body) {
    return frame(more_flag, codec::version_frame()) + frame(0, body);
}

const std::string& ready() {
    static const std::string bytes = frame(command_flag, "\5READY\x0bSocket-Type\0\0\0\6DEALER"sv);
    return bytes;
}

int connected_to(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ensure(
        fd >= 0 && connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0,
        "a peer connects");
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return fd;
}

void send_all(int fd, std::string_view bytes) {
    if (send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) {
        std::fprintf(stderr, "a peer was cut off\n");
        _exit(1);
    }
}

std::optional<Frame> take_frame(std::string_view& bytes) {
    if (bytes.size() < 2) {
        return std::nullopt;
    }
    const auto flags = static_cast<unsigned char>(bytes[0]);
    const std::size_t length_bytes = (flags & long_flag) != 0 ? 8 : 1;
    if (bytes.size() < 1 + length_bytes) {
        return std::nullopt;
    }
    std::size_t length = 0;
    for (std::size_t i = 1; i <= length_bytes; ++i) {
        length = length << 8U | static_cast<unsigned char>(bytes[i]);
    }
    if (bytes.size() < 1 + length_bytes + length) {
        return std::nullopt;
    }
    const Frame taken{flags, bytes.substr(1 + length_bytes, length)};
    bytes.remove_prefix(1 + length_bytes + length);
    return taken;
}

}  // namespace muster::bench::zmtp
