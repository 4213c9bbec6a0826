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

/// A small HTTP server for monitors and probes: one request a connection.
///
///     reading ---- head is complete ---> answering ---- all is sent ---> leaving ---> closed
///        \-------------- `patience` after accept: closed in any case --------------^
///
/// It runs in the loop of its owner. So an answer shows the state at that moment, and a loop that
/// hangs does not answer, as a probe requires. It makes one page a turn, so HTTP clients never
/// delay agents and operators for longer than one page. A slow peer takes one of `most_connections`
/// until its timeout; when all are taken, the oldest is closed for the next.
///
/// Not a library: accept4() and recv() of this process belong to the guard of the message library
/// (common/net/accept/accept.hpp), and the threads of a library would have to query the loop.
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
    /// Stops listening and closes all connections.
    void close();

    /// Closes connections whose timeout has passed. To be called when next_deadline() has passed.
    void close_overdue(Instant now);
    [[nodiscard]] Instant next_deadline() const;

private:
    struct Connection {
        FileDescriptor file;
        Instant until{};
        std::string request{};
        std::string answer{};  // Empty: the request is not complete.
        std::size_t sent = 0;  // Bytes of the answer.
    };

    void serve(Instant now);
    void accept_one(Instant now);
    /// This and the next three: false once the connection is over.
    [[nodiscard]] bool go_on(Instant now, std::uint64_t number, Connection& connection);
    [[nodiscard]] bool read_request(Instant now, Connection& connection);
    [[nodiscard]] bool send_answer(std::uint64_t number, Connection& connection);
    [[nodiscard]] static bool discard_input(Connection& connection);
    [[nodiscard]] std::string answer_to(Instant now, std::string_view head);
    void wait_for(std::uint32_t events, std::uint64_t number, int file, int operation);

    net::Loop& loop_;
    Answer answer_;
    FileDescriptor ready_;  // An epoll of the listener and the connections.
    FileDescriptor listener_;
    std::map<std::uint64_t, Connection> connections_;  // By age.
    std::uint64_t last_ = 0;
    bool has_answered_ = false;                     // In this turn.
    Instant accept_paused_until_ = Instant::max();  // No file was left: accepts nothing until then.
};

}  // namespace muster::coordinator
