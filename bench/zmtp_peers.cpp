#include "bench/zmtp_peers.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "bench/zmtp.hpp"
#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"

namespace muster::bench {
namespace {

using namespace std::string_view_literals;
using namespace zmtp;

/// One connection, the state of its handshake, and the instances that it was ordered to start.
struct Peer {
    int fd = -1;
    std::string unread;
    bool greeted = false;
    Revision revision{1};
    std::vector<InstanceReport> started;  // In the order of their names.
    std::optional<CurveLink> link;        // With keys.
};

InstanceReport running(const InstanceId& id, Generation generation) {
    InstanceReport report;
    report.id = id;
    report.generation = generation;
    report.state = InstanceState::running;
    report.started = CivilMs{1'700'000'000'000};
    return report;
}

class Fleet {
public:
    Fleet(std::uint16_t port, std::uint32_t count, Running running, bool keys)
        : port_{port}, has_keys_{keys}, peers_(count), running_{std::move(running)} {
        running_.resize(count);
        for (std::uint32_t number = 0; number < count; ++number) {
            connect_peer(number);
            read_those_ready(0);  // So that a handshake does not wait for ten thousand connections.
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
        if (has_keys_) {
            peer.link.emplace(bench_key("server").open, bench_key("peer", number));
        }
        send_all(peer.fd, has_keys_ ? CurveLink::greeting() : greeting());
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u32 = number;
        ensure(epoll_ctl(epoll_, EPOLL_CTL_ADD, peer.fd, &event) == 0, "a peer is watched");
    }

    void read_from(std::uint32_t number) {
        auto& peer = peers_[number];
        char buffer[64 * 1024];
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
            send_all(peer.fd, peer.link ? peer.link->hello() : ready());
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

    void obey(std::uint32_t number, const Frame& received) {
        auto& link = peers_[number].link;
        if (link && received.body.starts_with("\7WELCOME"sv)) {
            send_all(peers_[number].fd, link->initiate(received.body));
            return;
        }
        const bool is_sealed = link && received.body.starts_with("\7MESSAGE"sv);
        const Frame frame = is_sealed ? link->opened(received.body) : received;
        if ((frame.flags & command_flag) != 0) {
            obey_command(number, frame.body);
        } else if ((frame.flags & more_flag) == 0) {
            answer(number, frame.body);
        }
    }

    void obey_command(std::uint32_t number, std::string_view body) {
        auto& peer = peers_[number];
        if (body.starts_with("\5READY"sv)) {
            send_message(peer, hello(number));
        } else if (body.starts_with("\4PING"sv)) {
            const std::string pong = std::string{"\4PONG"sv} + std::string{body.substr(7)};
            send_all(peer.fd,
                     peer.link ? peer.link->sealed(command_flag, pong) : frame(command_flag, pong));
        }
    }

    static std::string hello(std::uint32_t number) {
        Hello hello;
        hello.name = peer_name(number);
        hello.boot = {1, number + 1};
        hello.life = {2, number + 1};
        hello.incarnation = Incarnation{2};
        hello.version = "bench";
        std::string bytes;
        codec::encode(AgentMessage{hello}, bytes);
        return bytes;
    }

    void answer(std::uint32_t number, std::string_view body) {
        if (!codec::decode(body, received_)) {
            return;
        }
        if (const auto* const poll = std::get_if<Poll>(&received_)) {
            answer(number, *poll);
        } else if (const auto* const batch = std::get_if<Batch>(&received_)) {
            start(peers_[number], *batch);
        }
    }

    void answer(std::uint32_t number, const Poll& poll) {
        Peer& peer = peers_[number];
        auto& report = std::get<Report>(report_);
        report.epoch = poll.epoch;
        report.round = poll.round;
        report.incarnation = poll.incarnation;
        report.from = report.to = peer.revision;
        report.obeyed = poll.issued;
        report.instances.clear();
        if (poll.seen == peer.revision) {
            report.kind = ReportKind::same;
        } else if (raw(poll.seen) != 0) {
            report.kind = ReportKind::delta;
            report.from = poll.seen;
            report.instances = peer.started;
        } else {
            report.kind = ReportKind::snapshot;
            for (const InstanceId& id : running_[number]) {
                report.instances.push_back(running(id, Generation{1}));
            }
            report.instances.insert(report.instances.end(), peer.started.begin(),
                                    peer.started.end());
            std::ranges::sort(report.instances, {}, &InstanceReport::id);
        }
        codec::encode(report_, encoded_);
        send_message(peer, encoded_);
    }

    static void send_message(Peer& peer, std::string_view body) {
        send_all(peer.fd, peer.link ? peer.link->message(body) : message(body));
    }

    /// The instance runs at once, and the next answer reports it.
    void start(Peer& peer, const Batch& batch) {
        for (const Start& one : batch.starts) {
            const auto place =
                std::ranges::lower_bound(peer.started, one.id, {}, &InstanceReport::id);
            if (place == peer.started.end() || place->id != one.id) {
                peer.started.insert(place, running(one.id, one.generation));
            }
        }
        peer.revision = next(peer.revision);
        Ack ack;
        ack.epoch = batch.epoch;
        ack.incarnation = batch.incarnation;
        ack.obeyed = batch.sequence;
        codec::encode(AgentMessage{std::move(ack)}, encoded_);
        send_all(peer.fd, message(encoded_));
    }

    std::uint16_t port_;
    bool has_keys_;
    std::vector<Peer> peers_;
    Running running_;
    int epoll_ = epoll_create1(EPOLL_CLOEXEC);
    std::vector<epoll_event> events_{256};
    CoordinatorMessage received_;
    AgentMessage report_{Report{}};
    std::string encoded_;
};

}  // namespace

namespace {

/// The next whole frame of a connection; nothing else is sent there.
std::string receive_frame(int fd) {
    std::string received(2, '\0');
    ensure(recv(fd, received.data(), received.size(), MSG_WAITALL) == 2, "a frame");
    received.resize(static_cast<unsigned char>(received[1]));
    ensure(recv(fd, received.data(), received.size(), MSG_WAITALL) > 0, "the frame's body");
    return received;
}

}  // namespace

ZmtpOperator::ZmtpOperator(std::uint16_t port, bool keys) : fd_{connected_to(port)} {
    if (keys) {
        link_.emplace(bench_key("server").open, bench_key("operator"));
    }
    send_all(fd_, keys ? CurveLink::greeting() : greeting());
    std::string received(greeting_bytes, '\0');
    ensure(recv(fd_, received.data(), received.size(), MSG_WAITALL) == greeting_bytes,
           "a greeting");
    if (keys) {
        join_with_key();
        return;
    }
    send_all(fd_, ready());
    static_cast<void>(receive_frame(fd_));  // The answer to our READY.
}

void ZmtpOperator::join_with_key() {
    send_all(fd_, link_->hello());
    send_all(fd_, link_->initiate(receive_frame(fd_)));
    ensure(receive_frame(fd_).starts_with("\5READY"sv), "the operator is admitted");
}

ZmtpOperator::~ZmtpOperator() { close(fd_); }

void ZmtpOperator::order_round() {
    char answer[4096];
    while (recv(fd_, answer, sizeof(answer), MSG_DONTWAIT) > 0) {
    }
    std::string request;
    codec::encode(Request{{}, RoundNowRequest{}}, request);
    send_all(fd_, link_ ? link_->message(request) : message(request));
}

std::string peer_name(std::uint32_t number) {
    char name[16] = {};
    std::snprintf(name, sizeof(name), "n%05u", number);
    return name;
}

void run_peers(std::uint16_t port, std::uint32_t count, Running running, bool keys) {
    Fleet{port, count, std::move(running), keys}.run();
}

}  // namespace muster::bench
