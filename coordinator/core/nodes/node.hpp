#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/boxed.hpp"
#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

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
[[nodiscard]] std::string_view to_string(Health health);

[[nodiscard]] std::string_view to_string(Intent intent);

/// What the store knows of a node besides its name.
struct Recorded {
    Incarnation incarnation{};
    bool lost = false;
    bool gone = false;
    bool ahead = false;

    friend bool operator==(const Recorded&, const Recorded&) = default;
};
[[nodiscard]] Recorded recorded(const StoredNode& row);

/// What an agent said of itself and its host in this leadership.
struct Said {
    std::string version;
    Claim claim;
    HostFacts host;
    std::vector<LimitFact> limits;
    CapacityFrom capacity_from;
    HostVitals vitals;             ///< As last said.
    std::int64_t clock_ahead = 0;  ///< Milliseconds before our own, with the time of the way.
};

/// The record of one node: facts only. What follows from them is derived below. There may be many
/// of which nothing is heard for long: what only an agent can say is apart, and small things lie
/// beside each other.
struct Node {
    std::string name;  ///< Empty: the slot is free.

    // Who it is.
    Incarnation incarnation{};  ///< The last one welcomed.
    LifeId life;                ///< None until a hello of this leadership.
    std::optional<Session> session;

    // What it said of itself.
    Revision held{};        ///< Of its instances, as we hold them. 0: ask for a snapshot.
    bool reported = false;  ///< A snapshot of this life came.
    CivilMs last_answer{};
    Boxed<Said> said;  ///< Nothing, before its first hello.

    // Whether it answers.
    Term asked{};                     ///< The term of the last poll sent.
    Sequence asked_issued{};          ///< What that poll said was issued.
    bool asked_at_start = false;      ///< It had the whole term to answer.
    bool awaiting = false;            ///< That poll is not answered yet.
    Term answered_in{};               ///< The last term in which it answered.
    std::uint32_t misses = 0;         ///< Terms missed in a row, up to its loss.
    std::uint32_t route_misses = 0;   ///< Of these, polls missed on the present route.
    std::uint32_t silent_routes = 0;  ///< Routes in a row on which it has not answered yet.
    std::uint64_t stale_checks = 0;   ///< So many checks of this life prove nothing any more.
    std::uint8_t disobeyed = 0;       ///< Answers in a row by which orders had come to nothing.
    bool vanished = false;   ///< What it ran is gone: if it does not leave, it is to blame.
    bool contested = false;  ///< Another life wants the name; the old one is being asked.

    // What its health and its work follow from. Changed by the table of transitions alone.
    bool lost = false;                     ///< Decided, and not heard since.
    bool gone = false;                     ///< Said goodbye, and not heard since.
    bool leaves_work = false;              ///< With its goodbye: what it ran runs on.
    bool able = false;                     ///< Its readiness check passed, in this life.
    std::optional<Instant> penalty_until;  ///< While one runs.
    Intent intent = Intent::active;
    Admission admission = Admission::open;  ///< Listed: its record stays, if it comes or not.
    bool ahead = false;        ///< Knows a later or another store: nothing is ordered there.
    bool at_stake = false;     ///< It had wanted work, or an operator decided something of it.
    bool passed_over = false;  ///< Silent, and not lost yet: it gets nothing new until it answers.
    CivilMs since{};           ///< Of its health and intent as they are.

    // What it was told.
    Sequence issued{};   ///< Of the last batch; never restarts, so a new life needs no reset.
    Sequence settled{};  ///< Up to here its answers have shown what became of the orders.

    // What the store knows of it.
    bool forgetting = false;   ///< Its row is being erased.
    bool row_pending = false;  ///< A write of its row is on its way: the next waits for it.
    Recorded durable;          ///< The row the store has confirmed.
    bool awaited = false;      ///< Recovery waits for its first snapshot.
    bool from_store = false;   ///< Older than this leadership.
    bool touched = false;      ///< In the list of Nodes::take_touched().
};

/// Not answering: decided so, or by its own goodbye, after which its copies still count for a
/// while.
[[nodiscard]] bool is_lost(const Node& node);
/// The first that fits: lost, flaky, unready, healthy.
[[nodiscard]] Health health_of(const Node& node);
/// Healthy, active, and its store is ours.
[[nodiscard]] bool may_serve(const Node& node);
/// May receive new instances: it also answers, if there is a freeze.
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
[[nodiscard]] const Said& said_by(const Node& node);
/// As above, to be written to.
[[nodiscard]] Said& heard_from(Node& node);

}  // namespace muster::coordinator
