#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/names.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator/views.hpp"

/// Questions why something is where it is, and what-ifs; and the answers. Codes are stable.
namespace muster {

enum class Subject : std::uint8_t {
    instance,
    task,
    node,
    any,  ///< Whichever of these has the name, if only one has.
    pool,
};
template <>
inline constexpr auto enum_names<Subject> = name_list("instance", "task", "node", "any", "pool");

struct ExplainRequest {
    Subject subject = Subject::any;
    std::string name;  ///< `web.3`, `web`, `n7`.

    friend bool operator==(const ExplainRequest&, const ExplainRequest&) = default;
};

/// The filters' verdict on one node for the instance (of a task: for one more).
struct VerdictView {
    std::string node;
    std::string code;    ///< `home`, `fits`, or the excluding filter: `lost`, `label`, `full`, ...
    std::string detail;  ///< The exact reason, such as the constraint.
    // The score of a node that is not excluded; smaller is better.
    std::uint32_t affinity = 0;
    std::uint32_t spread = 0;
    std::uint32_t load = 0;
    std::string sentence{};  ///< The same for people, after the node's name: `is lost`.

    friend bool operator==(const VerdictView&, const VerdictView&) = default;
};

/// One order, or one change of a node.
struct DecisionView {
    CivilMs at{};
    std::string what;  ///< `start`, `stop`; for a node the topic of the event.
    std::string name;  ///< The instance, or the node.
    std::string node;
    std::string cause;  ///< A code.

    friend bool operator==(const DecisionView&, const DecisionView&) = default;
};

struct ExplainReply {
    Subject subject = Subject::instance;
    std::string name;
    std::string state;  ///< Of the instance, the task or the node.
    std::string node;   ///< The instance's node; empty: none, or the subject is not an instance.
    CivilMs since{};    ///< Start of this state. 0: unknown.
    std::string decided_by;             ///< A filter's or a score's code, or why there is no node.
    std::string detail;                 ///< The same for people.
    std::vector<VerdictView> verdicts;  ///< Of each node, by name.
    std::vector<DecisionView> decisions;  ///< The latest first.

    friend bool operator==(const ExplainReply&, const ExplainReply&) = default;
};

/// A what-if for the planner. Nothing is changed.
struct PlanRequest {
    std::vector<std::string> fail{};  ///< `node=PATTERN` or `LABEL=PATTERN`: these become lost.
    std::vector<std::string> without_tasks{};  ///< Patterns: these are not wanted.
    std::uint32_t add_nodes = 0;               ///< So many join, like one that serves.
    bool rebalance = false;  ///< Balance, even if the cluster does not do so by itself.

    friend bool operator==(const PlanRequest&, const PlanRequest&) = default;
};

/// Balances once, where the cluster does not do so by itself.
struct RebalanceRequest : BareRequest {};
struct RebalanceReply {
    Round round{};  ///< The moves are decided when it closes.

    friend bool operator==(const RebalanceReply&, const RebalanceReply&) = default;
};

struct PlannedMove {
    InstanceId id;
    std::string from;  ///< Empty: it runs nowhere now.
    std::string to;
    std::string cause;  ///< `lost`, `missing`, `balance`, ...

    friend bool operator==(const PlannedMove&, const PlannedMove&) = default;
};

/// Instances of a task that end with their nodes before replacements run.
struct PlannedGap {
    std::string task;
    std::uint32_t down = 0;
    std::uint32_t wanted = 0;

    friend bool operator==(const PlannedGap&, const PlannedGap&) = default;
};

struct PlannedShortage {
    std::string task;
    std::uint32_t count = 0;   ///< Instances without a node in the what-if,
    std::uint32_t before = 0;  ///< and now.
    std::string code;

    friend bool operator==(const PlannedShortage&, const PlannedShortage&) = default;
};

/// The distribution of instances over the serving nodes.
struct PlannedSpread {
    std::uint32_t nodes = 0;
    std::uint32_t least = 0;  ///< Instances on the emptiest node,
    std::uint32_t most = 0;   ///< and on the fullest.
    std::uint64_t instances = 0;

    friend bool operator==(const PlannedSpread&, const PlannedSpread&) = default;
};

/// The effect if the nodes fell silent together. A freeze prevents all planned moves.
struct PlannedFreeze {
    bool on = false;            ///< The cluster would freeze, or is frozen.
    std::uint32_t counted = 0;  ///< Nodes whose silence counts,
    std::uint32_t silent = 0;   ///< and those that would be silent.

    friend bool operator==(const PlannedFreeze&, const PlannedFreeze&) = default;
};

struct PlanReply {
    std::vector<PlannedMove> moves;
    std::uint64_t more_moves = 0;  ///< Not listed ones.
    std::vector<PlannedGap> gaps;
    std::vector<PlannedShortage> shortages;
    PlannedSpread before;
    PlannedSpread after;
    /// Starts and moves that are already decided, so they happen anyway.
    std::uint64_t pending = 0;
    PlannedFreeze freeze{};
    std::uint64_t resting = 0;  ///< Moves for balance, listed or decided, that wait
    Duration rested_in{};       ///< for a cooldown; the last one is over after this.
    std::uint32_t added = 0;    ///< Added nodes,
    std::string added_like;     ///< with the pool, labels and capacity of this one.
    std::string unsettled;      ///< Recent changes still in progress, for people.

    friend bool operator==(const PlanReply&, const PlanReply&) = default;
};

}  // namespace muster
