#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/boxed.hpp"
#include "common/base/ids.hpp"
#include "common/base/names.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

using muster::to_string;  // The names of enums. Others of this namespace would hide it.

/// What a node says it has seen of any store. Above ours, it is *ahead*.
struct Claim {
    ClusterId cluster;
    Epoch epoch{};
    Generation counter{};
};

/// How far a node can be relied upon. Derived, never stored.
enum class Health : std::uint8_t {
    healthy,
    unready,  ///< Not able: a new life, a penalty just over, or a failed check.
    flaky,    ///< A penalty runs.
    lost,     ///< Not answering.
};

/// What the store knows of a node besides its name.
struct Recorded {
    Incarnation incarnation{};
    bool lost = false;
    bool gone = false;
    bool ahead = false;

    friend bool operator==(const Recorded&, const Recorded&) = default;
};
[[nodiscard]] Recorded recorded(const StoredNode& row);

// ---- the facts of a node, each part with the one class that changes it ----

/// What the registry keeps of its own.
struct RegistryFacts {
    std::string name;  ///< Empty: the slot is free.
    std::optional<Session> session;
    Sequence issued{};        ///< Of the last batch; never restarts, so a new life needs no reset.
    bool from_store = false;  ///< Older than this leadership.
    bool counts_toward_freeze = false;  ///< It had wanted work, or an operator decided of it.
    bool touched = false;               ///< In the list of NodeRegistry::take_touched().
};

/// What its health and its work follow from. Changed by the table of transitions alone, once the
/// record has begun: NodeRegistry::transition().
struct LifecycleFacts {
    bool lost = false;                     ///< Decided, and not heard since.
    bool gone = false;                     ///< Said goodbye, and not heard since.
    bool able = false;                     ///< Its readiness check passed, in this life.
    bool ahead = false;                    ///< Knows another store: nothing is ordered there.
    std::optional<Instant> penalty_until;  ///< While one runs.
    Intent intent = Intent::active;
    Admission admission = Admission::open;  ///< Listed: its record stays, if it comes or not.
    CivilMs since{};                        ///< Of its health and intent as they are.
};

/// Which life of it we know.
struct LifeFacts {
    using Writer = class Membership;
    Incarnation incarnation{};            ///< The last one welcomed.
    LifeId life;                          ///< None until a hello of this leadership.
    bool left_instances_running = false;  ///< With its goodbye.
};

/// Two lives want its name.
struct ConflictFacts {
    using Writer = class NameConflicts;
    bool contested = false;  ///< The old one is being asked.
};

/// How it answers polls.
struct PollFacts {
    using Writer = class PollRounds;
    Round asked{};                    ///< The round of the last poll sent.
    Sequence asked_issued{};          ///< What that poll said was issued.
    Round answered_in{};              ///< The last round in which it answered.
    bool asked_at_start = false;      ///< It had the whole round to answer.
    bool awaiting = false;            ///< That poll is not answered yet.
    std::uint32_t misses = 0;         ///< Rounds missed in a row, up to its loss.
    std::uint32_t route_misses = 0;   ///< Of these, polls missed on the present route.
    std::uint32_t silent_routes = 0;  ///< Routes in a row on which it has not answered yet.
};

/// That it missed too many polls. Both facts end with its next answer.
struct SilenceFacts {
    using Writer = class Liveness;
    bool silent = false;    ///< It gets nothing new, and what it runs is unconfirmed.
    bool given_up = false;  ///< An operator ended the freeze in which it was silent.
};

struct RecoveryFacts {
    using Writer = class Recovery;
    bool awaited = false;  ///< Recovery waits for its first snapshot.
};

/// What became of the orders that it answered to.
struct ObedienceFacts {
    using Writer = class Suspension;
    std::uint8_t disobeyed = 0;  ///< Answers in a row by which orders had come to nothing.
};

struct ReadinessFacts {
    using Writer = class NodeReadiness;
    std::uint64_t stale_checks = 0;  ///< So many checks of this life prove nothing any more.
};

