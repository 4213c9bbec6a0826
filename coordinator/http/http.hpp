#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "common/base/file_descriptor.hpp"
#include "common/base/result.hpp"
#include "common/net/loop.hpp"
#include "coordinator/http/text.hpp"

namespace muster::coordinator {

/// A small HTTP server for who only looks: one request a connection.
///
///     reading ---- its head is whole ---> answering ---- all is sent ---> leaving ---> closed
///        \--------------- `patience` after it came: closed in any case ---------------^
///
/// It lives in the loop of its owner: who asks gets what is so at that moment, and a loop that
/// hangs does not answer, which is what a probe is to find out. In each turn one page is made, so
/// however many ask, agents and operators are served between two pages. A peer that is slow costs a
/// place among `most_connections` until its time is over; when all are taken the oldest is closed
/// for the next.
///
/// By hand, because accept4() and recv() of this process belong to the guard of the message library
/// (common/net/accept/accept.hpp), and because threads of another library would have to ask the
/// loop.
class HttpServer {
public:
    static constexpr std::size_t most_connections = 64;
    static constexpr std::size_t request_bytes = 8 * 1024;
    static constexpr Duration patience = 5s;

    using Answer = std::function<HttpAnswer(Instant now, std::string_view path)>;

    HttpServer(net::Loop& loop, Answer answer);
    ~HttpServer() { close(); }
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// Binds `tcp://ADDRESS:PORT` of this host and serves; the answer has the real port.
    [[nodiscard]] Result<std::string> bind(std::string_view endpoint);
    /// Nobody is served any more.
    void close();

    /// Closes those whose time is over. To be called when next_deadline() has passed.
    void close_overdue(Instant now);
    [[nodiscard]] Instant next_deadline() const;

private:
    struct Connection {
        FileDescriptor file;
        Instant until{};
        std::string request{};
        std::string answer{};  // Empty: it is still asking.
        std::size_t sent = 0;  // Of the answer.
    };

    void serve(Instant now);
    void accept_one(Instant now);
    /// This and the next three: false once it is over.
    [[nodiscard]] bool go_on(Instant now, std::uint64_t number, Connection& connection);
    [[nodiscard]] bool read_request(Instant now, Connection& connection);
    [[nodiscard]] bool send_answer(std::uint64_t number, Connection& connection);
    [[nodiscard]] static bool discard_input(Connection& connection);
    [[nodiscard]] std::string answer_to(Instant now, std::string_view head);
    void wait_for(std::uint32_t events, std::uint64_t number, int file, int operation);

    net::Loop& loop_;
    Answer answer_;
    FileDescriptor ready_;  // An epoll of all below.
    FileDescriptor listener_;
    std::map<std::uint64_t, Connection> connections_;  // By age.
    std::uint64_t last_ = 0;
    bool has_answered_ = false;            // In this turn.
    Instant deaf_until_ = Instant::max();  // No file was left: nobody is let in for a moment.
};

}  // namespace muster::coordinator
