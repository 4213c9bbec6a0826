#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/shared.hpp"
#include "common/base/time.hpp"
#include "common/net/accept/accept.hpp"
#include "common/net/accept/unreceived.hpp"
#include "common/net/context.hpp"
#include "common/net/security/security.hpp"

namespace muster::net {

enum class SendResult : std::uint8_t {
    sent,  ///< Handed to the library; no promise that it arrives.
    slow,  ///< The peer's queue is full, or nobody is connected: dropped, never queued.
    gone,  ///< The route no longer exists.
};

enum class Receipt : std::uint8_t {
    message,
    probe,    ///< An empty message that only announces a new route.
    dropped,  ///< Too many frames: removed, counted, not returned.
    nothing,  ///< The queue is empty.
};

/// A received message. Its memory is used again by the next, so a steady stream allocates nothing.
class Message {
public:
    /// More frames than our messages have, envelope not counted.
    static constexpr std::size_t max_frames = 4;

    [[nodiscard]] std::span<const std::string> frames() const { return {frames_.data(), count_}; }
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] std::string_view operator[](std::size_t i) const { return frames()[i]; }

    void clear() { count_ = 0; }
    /// False: it already has max_frames.
    [[nodiscard]] bool append(std::string_view frame);

private:
    std::vector<std::string> frames_{max_frames};
    std::size_t count_ = 0;
};

/// The common part of all our sockets: LINGER 0, bounded queues and messages, keepalive that cleans
/// dead links. Every call returns at once, with a result where it would block.
///
/// Owned by one thread, neither copied nor moved.
class Socket {
public:
    struct Bounds {
        std::size_t message_bytes = 0;
        /// On a socket with keys, of a connection until it is trusted. 0: message_bytes.
        std::size_t first_bytes = 0;
        int send_queue = 48;  ///< Messages per peer. The library's 1,000 would be 100 GB at 10,000.
        int receive_queue = 24;  ///< Messages per peer.
    };

    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    /// Messages with too many frames so far.
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

    /// Closes it. Unsent messages are lost, except those sent within `linger`; the end of the
    /// context waits for them.
    void close(Duration linger = Duration::zero());

    /// Only for Loop.
    [[nodiscard]] void* handle() const;

protected:
    Socket(Context& context, int type, const Bounds& bounds);
    ~Socket();

    [[nodiscard]] zmq::socket_t& library() { return *socket_; }
    /// Before the socket is bound or connected. What the library refuses, bind_to() or connect_to()
    /// reports.
    template <class Keys>
    void use_keys(const Keys& keys);
    [[nodiscard]] bool has_keys() const { return has_keys_; }
    [[nodiscard]] zmq::message_t& scratch() { return *scratch_; }
    /// Binds and returns the endpoint with its real port. An ipc file is 0600 in a directory 0700,
    /// and such a socket has no keys. Every other endpoint that is not loopback needs them.
    [[nodiscard]] Result<std::string> bind_to(std::string_view endpoint);
    [[nodiscard]] Result<void> connect_to(std::string_view endpoint);
    void disconnect_from(std::string_view endpoint);
    [[nodiscard]] Receipt receive(Message& into) {
        return receive_frame() ? receive_rest(into) : Receipt::nothing;
    }
    /// Takes one frame into scratch(). False: the socket is empty.
    [[nodiscard]] bool receive_frame();
    [[nodiscard]] bool more_follow() const;
    /// Only on a socket with keys that is bound: the whole message whose last frame is in scratch()
    /// was received, so it no longer counts as waiting.
    void report_received();
    void report_all_received();
    /// Of the message whose last frame is in scratch().
    [[nodiscard]] Connection received_connection();
    /// From now on it may send messages of the full size.
    void trust_connection(const Connection& connection) const;
    /// The last frame did not come from the peer.
    void forget_received() { received_ = {}; }
    /// The rest of a message whose first frame is in scratch().
    [[nodiscard]] Receipt receive_rest(Message& into);
    /// `more`: send_last() follows.
    [[nodiscard]] SendResult send_frames(std::span<const std::string_view> frames,
                                         bool more = false);
    /// The last frame of a message after its first ones were sent; not copied.
    void send_last(Shared<std::string> frame, Meter& meter);

private:
    void bound_what_waits(std::string_view bound);

    std::unique_ptr<zmq::socket_t> socket_;
    std::unique_ptr<zmq::message_t> scratch_;
    std::string unmade_;  ///< Why there is no socket.
    /// Made by bind_to(), removed by close(), because the library leaves it.
    std::string ipc_file_;
    std::uint64_t dropped_ = 0;
    bool has_keys_ = false;
    std::size_t first_bytes_ = 0;
    std::uint16_t port_ = 0;       // If it has keys and is bound.
    Unreceived::Bounds full_;      // Of trusted connections there.
    Unreceived::Amount received_;  // Frames since the last report.
};

}  // namespace muster::net
