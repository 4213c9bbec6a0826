#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/limits.hpp"
#include "common/log/log.hpp"
#include "common/messages/operator.hpp"
#include "common/net/security/key_connections.hpp"
#include "common/net/security/peer_rate.hpp"
#include "common/net/unread.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/requests/uploads.hpp"

namespace muster::coordinator {

/// The operators' side of the shell, once over tcp and once over ipc: bytes to requests, replies to
/// bytes. A reply has the envelope and the form of its request:
///
///     version frame, msgpack (or its parts)  ->  the same
///     one frame that begins with `{`         ->  JSON
///     one frame with a line of text          ->  JSON
///
/// Unreadable requests are answered here, so every request gets exactly one reply. A peer that does
/// not read is answered here, too: beyond a bound of bytes that wait for it, its requests get
/// `busy`, and cost nothing.
class OperatorEndpoint {
public:
    /// Of one key: nearly two of the largest uploads. A request above it gets `busy`.
    static constexpr std::uint32_t messages_per_second = 1'000;
    /// Of one key: those of all programs that a team runs at once.
    static constexpr std::size_t connections_of_key = 1'024;

    enum class Form : std::uint8_t { native, json };

    /// For whom it is.
    enum class Door : std::uint8_t {
        local,      ///< Operators of this host.
        network,    ///< Operators who prove their keys.
        enrolment,  ///< Hosts that ask to be admitted.
    };

    struct Asker {
        net::Envelope envelope;
        Form form = Form::native;
        Caller by{};
        std::shared_ptr<const Standby> standby{};  ///< Null: this coordinator leads.
    };
    struct Question {
        Asker asker;
        Request request;
        Digest digest{};       ///< Set for a change in parts.
        std::string upload{};  ///< The bytes of a request in parts, to be decoded elsewhere.
    };
    /// An answer in the bytes of its form; several peers may get the same.
    struct Written {
        std::vector<Shared<std::string>> frames;
        std::size_t bytes = 0;
    };

    /// `unread` is shared by all endpoints of operators.
    OperatorEndpoint(net::Context& context, net::Meter& unread,
                     std::size_t message_bytes = limits::operator_message_bytes);

    /// Before bind(): every peer must prove an admitted key.
    void use(const net::ServerKeys& keys) {
        router_.use(keys);
        door_ = keys.domain == "enrolment" ? Door::enrolment : Door::network;
    }
    [[nodiscard]] Result<std::string> bind(std::string_view endpoint);
    [[nodiscard]] net::Router& socket() { return router_; }

    /// Ends the connections of all other keys, which were admitted before.
    void keep_only(Instant now, std::shared_ptr<const net::KeySet> keys) {
        connections_.keep_only(now, std::move(keys));
    }
    void end_overdue(Instant now) { connections_.end_overdue(now); }

    /// Marks all answers to later messages. Null: this coordinator leads.
    void stand_by(std::shared_ptr<const Standby> standby) { standby_ = std::move(standby); }

    /// Takes one message off the socket. `message`: `into` is a question that needs an answer().
    [[nodiscard]] net::Receipt receive(Instant now, Question& into);
    /// Whether a question reaches the core. False: it was answered here, because it is malformed or
    /// its peer does not read.
    [[nodiscard]] bool admit(Instant now, const Asker& asker, const Result<Request>& request);

    /// Once this is false, every answer is `not_leader`: another coordinator may have changed what
    /// the answer was made from. It is asked when an answer is sent, so an answer that is sent was
    /// true at some time after its request had come.
    void answer_while(std::function<bool()> leads) { leads_ = std::move(leads); }

    void answer(const Asker& asker, const Reply& reply);
    /// Sends what written() made to a peer that asked in the same form under this id.
    void answer(Instant now, const Asker& asker, RequestId id, const Written& written);

    /// Any thread may call it.
    [[nodiscard]] static Written written(const Asker& asker, const Reply& reply);

    void refuse(Instant now, const Asker& asker, const Error& error, RequestId id = {});

    /// Messages that were not requests.
    [[nodiscard]] std::uint64_t undecodable() const { return undecodable_; }
    [[nodiscard]] std::uint64_t unproved() const { return router_.unproved(); }
    [[nodiscard]] std::uint64_t too_fast() const { return rate_.refused(); }
    [[nodiscard]] std::uint64_t ended() const { return connections_.ended(); }

private:
    /// Nothing: a part. `upload` is the request that it completed; empty: more parts must come.
    [[nodiscard]] Result<std::optional<Request>> decode(Instant now, std::string& upload);
    [[nodiscard]] Result<std::optional<Request>> decode_native(Instant now, std::string& upload);
    /// False: its connection ends.
    [[nodiscard]] bool is_of_use();
    /// False: its key sends too many, and this message was answered.
    [[nodiscard]] bool is_in_time(Instant now);
    /// Why a reply of this size may not be sent now; nothing: it may.
    [[nodiscard]] std::optional<Error> obstacle(const Asker& asker, std::size_t bytes) const;
    void send(const Asker& asker, const Written& written);

    Door door_ = Door::local;
    std::function<bool()> leads_ = [] { return true; };
    net::Router router_;
    net::Unread unread_;
    std::shared_ptr<const Standby> standby_;
    net::Message received_;
    Asker asker_;
    Uploads uploads_;
    std::uint64_t undecodable_ = 0;
    log::RateLimit complaints_;
    net::KeyConnections connections_{connections_of_key, net::end_connection};
    net::PeerRate rate_{{.messages = messages_per_second}};
    log::RateLimit rate_complaints_{1, 10s};
};

}  // namespace muster::coordinator