/// How far we know what it runs.
struct CopyFacts {
    using Writer = class Copies;
    Revision held{};        ///< Of its instances, as we hold them. 0: ask for a snapshot.
    Sequence settled{};     ///< Up to here its answers have shown what became of the orders.
    bool reported = false;  ///< A snapshot of this life came.
    bool vanished = false;  ///< What it ran is gone: if it does not leave, it is to blame.
};

/// What the store knows of it.
struct RowFacts {
    using Writer = class NodeRows;
    Recorded durable;          ///< The row the store has confirmed.
    bool row_pending = false;  ///< A write of its row is on its way: the next waits for it.
    bool forgetting = false;   ///< Its row is being erased.
};

/// What its agent said with its hello.
struct HelloFacts {
    using Writer = class Membership;
    std::string version;
    Claim claim;
    std::vector<LimitFact> limits;
    CapacityFrom capacity_from;
};

/// What its agent said with its last answer.
struct AnswerFacts {
    using Writer = class Reports;
    CivilMs last_answer{};
    HostFacts host;
    HostVitals vitals;             ///< As last said.
    std::int64_t clock_ahead = 0;  ///< Milliseconds before our own, with the time of the way.
    /// Why the last message of it made no sense, or answered nothing. Empty: it was sound.
    std::string bad_report;
    Round bad_report_told{};  ///< The round of the last event about that.
};

/// What an agent said of itself and its host in this leadership.
struct AgentFacts : HelloFacts, AnswerFacts {};
/// Nothing, before its first hello.
struct SaidFacts {
    Boxed<AgentFacts> said;
};

/// The record of one node: facts only. Who reads it need not know who writes what; a writer is
/// given its own part, by NodeRegistry::edit(). There may be many of which nothing is heard for
/// long: what only an agent can say is apart.
struct Node : RegistryFacts,
              LifecycleFacts,
              LifeFacts,
              ConflictFacts,
              PollFacts,
              SilenceFacts,
              RecoveryFacts,
              ObedienceFacts,
              ReadinessFacts,
              CopyFacts,
              RowFacts,
              SaidFacts {};

/// Opens one part of every node. Only the class that writes it can make the key.
template <class Facts>
class WriteKey {
    friend typename Facts::Writer;
    explicit WriteKey() = default;
};

/// Not answering: decided so, or by its own goodbye, after which its copies still count for a
/// while.
[[nodiscard]] bool is_lost(const Node& node);
/// Silent, or lost.
[[nodiscard]] bool is_silent(const Node& node);
/// Silent, and neither lost nor gone: its instances are as it said last.
[[nodiscard]] bool is_unconfirmed(const Node& node);
/// The first that fits: lost, flaky, unready, healthy.
[[nodiscard]] Health health_of(const Node& node);
/// Healthy, active, and its store is ours.
[[nodiscard]] bool may_serve(const Node& node);
/// May receive new instances: it also is not silent.
[[nodiscard]] bool is_serving(const Node& node);
/// Orders may go to it: besides, there is a route, and this life of it is on record.
[[nodiscard]] bool is_commandable(const Node& node);
/// Its copies count unless the loss is decided and on record.
[[nodiscard]] bool is_counted(const Node& node);
/// Nobody knows what it runs: it is older than this leadership and has not reported in it.
[[nodiscard]] bool is_unknown(const Node& node);
/// The row as it should be in the store.
[[nodiscard]] Recorded row_of(const Node& node);
[[nodiscard]] StoredNode stored(const Node& node);
[[nodiscard]] const AgentFacts& facts_of(const Node& node);

}  // namespace muster::coordinator

template <>
inline constexpr auto muster::enum_names<muster::coordinator::Health> =
    muster::name_list("healthy", "unready", "flaky", "lost");

template <>
inline constexpr auto muster::enum_names<muster::coordinator::Intent> =
    muster::name_list("active", "draining", "offline");
