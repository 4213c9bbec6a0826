#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "common/net/context.hpp"

namespace zmq {
class socket_t;  // NOLINT(readability-identifier-naming): the name of the library.
}

namespace muster::net {

/// Why a server did not complete the handshake.
enum class HandshakeFailure : std::uint8_t {
    /// The server does not admit our key. This ended the link for good: see Dealer.
    refused,
    /// Connected, but the other side hung up before the handshake was done: its key is another, it
    /// has no CURVE, or nobody there says who may connect.
    no_answer,
    /// The server cannot decide now, for example after too many handshakes from our address. This
    /// ended the link for good, too.
    temporary,
};

/// Hears from the library how the handshakes of one socket end. Owned by the thread that owns the
/// socket, and stopped before it is closed.
class HandshakeMonitor {
public:
    /// `socket` is one of the library.
    HandshakeMonitor(Context& context, void* socket);
    ~HandshakeMonitor();
    HandshakeMonitor(const HandshakeMonitor&) = delete;
    HandshakeMonitor& operator=(const HandshakeMonitor&) = delete;

    /// The last failure since the last call, if no handshake succeeded after it.
    [[nodiscard]] std::optional<HandshakeFailure> take();

private:
    void* socket_;
    std::unique_ptr<zmq::socket_t> events_;
};

}  // namespace muster::net
