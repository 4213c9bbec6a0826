#include "bench/turn/turn_operators.hpp"

#include <deque>
#include <memory>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "bench/bench.hpp"
#include "bench/zmtp.hpp"
#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"

namespace muster::bench {

RawOperator::RawOperator(std::uint16_t port) : fd_{zmtp::connected_to(port)} {
    zmtp::send_all(fd_, zmtp::greeting());
    std::string received(zmtp::greeting_bytes, '\0');
    ensure(recv(fd_, received.data(), received.size(), MSG_WAITALL) == zmtp::greeting_bytes,
           "a greeting");
    zmtp::send_all(fd_, zmtp::ready());
}

RawOperator::~RawOperator() { close(fd_); }

void RawOperator::ask(const Request& request) {
    std::string body;
    codec::encode(request, body);
    const auto frames = parts::split(body, ++uploads_);
    ensure(frames.has_value(), "a request is no larger than an upload may be");
    for (const std::string& frame : *frames) {
        zmtp::send_all(fd_, zmtp::message(frame));
    }
}

bool RawOperator::take_reply(std::string_view body) {
    if (!parts::is_part(body)) {
        reply_ = body;
        return true;
    }
    const auto progress = parts_.add(body);
    ensure(progress.has_value(), "the parts of a reply come in order");
    if (*progress != parts::Assembly::Progress::complete) {
        return false;
    }
    reply_ = parts_.take();
    return true;
}

bool RawOperator::read_some() {
    char buffer[256 * 1024];
    const auto got = recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
    ensure(got != 0, "the coordinator closes no connection");
    unread_.append(buffer, got > 0 ? static_cast<std::size_t>(got) : 0U);
    std::string_view bytes = unread_;
    bool is_whole = false;
    while (const auto frame = zmtp::take_frame(bytes)) {
        if ((frame->flags & (zmtp::command_flag | zmtp::more_flag)) == 0) {
            is_whole = take_reply(frame->body);
        } else if (frame->body.starts_with("\4PING")) {
            zmtp::send_all(fd_, zmtp::frame(zmtp::command_flag,
                                            "\4PONG" + std::string{frame->body.substr(7)}));
        }
    }
    unread_.erase(0, unread_.size() - bytes.size());
    return is_whole;
}

Reply RawOperator::await() {
    char byte = 0;
    while (!read_some()) {
        ensure(recv(fd_, &byte, 1, MSG_PEEK) == 1, "more comes");
    }
    auto reply = codec::decode_reply(reply_);
    ensure(reply.has_value(), "a reply can be read");
    return *std::move(reply);
}

namespace {

/// A reader of `/metrics` that uses a new connection each time.
class MetricsReader {
public:
    explicit MetricsReader(std::uint16_t port) : port_{port} { ask(); }

    void ask() {
        fd_ = zmtp::connected_to(port_);
        zmtp::send_all(fd_, "GET /metrics HTTP/1.1\r\nHost: bench\r\n\r\n");
    }
    /// True once the page ended.
    [[nodiscard]] bool read_some() {
        char buffer[256 * 1024];
        if (recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT) > 0) {
            return false;
        }
        close(fd_);
        return true;
    }
    [[nodiscard]] int fd() const { return fd_; }

private:
    std::uint16_t port_;
    int fd_ = -1;
};

void watch(int epoll, int fd, std::size_t number) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = number;
    ensure(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0, "a reader is watched");
}

}  // namespace

void run_readers(const Readers& readers) {
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    std::vector<std::unique_ptr<RawOperator>> operators;
    std::vector<MetricsReader> pages;
    const auto ask = [&](std::size_t number) {
        operators[number]->ask({{}, readers.requests[number % readers.requests.size()]});
    };
    for (std::size_t number = 0; number < readers.count; ++number) {
        operators.push_back(std::make_unique<RawOperator>(readers.operators));
        watch(epoll, operators.back()->fd(), number);
        ask(number);
    }
    for (std::size_t page = 0; page < readers.of_metrics; ++page) {
        pages.emplace_back(readers.http);
        watch(epoll, pages.back().fd(), readers.count + page);
    }
    const auto ask_again = [&](std::size_t number) {
        if (number < readers.count) {
            ask(number);
            return;
        }
        MetricsReader& page = pages[number - readers.count];
        page.ask();
        watch(epoll, page.fd(), number);
    };
    std::deque<std::pair<double, std::size_t>> resting;  // Until when, and which reader.
    while (true) {
        epoll_event event{};
        if (epoll_wait(epoll, &event, 1, 10) == 1) {
            const std::size_t number = event.data.u64;
            const bool is_whole = number < readers.count
                                      ? operators[number]->read_some()
                                      : pages[number - readers.count].read_some();
            if (is_whole) {
                resting.emplace_back(wall_ms() + readers.pause_ms, number);
            }
        }
        for (; !resting.empty() && resting.front().first <= wall_ms(); resting.pop_front()) {
            ask_again(resting.front().second);
        }
    }
}

}  // namespace muster::bench
