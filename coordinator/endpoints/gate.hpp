#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/crypto/key.hpp"
#include "common/log/log.hpp"
#include "common/net/context.hpp"
#include "common/net/endpoint.hpp"
#include "common/net/security/authenticator.hpp"
#include "common/net/security/security.hpp"
#include "coordinator/core/coordinator.hpp"

namespace muster::coordinator {

/// The keys that the daemon found, and how it is reached.
struct Security {
    std::optional<KeyPair> keys;  ///< None: only endpoints on this host, open to all its processes.
    bool is_insecure = false;     ///< An operator wanted it so: status says it.
    PublicKey first_admin{};      ///< Admitted while no name has a key. None: nobody.
    SecretKey orders{};           ///< By it the coordinator knows its own orders again.
    std::string advertise{};      ///< The hosts in addresses for others. Empty: they are found.
    /// Handshakes that one address may begin in a second.
    std::uint32_t handshakes = net::Authenticator::handshakes_per_second;
};

/// Says which keys may connect to which endpoint, as the core knows it.
class Gate {
public:
    Gate(net::Context& context, const Security& security);

    /// Before any endpoint is bound.
    [[nodiscard]] Result<void> open();
    [[nodiscard]] bool has_keys() const { return keys_.has_value(); }
    [[nodiscard]] const PublicKey& key() const { return keys_->open; }
    /// Makes a socket for this endpoint use them; not without keys, and not for ipc, which only
    /// this user reaches.
    void protect(auto& socket, std::string_view endpoint, const std::string& domain) const {
        if (keys_ && net::ipc_path(endpoint).empty()) {
            socket.use({.secret = keys_->secret, .domain = domain});
        }
    }
    /// There is a new core: the next update() takes all of its keys over.
    void begin_anew() { version_.reset(); }
    /// Takes over what changed in the core. True: keys changed.
    [[nodiscard]] bool update(const Coordinator& core, Instant now);
    /// The keys that may connect; null: there was no update(), or there are no keys.
    [[nodiscard]] const std::shared_ptr<const net::KeySet>& agents() const { return agents_; }
    [[nodiscard]] const std::shared_ptr<const net::KeySet>& operators() const { return operators_; }
    [[nodiscard]] net::Authenticator::Counts counts() const { return authenticator_.counts(); }

private:
    /// On the thread of the authenticator.
    void log_refusal(Instant now, const net::Authenticator::Refusal& refusal);

    std::optional<KeyPair> keys_;
    log::RateLimit complaints_;
    net::Authenticator authenticator_;
    std::shared_ptr<const net::KeySet> agents_;
    std::shared_ptr<const net::KeySet> operators_;
    std::optional<std::uint64_t> version_;  // Of the core's keys that were taken over.
};

}  // namespace muster::coordinator
