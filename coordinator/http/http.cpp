#include "coordinator/http/http.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <utility>

#include "common/net/endpoint.hpp"

namespace muster::coordinator {
namespace {

constexpr std::uint64_t listener_number = 0;
constexpr int events_per_turn = 16;
constexpr Duration accept_pause = 1s;

tl::unexpected<Error> cannot_bind(std::string_view endpoint, const char* why) {
    return fail(Errc::io, "cannot bind " + std::string{endpoint} + ": " + why);
}

struct FreeAddresses {
    void operator()(addrinfo* first) const { freeaddrinfo(first); }
};

/// A listening socket at `HOST:PORT`; the port may be `*`. On failure errno has the reason.
FileDescriptor listen_at(std::string_view host, std::string_view port) {
    if (host.starts_with('[')) {
        host = host.substr(1, host.size() - 2);
    }
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* first = nullptr;
    if (getaddrinfo(std::string{host}.c_str(), port == "*" ? "0" : std::string{port}.c_str(),
                    &hints, &first) != 0) {
        errno = EINVAL;
        return {};
    }
    const std::unique_ptr<addrinfo, FreeAddresses> at{first};
    FileDescriptor listener{socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    const int yes = 1;
    const bool listens =
        listener.is_open() &&
        setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(listener.get(), at->ai_addr, at->ai_addrlen) == 0 &&
        listen(listener.get(), static_cast<int>(HttpServer::most_connections)) == 0;
    return listens ? std::move(listener) : FileDescriptor{};
}

std::string port_of(const FileDescriptor& listener) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    std::array<char, NI_MAXSERV> port{};
    auto* const any = reinterpret_cast<sockaddr*>(&address);  // The interface requires this type.
    if (getsockname(listener.get(), any, &size) != 0 ||
        getnameinfo(any, size, nullptr, 0, port.data(), port.size(), NI_NUMERICSERV) != 0) {
        return "?";
    }
    return port.data();
}

}  // namespace

HttpServer::HttpServer(net::Loop& loop, Answer answer) : loop_{loop}, answer_{std::move(answer)} {}

Result<std::string> HttpServer::bind(std::string_view endpoint) {
    constexpr std::string_view tcp = "tcp://";
    const auto local = net::endpoint_to_bind(endpoint);
    if (local && !net::is_on_this_host(*local)) {
        return cannot_bind(*local, "HTTP has no keys, so only loopback is allowed");
    }
    if (!local || !local->starts_with(tcp)) {
        return local ? Result<std::string>{cannot_bind(endpoint, "http needs tcp://ADDRESS:PORT")}
                     : tl::unexpected{local.error()};
    }
    const std::string address = local->substr(tcp.size());
    const auto colon = address.rfind(':');
    listener_ = listen_at(address.substr(0, colon), address.substr(colon + 1));
    if (listener_.is_open()) {
        ready_ = FileDescriptor{epoll_create1(EPOLL_CLOEXEC)};
    }
    if (!ready_.is_open()) {
        return cannot_bind(*local, std::strerror(errno));
    }
    wait_for(EPOLLIN, listener_number, listener_.get(), EPOLL_CTL_ADD);
    loop_.watch(ready_.get(), [this](Instant now) { serve(now); });
    return std::string{tcp} + address.substr(0, colon + 1) + port_of(listener_);
}

void HttpServer::close() {
    if (ready_.is_open()) {
        loop_.forget(ready_.get());
    }
    connections_.clear();
    listener_.reset();
    ready_.reset();
}

Instant HttpServer::next_deadline() const {
    return connections_.empty()
               ? accept_paused_until_
               : std::min(accept_paused_until_, connections_.begin()->second.until);
}

void HttpServer::close_overdue(Instant now) {
    // All connections have the same timeout, so the oldest ends first.
    while (!connections_.empty() && connections_.begin()->second.until <= now) {
        connections_.erase(connections_.begin());
    }
    if (accept_paused_until_ <= now) {
        accept_paused_until_ = Instant::max();
        wait_for(EPOLLIN, listener_number, listener_.get(), EPOLL_CTL_MOD);
    }
}

void HttpServer::wait_for(std::uint32_t events, std::uint64_t number, int file, int operation) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = number;
    // Fails only when memory is short; the peer is then closed at its timeout.
    static_cast<void>(epoll_ctl(ready_.get(), operation, file, &event));
}

