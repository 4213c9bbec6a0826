#include "common/net/security/security.hpp"

#include <initializer_list>

#include <zmq.hpp>

namespace muster::net {
namespace {

// Declared only where the library's drafts are, but Debian's build knows it. Without it a handshake
// succeeds when the Authenticator is not there.
constexpr int zap_enforce_domain = 93;
// Many handshakes at once are slow, and one that starts again makes all others slower.
constexpr int keyed_handshake_ms = 30'000;

struct Option {
    int number;
    const void* value;
    std::size_t size;
    const char* name;
};

Result<void> set_all(zmq::socket_t& socket, std::initializer_list<Option> options) {
    for (const Option& option : options) {
        if (zmq_setsockopt(socket.handle(), option.number, option.value, option.size) != 0) {
            return fail(Errc::refused,
                        std::string{"libzmq refuses the option "} + option.name +
                            ", without which keys do not protect: " + zmq_strerror(zmq_errno()));
        }
    }
    return {};
}

}  // namespace

Result<void> set_keys(zmq::socket_t& socket, const ServerKeys& keys) {
    const int yes = 1;
    return set_all(
        socket,
        {{ZMQ_CURVE_SERVER, &yes, sizeof yes, "CURVE_SERVER"},
         {ZMQ_CURVE_SECRETKEY, keys.secret.bytes().data(), SecretKey::size, "CURVE_SECRETKEY"},
         {ZMQ_ZAP_DOMAIN, keys.domain.data(), keys.domain.size(), "ZAP_DOMAIN"},
         {zap_enforce_domain, &yes, sizeof yes, "ZAP_ENFORCE_DOMAIN"},
         {ZMQ_HANDSHAKE_IVL, &keyed_handshake_ms, sizeof keyed_handshake_ms, "HANDSHAKE_IVL"}});
}

Result<void> set_keys(zmq::socket_t& socket, const ClientKeys& keys) {
    return set_all(
        socket,
        {{ZMQ_CURVE_SERVERKEY, keys.server.bytes.data(), PublicKey::size, "CURVE_SERVERKEY"},
         {ZMQ_CURVE_PUBLICKEY, keys.own.open.bytes.data(), PublicKey::size, "CURVE_PUBLICKEY"},
         {ZMQ_CURVE_SECRETKEY, keys.own.secret.bytes().data(), SecretKey::size, "CURVE_SECRETKEY"},
         {ZMQ_HANDSHAKE_IVL, &keyed_handshake_ms, sizeof keyed_handshake_ms, "HANDSHAKE_IVL"}});
}

std::optional<PublicKey> proved_key(zmq::message_t& frame) {
    const char* const user = zmq_msg_gets(frame.handle(), "User-Id");
    return user == nullptr ? std::nullopt : parse_public_key(user);
}

}  // namespace muster::net
