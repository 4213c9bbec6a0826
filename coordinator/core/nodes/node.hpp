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

/// The store that a node reports to know. If that is above ours, the node is *ahead*.
struct Claim {
    ClusterId cluster;
    Epoch epoch{};
    Generation counter{};
};

/// How reliable a node is. Derived, never stored.
enum class Health : std::uint8_t {
    healthy,
    unready,  ///< Not able: a new life, a suspension just over, or a failed check.
    flaky,    ///< Suspended.
    lost,     ///< It does not answer, or it left.
};

/// The row of a node in the store, without its name.
struct Recorded {
    Incarnation incarnation{};
    bool lost = false;
    bool gone = false;
    bool ahead = false;

    friend bool operator==(const Recorded&, const Recorded&) = default;
};
[[nodiscard]] Recorded recorded(const StoredNode& row);

// ---- the facts of a node: one class changes each part ----

/// Facts that only the registry changes.
struct RegistryFacts {
    std::string name;  ///< Empty: the slot is free.
    std::optional<Session> session;
    PublicKey key{};    ///< That its session proved.
    Sequence issued{};  ///< Of the last batch. It never restarts, so a new life needs no reset.
    bool from_store = false;            ///< The node is older than this leadership.
    bool counts_toward_freeze = false;  ///< It had wanted work, or an operator named it.
    bool touched = false;               ///< It is in the list of NodeRegistry::take_touched().
};

/// The facts that decide its health and its work. After the record has begun, only
/// NodeRegistry::transition() changes them.
struct LifecycleFacts {
    bool lost = false;                       ///< Decided, and no message since.
    bool gone = false;                       ///< It left, and sent no message since.
    bool able = false;                       ///< Its readiness check passed in this life.
    bool ahead = false;                      ///< It knows another store: it gets no orders.
    std::optional<Instant> suspended_until;  ///< While the node is suspended.
    Intent intent = Intent::active;
    /// Listed: its record stays, even if the node never joins.
    Admission admission = Admission::open;
    CivilMs since{};  ///< When its present health and intent began.
};

/// The life of the agent that we know.
struct LifeFacts {
    using Writer = class Membership;
    Incarnation incarnation{};            ///< The last one accepted.
    LifeId life;                          ///< None until a hello of this leadership.
    bool left_instances_running = false;  ///< When it left.
    bool lacks_proofs =
        false;  ///< Its agent keeps no proofs of orders, and the cluster needs them.
};

/// Whether its key is being replaced.
struct KeyFacts {
    using Writer = class KeyRenewals;
    bool renew_key = false;  ///< Its polls ask for a new key.
};

/// Two lives claim its name.
struct ConflictFacts {
    using Writer = class NameConflicts;
    bool in_conflict = false;  ///< The old one is being polled.
};

/// How it answers polls.
struct PollFacts {
    using Writer = class PollRounds;
    Round polled_round{};          ///< The round of the last poll sent.
    Sequence polled_issued{};      ///< The last sequence number in that poll.
    Round answered_in{};           ///< The last round that it answered.
    bool polled_at_start = false;  ///< It had the whole round to answer.
    bool answer_pending = false;   ///< It has not answered that poll yet.
    std::uint32_t misses = 0;      ///< Rounds missed in a row, until its loss.
    /// Polls among these that it missed on the present connection.
    std::uint32_t connection_misses = 0;
    std::uint32_t silent_routes = 0;  ///< Connections in a row on which it did not answer.
};

/// Set when it missed too many polls. Both facts end with its next answer.
struct SilenceFacts {
    using Writer = class Liveness;
    bool silent = false;    ///< It gets no new instances, and its instances are unconfirmed.
    bool given_up = false;  ///< An operator ended the freeze in which it was silent.
};

struct RecoveryFacts {
    using Writer = class Recovery;
    bool awaited = false;  ///< Recovery waits for its first snapshot.
};

/// Whether it obeys the orders that it answers.
struct ComplianceFacts {
    using Writer = class Suspension;
    std::uint8_t disobeyed = 0;  ///< Answers in a row that show orders without effect.
};

struct ReadinessFacts {
    using Writer = class NodeReadiness;
    std::uint64_t ignored_checks = 0;  ///< This many first checks of this life no longer count.
};

/// What we know of its instances.
struct CopyFacts {
    using Writer = class Copies;
    Revision
        known_revision{};  ///< Revision of its instances as we know them. 0: a snapshot is needed.
    Sequence resolved_up_to{};  ///< Its answers have decided the orders up to this number.
    bool reported = false;      ///< This life has sent a snapshot.
    /// Its instances vanished. Unless it leaves, this adds to its flap score.
    bool vanished = false;
};

/// Its row in the store.
struct RowFacts {
    using Writer = class NodeRows;
    Recorded durable;          ///< The row that the store has confirmed.
    bool row_pending = false;  ///< A write of its row is pending. The next write waits.
    bool forgetting = false;   ///< Its row is being erased.
};

/// Facts from the hello of its agent.
struct HelloFacts {
    using Writer = class Membership;
    std::string version;
    Claim claim;
    std::vector<LimitFact> limits;
    CapacityFrom capacity_from;
    bool keeps_proofs = false;
};

/// Facts from the last answer of its agent.
struct AnswerFacts {
    using Writer = class Reports;
    CivilMs last_answer{};
    HostFacts host;
    HostVitals vitals;  ///< As last reported.
    /// Milliseconds ahead of our clock, including the network delay.
    std::int64_t clock_ahead = 0;
    /// Why its last message was invalid, or answered no poll. Empty: the message was valid.
    std::string bad_report;
    Round bad_report_event_round{};  ///< The round of the last event about a bad report.
};

/// What an agent reported about itself and its host in this leadership.
struct AgentFacts : HelloFacts, AnswerFacts {};
/// Empty before its first hello.
struct ReportedFacts {
    Boxed<AgentFacts> agent_facts;
};

/// The record of one node: facts only. NodeRegistry::edit() gives each writer its own part. Many
/// nodes may never send a message, so the facts from agents are in a separate allocation.
struct Node : RegistryFacts,
              LifecycleFacts,
              LifeFacts,
              KeyFacts,
              ConflictFacts,
              PollFacts,
              SilenceFacts,
              RecoveryFacts,
              ComplianceFacts,
              ReadinessFacts,
              CopyFacts,
              RowFacts,
              ReportedFacts {};

/// Opens one part of a node's record. Only the class that writes this part can make the key.
template <class Facts>
class WriteKey {
    friend typename Facts::Writer;
    explicit WriteKey() = default;
};

/// Decided lost, or left. After a departure its copies still count for a while.
[[nodiscard]] bool is_lost(const Node& node);
/// Silent, or lost.
[[nodiscard]] bool is_silent(const Node& node);
/// Silent, but not lost and not left: its instances are as it last reported them.
[[nodiscard]] bool is_unconfirmed(const Node& node);
/// The first that fits: lost, flaky, unready, healthy.
[[nodiscard]] Health health_of(const Node& node);
/// Healthy, active and not ahead, and it keeps proofs of orders if it must.
[[nodiscard]] bool may_serve(const Node& node);
/// may_serve() and not silent: it may get new instances.
[[nodiscard]] bool is_serving(const Node& node);
/// Orders may go to it: it is connected, has reported, is not ahead, and its present row is
/// durable.
[[nodiscard]] bool is_commandable(const Node& node);
/// Its copies count unless its loss is decided and durable.
[[nodiscard]] bool is_counted(const Node& node);
/// Its instances are unknown: it is older than this leadership and has not reported in it.
[[nodiscard]] bool is_unknown(const Node& node);
/// The row that the store should have.
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