void HttpServer::serve(Instant now) {
    std::array<epoll_event, events_per_turn> events{};
    const int count = epoll_wait(ready_.get(), events.data(), events_per_turn, 0);
    has_answered_ = false;
    for (int i = 0; i < count && !has_answered_; ++i) {
        const std::uint64_t number = events[static_cast<std::size_t>(i)].data.u64;
        if (number == listener_number) {
            accept_one(now);
            continue;
        }
        const auto found = connections_.find(number);
        if (found != connections_.end() && !go_on(now, number, found->second)) {
            connections_.erase(found);
        }
    }
}

void HttpServer::accept_one(Instant now) {
    // Not accept4(): common/net replaces it with a guard that expects another protocol.
    FileDescriptor file{accept(listener_.get(), nullptr, nullptr)};
    if (!file.is_open()) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
            accept_paused_until_ = now + accept_pause;
            wait_for(0, listener_number, listener_.get(), EPOLL_CTL_MOD);
        }
        return;
    }
    if (fcntl(file.get(), F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(file.get(), F_SETFL, O_NONBLOCK) != 0) {
        return;
    }
    if (connections_.size() == most_connections) {
        connections_.erase(connections_.begin());
    }
    wait_for(EPOLLIN, ++last_, file.get(), EPOLL_CTL_ADD);
    connections_[last_] = {.file = std::move(file), .until = now + patience};
}

bool HttpServer::go_on(Instant now, std::uint64_t number, Connection& connection) {
    if (connection.answer.empty() && !read_request(now, connection)) {
        return false;
    }
    if (connection.answer.empty()) {
        return true;
    }
    return connection.sent < connection.answer.size() ? send_answer(number, connection)
                                                      : discard_input(connection);
}

bool HttpServer::read_request(Instant now, Connection& connection) {
    constexpr std::string_view end_of_head = "\r\n\r\n";
    std::array<char, request_bytes> bytes{};
    const auto got = read(connection.file.get(), bytes.data(), bytes.size());
    if (got <= 0) {
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    }
    connection.request.append(bytes.data(), static_cast<std::size_t>(got));
    const auto end = connection.request.find(end_of_head);
    if (end <= request_bytes) {  // npos is greater, too.
        connection.answer = answer_to(now, std::string_view{connection.request}.substr(0, end));
    } else if (connection.request.size() > request_bytes) {
        connection.answer =
            text_of({.status = 431, .body = "the head of a request has at most 8 KiB\n"}, false);
    }
    return true;
}

std::string HttpServer::answer_to(Instant now, std::string_view head) {
    has_answered_ = true;
    const auto request = parse_http(head);
    return request ? text_of(answer_(now, request->path), request->head_only)
                   : text_of(request.error(), false);
}

bool HttpServer::send_answer(std::uint64_t number, Connection& connection) {
    const auto left = std::string_view{connection.answer}.substr(connection.sent);
    const auto sent = send(connection.file.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        return false;
    }
    connection.sent += sent > 0 ? static_cast<std::size_t>(sent) : 0;
    const bool is_all = connection.sent == connection.answer.size();
    if (is_all) {
        // Input is read until the peer closes: an earlier close() would discard the answer.
        shutdown(connection.file.get(), SHUT_WR);
    }
    wait_for(is_all ? EPOLLIN : EPOLLOUT, number, connection.file.get(), EPOLL_CTL_MOD);
    return true;
}

bool HttpServer::discard_input(Connection& connection) {
    std::array<char, request_bytes> bytes{};
    const auto got = read(connection.file.get(), bytes.data(), bytes.size());
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace muster::coordinator
