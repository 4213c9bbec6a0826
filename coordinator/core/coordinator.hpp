#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/message.hpp"
#include "common/operator.hpp"
#include "common/shared.hpp"
#include "common/time.hpp"
#include "coordinator/core/durable.hpp"
#include "coordinator/core/policies.hpp"

namespace muster {

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
};
struct FromOperator {
    Ticket ticket{};
    Request request;
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
    bool closed_term = false;           ///< A term ended with this step.
};

struct CoordinatorOptions {
    Duration term = 1s;
    std::uint32_t lost_after = 3;   ///< Missed polls until a node is lost; at least 2.
    Duration recovery_grace = 18s;  ///< Heartbeat timeout + longest reconnect + handshake + misses.
    Duration lease = 30s;           ///< That an exclusive instance runs without hearing of us.
    Duration max_lost = 24h;        ///< A lost node without placements is forgotten then.
    Duration goodbye_grace = 30s;   ///< So much later than a silent one is lost who said goodbye.
    std::uint32_t loss_rate_percent = 1;  ///< Nodes decided lost per term (at least 1), S9.
    std::uint32_t loss_burst = 10;
    Rebalance rebalance = Rebalance::automatic;
    Duration move_cooldown = 5min;  ///< An instance moved for the balance stays that long.
    bool stop_strays = false;       ///< Else they are listed and left alone.
    Duration max_flaky = 15min;     ///< The longest suspension; the first takes 30 s.
    FlakyTasks flaky_tasks = FlakyTasks::keep;
    bool listed_only = false;  ///< Only names that operators listed may join.
    std::string version;
};

/// The leader's whole mind: who is there, what is wanted, what is reported, what to order.
///
///     message or request -> state -> plan -> commands, polls, persist, replies, events
///
/// Pure: no clock, no I/O, no thread. One instance is one leadership: `image.meta` already holds
/// its epoch and leader id, written by the store in the transaction that won it.
class Coordinator {
public:
    Coordinator(Instant now, CoordinatorOptions options, const StoreImage& image);
    ~Coordinator();
    Coordinator(const Coordinator&) = delete;
    Coordinator& operator=(const Coordinator&) = delete;

    [[nodiscard]] Output step(Instant now, const Input& input);

    /// When step() wants to be called next, if no input comes earlier.
    [[nodiscard]] Instant next_deadline() const;

private:
    friend struct CoreFields;  // Which records it.

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace muster
