#include "tests/faults/proxy.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <deque>
#include <list>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "common/base/random.hpp"

namespace muster::faults {

namespace {

using WireClock = std::chrono::steady_clock;

// Above this limit a sender waits, as on any TCP connection.
constexpr std::size_t most_held = 1U << 20U;

sockaddr_in address_of(std::string_view endpoint) {
    const std::string text{endpoint.substr(std::string_view{"tcp://"}.size())};
    const auto colon = text.rfind(':');
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoul(text.substr(colon + 1))));
    inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.sin_addr);
    return address;
}

// NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API asks for it.
FileDescriptor listen_anywhere(std::string& endpoint) {
    FileDescriptor listener{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address = address_of("tcp://127.0.0.1:0");
    socklen_t size = sizeof address;
    if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        listen(listener.get(), SOMAXCONN) != 0 ||
        getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        throw std::runtime_error{std::string{"the proxy cannot listen: "} + std::strerror(errno)};
    }
    endpoint = "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    return listener;
}

FileDescriptor connected_to(const sockaddr_in& address) {
    FileDescriptor file{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (connect(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        file.reset();
    }
    return file;
}
// NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)

void reset_connection(FileDescriptor& file) {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(file.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    file.reset();
}

}  // namespace

/// Only the proxy's thread uses this class.
class Proxy::Wires {
public:
    Wires(Proxy& proxy, const sockaddr_in& coordinator)
        : proxy_{proxy}, coordinator_{coordinator} {}

    void run() {
        while (true) {
            fault_ = proxy_.fault();
            if (fault_.ends) {
                return;
            }
            if (fault_.resets) {
                for (Link& link : links_) {
                    std::ranges::for_each(link.ends, reset_connection);
                }
                links_.clear();
            }
            wait();
            serve();
        }
    }

private:
    /// The data from one side of a link to the other.
    struct Stream {
        struct Piece {
            WireClock::time_point due;
            std::string bytes;
        };
        std::deque<Piece> pieces;
        std::size_t held = 0;
        bool is_over = false;  // No further data comes.

        void take_off(std::size_t bytes) {
            held -= bytes;
            pieces.front().bytes.erase(0, bytes);
            if (pieces.front().bytes.empty()) {
                pieces.pop_front();
            }
        }
    };

    /// An agent's connection and the proxy's own connection to the coordinator for it. The first
    /// stream flows from the agent to the coordinator.
    struct Link {
        std::array<FileDescriptor, 2> ends;
        std::array<Stream, 2> streams;
    };

    // Polls the wake-up descriptor, the listener, and both ends of each link, in this order.
    void wait() {
        const auto now = WireClock::now();
        std::optional<WireClock::time_point> next;
        polled_.assign({{proxy_.wake_.get(), POLLIN, 0}, {proxy_.listener_.get(), POLLIN, 0}});
        for (const Link& link : links_) {
            for (std::size_t side = 0; side < 2; ++side) {
                const Stream& from = link.streams[side];
                short events = !from.is_over && from.held < most_held ? POLLIN : 0;
                const std::size_t other = 1 - side;
                if (const auto due = due_of(link.streams[other], other); due && *due <= now) {
                    events = static_cast<short>(events | POLLOUT);
                } else if (due) {
                    next = std::min(next.value_or(*due), *due);
                }
                // A closed end is always ready, so poll ignores it.
                polled_.push_back({events == 0 ? -1 : link.ends[side].get(), events, 0});
            }
        }
        int timeout = -1;
        if (next) {
            timeout =
                static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(*next - now).count());
        }
        poll(polled_.data(), polled_.size(), timeout);
    }

    [[nodiscard]] std::optional<WireClock::time_point> due_of(const Stream& stream,
                                                              std::size_t way) const {
        if (fault_.stalls.at(way) || stream.pieces.empty()) {
            return std::nullopt;
        }
        return stream.pieces.front().due;
    }

    void serve() {
        std::size_t at = 2;
        for (auto link = links_.begin(); link != links_.end(); at += 2) {
            bool lives = true;
            for (std::size_t side = 0; side < 2; ++side) {
                if (polled_[at + side].revents != 0 && !link->streams[side].is_over) {
                    receive(*link, side);
                }
            }
            for (std::size_t side = 0; side < 2; ++side) {
                lives = lives && forward(*link, side);
            }
            link = lives ? std::next(link) : links_.erase(link);
        }
        std::uint64_t wakes = 0;
        if (polled_[0].revents != 0) {
            static_cast<void>(read(proxy_.wake_.get(), &wakes, sizeof wakes));
        }
        if (polled_[1].revents != 0) {
            admit();
        }
    }

    void admit() {
        // Not by accept4(), which in programs with sockets of muster guards what comes in.
        FileDescriptor agent{static_cast<int>(
            syscall(SYS_accept4, proxy_.listener_.get(), nullptr, nullptr, SOCK_CLOEXEC))};
        if (!agent.is_open()) {
            return;
        }
        FileDescriptor coordinator;
        if (!fault_.refuses) {
            coordinator = connected_to(coordinator_);
        }
        if (!coordinator.is_open()) {
            reset_connection(agent);
            return;
        }
        ++proxy_.connections_;
        Link& link = links_.emplace_back();
        link.ends = {std::move(agent), std::move(coordinator)};
    }

    void receive(Link& link, std::size_t side) {
        std::array<char, 64 * 1024> bytes{};
        Stream& stream = link.streams.at(side);
        const auto got = recv(link.ends.at(side).get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got > 0) {
            std::string piece{bytes.data(), static_cast<std::size_t>(got)};
            if (fault_.mangles.at(side) || fault_.tears.at(side)) {
                mangle(piece, fault_.tears.at(side));
            }
            stream.held += piece.size();
            stream.pieces.push_back({WireClock::now() + fault_.delay, std::move(piece)});
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            stream.is_over = true;
        }
    }

    /// False: the link has ended.
    [[nodiscard]] bool forward(Link& link, std::size_t side) const {
        Stream& stream = link.streams.at(side);
        const auto now = WireClock::now();
        for (auto due = due_of(stream, side); due && *due <= now; due = due_of(stream, side)) {
            const std::string& bytes = stream.pieces.front().bytes;
            const auto sent = send(link.ends.at(1 - side).get(), bytes.data(), bytes.size(),
                                   MSG_DONTWAIT | MSG_NOSIGNAL);
            if (sent < 0) {
                return errno == EAGAIN || errno == EINTR;
            }
            stream.take_off(static_cast<std::size_t>(sent));
        }
        return !stream.is_over || !stream.pieces.empty() || fault_.stalls.at(side);
    }

    // A frame's header is its flags and its size. One flag means that the size has eight bytes.
    void mangle(std::string& bytes, bool tears) {
        constexpr std::string_view protocol = "MUSTER\x01";
        constexpr std::size_t head = 2;
        constexpr unsigned is_long = 2;
        for (auto at = bytes.find(protocol); at != std::string::npos;
             at = bytes.find(protocol, at + protocol.size())) {
            if (at < head || random_.chance(1, 2)) {
                continue;
            }
            const std::size_t place = tears ? at - head : at + random_.below(protocol.size());
            const unsigned bits = tears ? is_long : 1U << random_.below(8);
            bytes[place] = static_cast<char>(static_cast<unsigned char>(bytes[place]) ^ bits);
            ++proxy_.mangled_;
        }
    }

    Proxy& proxy_;
    sockaddr_in coordinator_;
    Fault fault_;
    std::list<Link> links_;
    std::vector<pollfd> polled_;
    Random random_{7};
};

Proxy::Proxy(std::string_view coordinator)
    : listener_{listen_anywhere(endpoint_)},
      wake_{eventfd(0, EFD_CLOEXEC)},
      thread_{[this, address = address_of(coordinator)] {
          Wires{*this, address}.run();
      }} {}

Proxy::~Proxy() {
    set_fault({.ends = true});
    thread_.join();
}

void Proxy::delay(std::chrono::milliseconds time) { set_fault({.delay = time}); }

void Proxy::stall(Way way) {
    set_fault({.stalls = {way != Way::to_agent, way != Way::to_coordinator}});
}

void Proxy::mangle(Way way) {
    set_fault({.mangles = {way != Way::to_agent, way != Way::to_coordinator}});
}

void Proxy::tear(Way way) {
    set_fault({.tears = {way != Way::to_agent, way != Way::to_coordinator}});
}

void Proxy::reset() { set_fault({.resets = true}); }

void Proxy::refuse() { set_fault({.refuses = true, .resets = true}); }

void Proxy::heal() { set_fault({}); }

void Proxy::set_fault(const Fault& fault) {
    {
        const std::lock_guard lock{mutex_};
        const bool resets = fault_.resets || fault.resets;
        fault_ = fault;
        fault_.resets = resets;
    }
    const std::uint64_t once = 1;
    static_cast<void>(write(wake_.get(), &once, sizeof once));
}

Proxy::Fault Proxy::fault() {
    const std::lock_guard lock{mutex_};
    Fault now = fault_;
    fault_.resets = false;
    return now;
}

}  // namespace muster::faults
