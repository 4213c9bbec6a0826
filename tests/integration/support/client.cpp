#include "tests/integration/support/client.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <random>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace muster::integration {

namespace {

using namespace std::string_literals;

// One context for the whole test program, because ending a second one can crash the first.
zmq::context_t& context() {
    static zmq::context_t one;
    return one;
}

bool wait_for(zmq::socket_t& socket, short event, Deadline deadline) {
    std::array<zmq::pollitem_t, 1> items{{{socket.handle(), 0, event, 0}}};
    return zmq::poll(items, std::chrono::milliseconds{milliseconds_until(deadline)}) > 0;
}

std::optional<Json> ask_frame(const std::string& endpoint, std::string_view frame,
                              Deadline deadline) {
    Client client{zmq::socket_type::req, endpoint};
    if (!client.send(frame)) {
        return std::nullopt;
    }
    const auto answer = client.receive(deadline);
    if (!answer) {
        return std::nullopt;
    }
    if (answer->size() != 1) {
        throw std::runtime_error{"a JSON answer has one frame, this one has " +
                                 std::to_string(answer->size())};
    }
    return Json::parse(answer->front());
}

int connect_tcp(const std::string& host, const std::string& port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoul(port)));
    inet_pton(AF_INET, host.c_str(), &address.sin_addr);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API asks for it.
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        throw std::runtime_error{host + ":" + port + ": " + std::strerror(errno)};
    }
    return fd;
}

int connect_unix(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API asks for it.
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        throw std::runtime_error{path + ": " + std::strerror(errno)};
    }
    return fd;
}

}  // namespace

Client::Client(zmq::socket_type type, const std::string& endpoint) : socket_{context(), type} {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.connect(endpoint);
}

bool Client::send(std::span<const std::string> frames, Deadline deadline) {
    if (!wait_for(socket_, ZMQ_POLLOUT, deadline)) {
        return false;
    }
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const auto flags = i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
        if (!socket_.send(zmq::buffer(frames[i]), flags)) {
            return false;
        }
    }
    return true;
}

std::optional<Frames> Client::receive(Deadline deadline) {
    if (!wait_for(socket_, ZMQ_POLLIN, deadline)) {
        return std::nullopt;
    }
    Frames frames;
    zmq::message_t frame;
    do {
        static_cast<void>(socket_.recv(frame));
        frames.push_back(frame.to_string());
    } while (frame.more());
    return frames;
}

std::optional<Frames> Client::receive_or(int file, Deadline deadline) {
    zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0},
                               {nullptr, file, ZMQ_POLLIN, 0}};
    zmq::poll(items, 2, std::chrono::milliseconds{milliseconds_until(deadline)});
    return (items[0].revents & ZMQ_POLLIN) != 0 ? receive(deadline) : std::nullopt;
}

std::optional<Json> ask(const std::string& endpoint, const Json& request, Deadline deadline) {
    return ask_frame(endpoint, request.dump(), deadline);
}

std::optional<Json> ask_line(const std::string& endpoint, std::string_view line,
                             Deadline deadline) {
    return ask_frame(endpoint, line, deadline);
}

std::string new_request_id() {
    static std::atomic<std::uint64_t> count{0};
    static const auto chance = std::random_device{}();
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    std::array<char, 33> text{};
    // UUIDv7: 48 bits of time, the version, the variant, and unique bits.
    std::snprintf(text.data(), text.size(), "%012llx7%03llx8%07llx%08llx",
                  static_cast<unsigned long long>(milliseconds.count()), 0ULL,
                  static_cast<unsigned long long>(count++ & 0xfffffffU),
                  static_cast<unsigned long long>(chance));
    return text.data();
}

RawConnection::RawConnection(std::string_view endpoint) {
    const auto address = std::string{endpoint.substr(6)};  // After `tcp://` or `ipc://`.
    if (endpoint.starts_with("ipc://")) {
        fd_ = connect_unix(address);
    } else {
        const auto colon = address.rfind(':');
        fd_ = connect_tcp(address.substr(0, colon), address.substr(colon + 1));
    }
}

RawConnection::~RawConnection() { close(fd_); }

bool RawConnection::send(std::string_view bytes, Deadline deadline) {
    while (!bytes.empty()) {
        pollfd waiting{.fd = fd_, .events = POLLOUT, .revents = 0};
        if (poll(&waiting, 1, milliseconds_until(deadline)) != 1) {
            return false;
        }
        const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

std::string RawConnection::receive(std::size_t size, Deadline deadline) {
    std::string bytes;
    while (bytes.size() < size) {
        pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
        std::string part(size - bytes.size(), '\0');
        if (poll(&waiting, 1, milliseconds_until(deadline)) != 1) {
            break;
        }
        const auto got = recv(fd_, part.data(), part.size(), MSG_DONTWAIT);
        if (got <= 0) {
            break;
        }
        bytes.append(part, 0, static_cast<std::size_t>(got));
    }
    return bytes;
}

bool RawConnection::greet(const std::string& kind) {
    constexpr std::size_t greeting_bytes = 64;
    auto greeting = "\xff\0\0\0\0\0\0\0\0\x7f\x03\0NULL"s;
    greeting.resize(greeting_bytes, '\0');
    auto ready = "\x05READY\x0bSocket-Type\0\0\0"s;
    ready += static_cast<char>(kind.size());
    ready += kind;
    if (!send(greeting) || receive(greeting_bytes).size() != greeting_bytes) {
        return false;
    }
    const auto head = receive(2);  // The head of the peer's READY, which comes first.
    if (head.size() != 2) {
        return false;
    }
    const auto size = static_cast<std::size_t>(static_cast<unsigned char>(head[1]));
    constexpr char command_flag = 4;
    return receive(size).size() == size &&
           send(std::string{command_flag, static_cast<char>(ready.size())} + ready);
}

bool RawConnection::send_frame(std::string_view body, bool more, Deadline deadline) {
    constexpr std::size_t short_frame = 255;
    constexpr char more_flag = 1;
    constexpr char long_flag = 2;
    const bool is_long = body.size() > short_frame;
    std::string bytes(1, static_cast<char>((more ? more_flag : 0) | (is_long ? long_flag : 0)));
    for (int shift = is_long ? 56 : 0; shift >= 0; shift -= 8) {
        bytes += static_cast<char>((body.size() >> static_cast<unsigned>(shift)) & 0xffU);
    }
    bytes += body;
    return send(bytes, deadline);
}

}  // namespace muster::integration
