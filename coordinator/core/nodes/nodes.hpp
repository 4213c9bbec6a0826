#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/boxed.hpp"
#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/nodes/node_set.hpp"
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
    bool contested = false;           ///< Another life wants the name; the old one is being asked.

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

/// All nodes, in dense slots, by name and by session.
///
/// A slot is used again once its node was forgotten. Whoever changes a fact from which something
/// is derived calls touch(); the step ends by bringing store and placements up to date for those.
///
/// Pure: no clock, no I/O, no thread. Owned by Coordinator.
class Nodes {
    struct ByName {
        using is_transparent = void;
        const std::deque<Node>* slots;

        [[nodiscard]] std::string_view name(NodeIndex index) const {
            return (*slots)[raw(index)].name;
        }
        [[nodiscard]] static std::string_view name(std::string_view name) { return name; }
        [[nodiscard]] bool operator()(const auto& left, const auto& right) const {
            return name(left) < name(right);
        }
    };

public:
    explicit Nodes(std::span<const StoredNode> stored);
    Nodes(const Nodes&) = delete;
    Nodes& operator=(const Nodes&) = delete;
    ~Nodes() = default;

    [[nodiscard]] std::optional<NodeIndex> find(std::string_view name) const;
    [[nodiscard]] std::optional<NodeIndex> find(Session session) const;
    [[nodiscard]] Node& operator[](NodeIndex index);
    [[nodiscard]] const Node& operator[](NodeIndex index) const;
    [[nodiscard]] std::size_t count() const { return by_name_.size(); }
    /// In the order of their names.
    [[nodiscard]] const std::set<NodeIndex, ByName>& by_name() const { return by_name_; }

    /// Calls `see(index, node)` for each, in the order of slots: in memory they lie so.
    void each(auto&& see) const {
        std::uint32_t slot = 0;
        for (const Node& node : slots_) {
            if (!node.name.empty()) {
                see(NodeIndex{slot}, node);
            }
            ++slot;
        }
    }

    NodeIndex add(std::string_view name);
    void remove(NodeIndex index);

    /// The node is reached by this session from now on; whoever had it before is not. A new route
    /// may miss polls anew, but only so many in a row: who always comes and never answers is
    /// silent.
    void attach(NodeIndex index, Session session);
    void detach(NodeIndex index);

    /// The roll: the slots of all that have a route or are not lost. Terms are about these: who is
    /// lost and has no route is asked nothing, misses nothing, and costs a term nothing.
    [[nodiscard]] const NodeSet& roll() const { return roll_; }
    /// Takes it off the roll, to which its next route brings it back.
    void strike(NodeIndex index);

    void touch(NodeIndex index);
    [[nodiscard]] std::vector<NodeIndex> take_touched();

    static constexpr std::uint32_t silent_routes_borne = 8;

private:
    friend struct CoreFields;  // Which records it.

    std::deque<Node> slots_;  // They never move, and there is none too many.
    std::vector<NodeIndex> free_;
    std::set<NodeIndex, ByName> by_name_{ByName{&slots_}};
    std::unordered_map<Session, NodeIndex> by_session_;  // Looked up only, never iterated.
    NodeSet roll_;  // By index. Who has become lost is struck off when the next term opens.
    std::vector<NodeIndex> touched_;
};

}  // namespace muster::coordinator
