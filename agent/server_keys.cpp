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

// The link in use stays until the other one carries messages, so that no poll is missed.
void AgentServer::begin_link(bool is_new) {
    if (!keys_ || !connected_ || (is_new && !made_) || (next_ && next_is_new_ == is_new)) {
        return;
    }
    end_next_link();
    auto options = net::agent_dealer(random_);
    options.keys = net::ClientKeys{.server = keys_->server, .own = is_new ? *made_ : keys_->own};
    next_ = std::make_unique<net::Dealer>(context_, options);
    next_is_new_ = is_new;
    loop_.watch(*next_, [this, link = next_.get()](Instant now) { return receive(now, *link); });
    if (const auto connected = next_->connect(settings_.coordinator); !connected) {
        log::warn("cannot connect with the other key", {{"reason", connected.error().detail}});
        end_next_link();
    }
}

void AgentServer::end_next_link() {
    if (next_) {
        loop_.forget(*next_);
        next_.reset();
    }
}

void AgentServer::take_over_next_link(Instant now) {
    loop_.forget(*dealer_);
    dealer_ = std::move(next_);
    uses_new_ = next_is_new_;
    unlinked_.reset();
    log::info("connected with the other key of this host",
              {{"key", fingerprint(uses_new_ ? made_->open : keys_->own.open)}});
    step(now, KeyLinked{uses_new_});
}

void AgentServer::look_at_handshakes(Instant now) {
    if (next_ && next_->take_handshake_failure()) {
        end_next_link();  // The core begins another one if it is still needed.
    }
    while (const auto failure = dealer_->take_handshake_failure()) {
        log::write(refusals_.limit(Errc::denied), now, log::Level::warn,
                   "no secure connection, trying again",
                   {{"coordinator", settings_.coordinator}, {"reason", failure_text(*failure)}});
        if (*failure == net::HandshakeFailure::refused) {
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
