#include "bench/zmtp_peers.hpp"

#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"

namespace muster::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t greeting_bytes = 64;
constexpr unsigned char more_flag = 1;
constexpr unsigned char long_flag = 2;
constexpr unsigned char command_flag = 4;

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

const std::string ready = frame(command_flag, "\5READY\x0bSocket-Type\0\0\0\6DEALER"sv);

// Blocking, so that a storm of connections is no part of what is measured.
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

/// One connection, and how far its handshake is.
struct Peer {
    int fd = -1;
    std::string unread;
    bool greeted = false;
};

struct Frame {
    unsigned char flags = 0;
    std::string_view body;
};

/// Takes the next whole frame off `bytes`.
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

class Fleet {
public:
    Fleet(std::uint16_t port, std::uint32_t count) : port_{port}, peers_(count) {
        for (std::uint32_t number = 0; number < count; ++number) {
            connect_peer(number);
            read_those_ready(0);  // A handshake must not wait for the last of ten thousand.
        }
    }

    [[noreturn]] void run() {
        while (true) {
            read_those_ready(-1);
        }
    }

private:
    void read_those_ready(int timeout_ms) {
        const int count =
            epoll_wait(epoll_, events_.data(), static_cast<int>(events_.size()), timeout_ms);
        for (int i = 0; i < count; ++i) {
            read_from(events_[static_cast<std::size_t>(i)].data.u32);
        }
    }

    void connect_peer(std::uint32_t number) {
        auto& peer = peers_[number];
        peer.fd = connected_to(port_);
        send_all(peer.fd, greeting());
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u32 = number;
        ensure(epoll_ctl(epoll_, EPOLL_CTL_ADD, peer.fd, &event) == 0, "a peer is watched");
    }

    void read_from(std::uint32_t number) {
        auto& peer = peers_[number];
        char buffer[4096];
        const auto got = recv(peer.fd, buffer, sizeof(buffer), MSG_DONTWAIT);
        if (got <= 0) {
            std::fprintf(stderr, "peer %u was closed by the other side\n", number);
            _exit(1);
        }
        std::string_view bytes{buffer, static_cast<std::size_t>(got)};
        if (!peer.unread.empty()) {
            peer.unread += bytes;
            bytes = peer.unread;
        }
        if (!peer.greeted && bytes.size() >= greeting_bytes) {
            peer.greeted = true;
            bytes.remove_prefix(greeting_bytes);
            send_all(peer.fd, ready);
        }
        while (peer.greeted) {
            const auto taken = take_frame(bytes);
            if (!taken) {
                break;
            }
            obey(number, *taken);
        }
        peer.unread = std::string{bytes};
    }

    void obey(std::uint32_t number, const Frame& frame) {
        if ((frame.flags & command_flag) != 0) {
            obey_command(number, frame.body);
        } else if ((frame.flags & more_flag) == 0) {
            answer(peers_[number], frame.body);
        }
    }

    void obey_command(std::uint32_t number, std::string_view body) {
        auto& peer = peers_[number];
        if (body.starts_with("\5READY"sv)) {
            send_all(peer.fd, message(hello(number)));
        } else if (body.starts_with("\4PING"sv)) {
            send_all(peer.fd,
                     frame(command_flag, std::string{"\4PONG"sv} + std::string{body.substr(7)}));
        }
    }

    static std::string hello(std::uint32_t number) {
        Hello hello;
        char name[16] = {};
        std::snprintf(name, sizeof(name), "n%05u", number);
        hello.name = name;
        hello.boot = {1, number + 1};
        hello.life = {2, number + 1};
        hello.incarnation = Incarnation{1};
        hello.version = "bench";
        std::string bytes;
        codec::encode(AgentMessage{hello}, bytes);
        return bytes;
    }

    void answer(const Peer& peer, std::string_view body) {
        if (!codec::decode(body, received_)) {
            return;
        }
        const auto* const poll = std::get_if<Poll>(&received_);
        if (poll == nullptr) {
            return;
        }
        auto& report = std::get<Report>(report_);
        report.kind = raw(poll->seen) == 0 ? ReportKind::snapshot : ReportKind::same;
        report.epoch = poll->epoch;
        report.term = poll->term;
        report.incarnation = poll->incarnation;
        report.from = report.to = Revision{1};
        report.obeyed = poll->issued;
        codec::encode(report_, encoded_);
        send_all(peer.fd, message(encoded_));
    }

    std::uint16_t port_;
    std::vector<Peer> peers_;
    int epoll_ = epoll_create1(EPOLL_CLOEXEC);
    std::vector<epoll_event> events_{256};
    CoordinatorMessage received_;
    AgentMessage report_{Report{}};
    std::string encoded_;
};

}  // namespace

ZmtpOperator::ZmtpOperator(std::uint16_t port) : fd_{connected_to(port)} {
    send_all(fd_, greeting());
    std::string received(greeting_bytes, '\0');
    ensure(recv(fd_, received.data(), received.size(), MSG_WAITALL) == greeting_bytes,
           "a greeting");
    send_all(fd_, ready);
    ensure(recv(fd_, received.data(), 2, MSG_WAITALL) == 2, "a frame");  // Our READY's answer.
    received.resize(static_cast<unsigned char>(received[1]));
    ensure(recv(fd_, received.data(), received.size(), MSG_WAITALL) > 0, "READY");
}

ZmtpOperator::~ZmtpOperator() { close(fd_); }

void ZmtpOperator::order_round() const {
    char answer[4096];
    while (recv(fd_, answer, sizeof(answer), MSG_DONTWAIT) > 0) {
    }
    std::string request;
    codec::encode(Request{{}, TermNowRequest{}}, request);
    send_all(fd_, message(request));
}

void run_peers(std::uint16_t port, std::uint32_t count) { Fleet{port, count}.run(); }

}  // namespace muster::bench
