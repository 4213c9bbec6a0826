#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/crypto/key.hpp"

namespace zmq {
class message_t;  // NOLINT(readability-identifier-naming): the name of the library.
class socket_t;   // NOLINT(readability-identifier-naming): the name of the library.
}  // namespace zmq

namespace muster::net {

/// The keys of a socket that binds. Its peers prove theirs, and the Authenticator of this process
/// says for each domain which keys may connect.
struct ServerKeys {
    SecretKey secret;
    std::string domain;  ///< Of ZAP: "agents", "operators", "events", "enrolment".
};

/// The keys of a socket that connects. Only a server with this key can answer.
struct ClientKeys {
    PublicKey server;
    KeyPair own;
};

/// Encryption adds so many bytes to a frame.
inline constexpr std::size_t curve_overhead = 33;
/// The longest command of a handshake of ours has less.
inline constexpr std::size_t handshake_bytes = 512;

/// Only for sockets of this folder: sets the options of CURVE.
[[nodiscard]] Result<void> set_keys(zmq::socket_t& socket, const ServerKeys& keys);
[[nodiscard]] Result<void> set_keys(zmq::socket_t& socket, const ClientKeys& keys);

/// The key that the sender of this frame has proved. Nothing: none.
[[nodiscard]] std::optional<PublicKey> proved_key(zmq::message_t& frame);

}  // namespace muster::net
