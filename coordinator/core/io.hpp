#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/shared.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/rows.hpp"

/// What goes into the coordinator's core and what comes out of it.
namespace muster::coordinator {

/// A route to one connected agent; the shell's number for it, never used again after it closed.
enum class Session : std::uint64_t {};
/// The shell's number for a request that awaits its one reply.
enum class Ticket : std::uint64_t {};

// ---- inputs ----

struct FromAgent {
    Session session{};
    AgentMessage message;
};
/// The route is gone: a hint, never proof of death.
struct SessionClosed {
    Session session{};
};
/// The agent of this route sent what makes no sense.
struct Undecodable {
    Session session{};
    std::string why{};  ///< A sentence for people.
};
struct FromOperator {
    Ticket ticket{};
    Shared<CoreRequest> request;  ///< Kept by who works on it in several steps.
    Digest digest{};              ///< Of a change, if it is known: a large one takes long.
};
/// Every Persist up to this number is durable.
struct Persisted {
    std::uint64_t number = 0;
};
/// Nothing more becomes durable: all pending is answered with an error and leadership ends.
struct StoreFailed {
    std::string detail;
};
/// Whether our sockets let everybody in. Given when it changes.
struct OwnSockets {
    bool ill = false;
};
/// Civil time at `now`. Given at the start and every few seconds.
struct CivilTime {
    CivilMs at{};
};
/// A deadline passed.
struct Wake {};

using Input = std::variant<FromAgent, SessionClosed, Undecodable, FromOperator, Persisted,
                           StoreFailed, OwnSockets, CivilTime, Wake>;

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

/// To be carried out in this order. What cannot be sent is dropped: it is planned anew.
struct Output {
    std::vector<Persist> persist;
    std::vector<ToAgent> messages;
    std::vector<PollTo> polls;
    std::vector<ReplyTo> replies;
    std::vector<Event> events;
    std::optional<std::string> resign;  ///< Leadership is over, and why. Nothing follows.
    bool closed_round = false;          ///< A round ended with this step.
};

}  // namespace muster::coordinator
