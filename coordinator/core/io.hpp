#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/shared.hpp"
#include "common/base/time.hpp"
#include "common/crypto/key.hpp"
#include "common/messages/message.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/pools/providers/provider_calls.hpp"
#include "coordinator/core/rows.hpp"

/// What goes into the coordinator's core and what comes out of it.
namespace muster::coordinator {

/// The shell's number for the connection of one agent. It is never used again after the close.
enum class Session : std::uint64_t {};
/// The shell's number for a request that waits for its one reply.
enum class Ticket : std::uint64_t {};

/// Who sent a message, as its socket knows. By default nobody.
struct Caller {
    bool is_local = false;  ///< Its socket is open to the operators of this host only.
    /// It belongs to a host that enrols: any key may connect there.
    bool is_enrolling = false;
    PublicKey key{};  ///< Proved by CURVE.

    friend bool operator==(const Caller&, const Caller&) = default;
};

// ---- inputs ----

struct FromAgent {
    Session session{};
    AgentMessage message;
    Caller by{.is_local = true};  ///< Only a hello needs it.
};
/// The connection closed: a hint, never a proof that the agent died.
struct SessionClosed {
    Session session{};
};
/// The agent of this connection sent a message that cannot be decoded.
struct Undecodable {
    Session session{};
    std::string why{};  ///< A sentence for people.
};
struct FromOperator {
    Ticket ticket{};
    Shared<CoreRequest> request;  ///< Shared, because some handlers need several steps for it.
    Digest digest{};  ///< Of a change, if it is known: computing it takes long for a large change.
    Caller by{.is_local = true};
};
/// The shell refused a request, because its caller may not send it.
struct Denied {
    Caller by{};
    RequestId request{};
    std::string verb{};
    Error why{};
};
/// Every Persist up to this number is durable.
struct Persisted {
    std::uint64_t number = 0;
};
/// Nothing more becomes durable: all pending requests get an error, and the leadership ends.
struct StoreFailed {
    std::string detail;
};
/// Whether our sockets accept connections. Given when this changes.
struct OwnSockets {
    bool ill = false;
};
/// How far the local time of a zone is from UTC, in seconds. Negative: west of Greenwich.
struct ZoneOffset {
    std::string zone;
    std::int32_t offset_s = 0;

    friend bool operator==(const ZoneOffset&, const ZoneOffset&) = default;
};
/// Civil time at `now`. Given at the start and every few seconds, so the offsets need not say when
/// they change next.
struct CivilTime {
    CivilMs at{};
    std::vector<ZoneOffset> zones{};  ///< That the core needs, except UTC, and the shell knows.
};
/// The one answer to an OutsideCall.
struct OutsideAnswer {
    std::uint64_t number = 0;  ///< Of the call.
    OutsideResult result;
};
/// A deadline passed.
struct Wake {};

using Input = std::variant<FromAgent, SessionClosed, Undecodable, FromOperator, Denied, Persisted,
                           StoreFailed, OwnSockets, CivilTime, OutsideAnswer, Wake>;

// ---- outputs ----

struct PollTo {
    Session session{};
    Poll poll;
};
struct ToAgent {
    Session session{};
    CoordinatorMessage message;
};
struct ReplyTo {
    Ticket ticket{};
    Shared<Reply> reply;
};

/// The shell carries this out in this order. It drops what it cannot send, because that is planned
/// again.
struct Output {
    std::vector<Persist> persist;
    std::vector<ToAgent> messages;
    std::vector<PollTo> polls;
    std::vector<ReplyTo> replies;
    std::vector<Event> events;
    std::vector<OutsideCall> calls;
    std::optional<std::string> resign;  ///< The leadership is over, and why. No output follows.
    bool closed_round = false;          ///< A round ended with this step.
    /// For the recorder: the results of the checks of proofs in this step, as OrderProofs gives
    /// them.
    std::string proof_checks{};
};

}  // namespace muster::coordinator
