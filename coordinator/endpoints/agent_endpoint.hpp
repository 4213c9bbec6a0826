#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/limits.hpp"
#include "common/base/time.hpp"
#include "common/crypto/key.hpp"
#include "common/log/log.hpp"
#include "common/net/router.hpp"
#include "common/net/security/key_connections.hpp"
#include "common/net/security/peer_rate.hpp"
#include "coordinator/core/coordinator.hpp"
#include "coordinator/endpoints/session_forms.hpp"

namespace muster::coordinator {

/// Messages that an endpoint counted; for tests and benchmarks.
struct Traffic {
    std::uint64_t messages = 0;     ///< Handed to the core.
    std::uint64_t undecodable = 0;  ///< Not one of our messages; answered where possible.
    std::uint64_t foreign = 0;      ///< From a peer that chose its own routing id; answered.
    std::uint64_t unproved = 0;     ///< From a peer that proved no key.
    std::uint64_t too_fast = 0;     ///< From a key that sent too many; dropped.
    std::uint64_t ended = 0;        ///< Connections above those of a key, or of an ended one.
    std::uint64_t slow = 0;         ///< Not sent, because the peer does not read.
};

/// The agents' side of the shell: their bytes become inputs of the core, its outputs become bytes.
///
/// A session is the number of a route that the library made, so it maps to the route without a
/// table. A connection that sends nothing valid costs no memory here. Only sessions that the core
/// welcomed get batches.
class AgentEndpoint {
public:
    /// Of one key. A busy agent sends some tens of messages: a report and an ack in each of 20
    /// rounds a second, and what its host's clients ask for. Its largest message is decoded in some
    /// tens of ms. What is dropped is repeated in the next round.
    static constexpr net::PeerRate::PerSecond at_most{
        .messages = 1'000, .bytes = 8 * limits::agent_message_bytes, .work = 100ms};
    /// Of one key: those of an agent that connects again, and of the one before it.
    static constexpr std::size_t connections_of_key = 4;

    /// `store_key`: of secrets in batches, which it seals for their agents. None: there are none.
    explicit AgentEndpoint(net::Context& context, const SecretKey& store_key = {});

    /// Before bind(): every agent must prove an admitted key.
    void use(const net::ServerKeys& keys) {
        router_.use(keys);
        has_keys_ = true;
    }
    [[nodiscard]] Result<std::string> bind(std::string_view endpoint);
    [[nodiscard]] net::Router& socket() { return router_; }

    /// Ends the connections of all other keys, which were admitted before.
    void keep_only(Instant now, std::shared_ptr<const net::KeySet> keys) {
        connections_.keep_only(now, std::move(keys));
    }
    void end_overdue(Instant now) { connections_.end_overdue(now); }

    /// Takes one message off the socket. `message`: `into` is a FromAgent, whose memory is used
    /// again. The endpoint has answered or dropped every other message.
    [[nodiscard]] net::Receipt receive(Instant now, Input& into);

    /// From now on agents that connect are asked for a hello, and those that are connected already
    /// at once.
    void lead(Instant now);
    /// From now on agents that connect are not answered.
    void stand_by() { leads_ = false; }
    /// How many agents are connected, as far as is known.
    [[nodiscard]] std::size_t connected() const { return connected_.size(); }

    void send(const PollTo& poll);
    void send(Instant now, const ToAgent& message);

    /// Sessions that lost their route since the last call.
    [[nodiscard]] std::vector<Session> take_gone();
    [[nodiscard]] Traffic traffic() const {
        Traffic all = traffic_;
        all.unproved = router_.unproved();
        all.too_fast = rate_.refused();
        all.ended = connections_.ended();
        return all;
    }

private:
    [[nodiscard]] Result<void> decode(AgentMessage& into) const;
    [[nodiscard]] bool received_json() const;
    void remember_form(Session session, const AgentMessage& message);
    /// False: it counts for nothing, because of who sent it, or of what its key sent before.
    [[nodiscard]] bool is_due(Instant now, std::optional<std::uint32_t> route);
    [[nodiscard]] std::size_t received_bytes() const;
    void note_connection(Session session);
    void forget_connection(std::optional<Session> session);
    void refuse(Instant now, Errc code, const std::string& detail);
    void send_bytes(Session session, bool json);
    /// In which form the session gets the message, which may be the answer to its hello.
    [[nodiscard]] SessionForm form_of(const ToAgent& message);
    /// The message as the session gets it. If a batch has secrets, `copy` becomes the batch with
    /// sealed ones; any other message is returned as it is.
    [[nodiscard]] const CoordinatorMessage& sealed(const ToAgent& message, const SessionForm& form,
                                                   CoordinatorMessage& copy) const;

    net::Router router_;
    bool has_keys_ = false;
    bool leads_ = true;
    std::set<Session> connected_;  // As far as is known: who left shows when it is sent something.
    net::Envelope from_;
    net::Envelope to_;
    net::Message received_;
    std::string encoded_;
    SecretKey store_key_;
    SessionForms forms_;
    std::vector<Session> gone_;
    Traffic traffic_;
    log::RateLimit complaints_;
    net::KeyConnections connections_{connections_of_key, net::end_connection};
    net::PeerRate rate_{at_most};
    log::RateLimit rate_complaints_{1, 10s};
};

}  // namespace muster::coordinator
