#pragma once

#include <cstdint>
#include <sodium.h>
#include <string>

#include "common/crypto/random_key.hpp"
#include "common/net/security/security.hpp"
#include "tests/unit/common/net/raw_peer.hpp"

namespace muster::zmtp {

/// A peer with a key that sends what no library would: CurveZMQ byte by byte
/// (rfc.zeromq.org/spec/26).
class CurvePeer : public RawLink {
public:
    /// Does the handshake, unless the other side ends it.
    CurvePeer(const std::string& endpoint, const net::ClientKeys& keys,
              const std::string& socket_type = "DEALER")
        : RawLink{endpoint}, keys_{keys} {
        send_hello();
        if (read_welcome()) {
            send(frame(initiate(metadata(socket_type)), command));
            REQUIRE(has_sent_all());
            is_admitted_ = receive_frame().starts_with("\x05READY");
        }
    }

    [[nodiscard]] bool is_admitted() const { return is_admitted_; }

    /// A frame with its flags inside of the encryption.
    [[nodiscard]] std::string sealed(const std::string& body, char flags = 0) {
        // The flag of a command is another one there.
        const char inner = static_cast<char>((flags & more) | ((flags & command) != 0 ? 2 : 0));
        return frame(boxed("\x07MESSAGE", "CurveZMQMESSAGEC", inner + body, server_));
    }
    [[nodiscard]] std::string sealed_ping() {
        return sealed(std::string{"\x04PING\0\0", 7}, command);
    }

private:
    /// The name of a command, its short nonce, and a box for this key from our passing key.
    std::string boxed(const std::string& name, const std::string& prefix, const std::string& text,
                      const PublicKey& to) {
        const std::string nonce = next_nonce();
        return name + nonce + box(prefix + nonce, text, to, passing_.secret);
    }

    static std::string box(const std::string& nonce, const std::string& text, const PublicKey& to,
                           const SecretKey& from) {
        std::string sealed(text.size() + crypto_box_MACBYTES, '\0');
        REQUIRE(nonce.size() == crypto_box_NONCEBYTES);
        REQUIRE(crypto_box_easy(bytes(sealed), bytes(text), text.size(), bytes(nonce),
                                to.bytes.data(), from.bytes().data()) == 0);
        return sealed;
    }

    void send_hello() {
        send(greeting(3, "CURVE"));
        const std::string head = std::string{"\x05HELLO\1\0", 8} + std::string(72, '\0');
        send(frame(head + text(passing_.open) +
                       boxed("", "CurveZMQHELLO---", std::string(64, '\0'), keys_.server),
                   command));
        REQUIRE(has_sent_all());
    }

    /// False: there was none.
    bool read_welcome() {
        static_cast<void>(receive(greeting().size()));
        const std::string welcome = receive_frame();
        if (welcome.size() != 168) {
            return false;
        }
        std::string opened(128, '\0');
        const std::string nonce = "WELCOME-" + welcome.substr(8, 16);
        const std::string sealed = welcome.substr(24);
        REQUIRE(crypto_box_open_easy(bytes(opened), bytes(sealed), sealed.size(), bytes(nonce),
                                     keys_.server.bytes.data(),
                                     passing_.secret.bytes().data()) == 0);
        std::copy_n(opened.begin(), PublicKey::size, server_.bytes.begin());
        cookie_ = opened.substr(PublicKey::size);
        return true;
    }

    std::string initiate(const std::string& about) {
        const std::string vouch_nonce(16, 'n');
        const std::string vouch =
            box("VOUCH---" + vouch_nonce, text(passing_.open) + text(keys_.server), server_,
                keys_.own.secret);
        return "\x08INITIATE" + cookie_ +
               boxed("", "CurveZMQINITIATE", text(keys_.own.open) + vouch_nonce + vouch + about,
                     server_);
    }

    static std::string metadata(const std::string& socket_type) {
        const std::string size{'\0', '\0', '\0', static_cast<char>(socket_type.size())};
        return "\x0bSocket-Type" + size + socket_type;
    }

    std::string next_nonce() {
        std::string eight(8, '\0');
        ++nonces_;
        for (std::size_t i = 0; i < 8; ++i) {
            eight[7 - i] = static_cast<char>(nonces_ >> (8 * i) & 0xffU);
        }
        return eight;
    }

    static std::string text(const PublicKey& key) { return {key.bytes.begin(), key.bytes.end()}; }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libsodium asks for it.
    static unsigned char* bytes(std::string& text) {
        return reinterpret_cast<unsigned char*>(text.data());
    }
    static const unsigned char* bytes(const std::string& text) {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libsodium asks for it.
        return reinterpret_cast<const unsigned char*>(text.data());
    }

    net::ClientKeys keys_;
    KeyPair passing_ = random_key_pair();
    PublicKey server_;  // Its passing key.
    std::string cookie_;
    std::uint64_t nonces_ = 0;
    bool is_admitted_ = false;
};

}  // namespace muster::zmtp
