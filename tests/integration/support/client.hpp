#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <zmq.hpp>

#include "tests/integration/support/process.hpp"

/// Bare ZeroMQ and bare TCP clients, without any code of muster.
namespace muster::integration {

using Json = nlohmann::json;
using Frames = std::vector<std::string>;

/// One socket to one endpoint.
class Client {
public:
    Client(zmq::socket_type type, const std::string& endpoint);

    /// False: the library did not accept it before the deadline.
    bool send(std::span<const std::string> frames, Deadline deadline = soon());
    bool send(std::string_view frame) { return send(Frames{std::string{frame}}); }
    /// Nothing if no whole message came before the deadline.
    [[nodiscard]] std::optional<Frames> receive(Deadline deadline = soon());
    /// As receive(), but also returns nothing when `file` is readable and no message is there.
    [[nodiscard]] std::optional<Frames> receive_or(int file, Deadline deadline = soon());

    void subscribe(const std::string& topic) { socket_.set(zmq::sockopt::subscribe, topic); }
    /// Unsent messages are still sent for this time after the object is gone. The default is to
    /// drop them.
    void linger(std::chrono::milliseconds time) {
        socket_.set(zmq::sockopt::linger, static_cast<int>(time.count()));
    }

private:
    zmq::socket_t socket_;
};

/// Sends one JSON frame over a new REQ and waits for the answer; nothing if it does not come.
[[nodiscard]] std::optional<Json> ask(const std::string& endpoint, const Json& request,
                                      Deadline deadline = soon());
/// The same for a line such as `status`.
[[nodiscard]] std::optional<Json> ask_line(const std::string& endpoint, std::string_view line,
                                           Deadline deadline = soon());

/// A new time-ordered id, as docs/reference/protocol.md requires of clients.
[[nodiscard]] std::string new_request_id();

/// A TCP or unix stream connection that sends arbitrary bytes.
class RawConnection {
public:
    /// `tcp://127.1.2.3:7700` or `ipc:///path`.
    explicit RawConnection(std::string_view endpoint);
    ~RawConnection();
    RawConnection(const RawConnection&) = delete;
    RawConnection& operator=(const RawConnection&) = delete;

    /// False: the other side closed, or does not read before the deadline.
    bool send(std::string_view bytes, Deadline deadline = soon());
    /// The received bytes, at most `size`; empty when the other side closed or the deadline passed.
    [[nodiscard]] std::string receive(std::size_t size, Deadline deadline = soon());
    /// Does the ZMTP 3 greeting without security, as a DEALER or another kind of socket. False: it
    /// was refused.
    bool greet(const std::string& kind = "DEALER");
    /// One ZMTP frame.
    bool send_frame(std::string_view body, bool more, Deadline deadline = soon());

private:
    int fd_ = -1;
};

}  // namespace muster::integration
