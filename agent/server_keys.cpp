#include <memory>
#include <utility>

#include "agent/joined.hpp"
#include "agent/server.hpp"
#include "common/crypto/random_key.hpp"
#include "common/net/host/clock.hpp"

// The part of the agent's shell that changes the key of the link.
namespace muster::agent {

void AgentServer::carry_out(KeyOrder order) {
    switch (order) {
        case KeyOrder::make:
            made_ = random_key_pair();
            disk_.write_new_key(*made_);
            return;
        case KeyOrder::keep: disk_.keep_new_key(); return;
        case KeyOrder::use_new:
        case KeyOrder::use_present: begin_link(order == KeyOrder::use_new); return;
    }
}

void AgentServer::begin_link(bool is_new) {
    if (!keys_ || !connected_ || (is_new && !made_)) {
        return;
    }
    const net::ClientKeys keys{.server = keys_->server, .own = is_new ? *made_ : keys_->own};
    if (!links_.tried() || links_.tried()->own.open != keys.own.open) {
        links_.try_keys(keys);
        tries_new_ = is_new;
    }
}

void AgentServer::use_tried_keys(Instant now) {
    uses_new_ = tries_new_;
    log::info("connected with the other key of this host",
              {{"key", fingerprint(uses_new_ ? made_->open : keys_->own.open)}});
    step(now, KeyLinked{uses_new_});
}

void AgentServer::look_at_handshakes(Instant now) {
    while (const auto failed = links_.take_handshake_failure()) {
        log::write(refusals_.limit(Errc::denied), now, log::Level::warn,
                   "no secure connection, trying again",
                   {{"coordinator", failed->endpoint}, {"reason", failure_text(failed->failure)}});
        if (failed->failure == net::HandshakeFailure::refused && failed->is_of_leader) {
            step(now, KeyRefused{});
        }
    }
}

std::string AgentServer::failure_text(net::HandshakeFailure failure) const {
    switch (failure) {
        case net::HandshakeFailure::refused:
            return "the coordinator does not admit the key " +
                   fingerprint(uses_new_ ? made_->open : keys_->own.open) +
                   " of this host: it was revoked or removed; join again with a new token";
        case net::HandshakeFailure::no_answer:
            return "the peer does not prove the key " + fingerprint(keys_->server) +
                   " of the cluster that this host joined: the address is wrong, or the "
                   "coordinator has a new key; if so, join again with a new token";
        case net::HandshakeFailure::temporary: break;
    }
    return "the coordinator takes no connections from this address at the moment";
}

void AgentServer::on_key_written(const AgentInput& input) {
    if (std::holds_alternative<KeyMade>(input)) {
        log::info("made a new key", {{"key", fingerprint(made_->open)}});
    } else if (std::holds_alternative<KeyKept>(input)) {
        keys_->own = *std::exchange(made_, std::nullopt);
        uses_new_ = false;
        log::info("the new key replaced the one before", {{"key", fingerprint(keys_->own.open)}});
    } else if (const auto* failed = std::get_if<KeyNotWritten>(&input)) {
        log::warn("the new key cannot be written, trying again", {{"reason", failed->detail}});
    }
}

}  // namespace muster::agent
