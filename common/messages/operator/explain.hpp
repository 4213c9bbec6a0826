#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/names.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator/views.hpp"

/// Asked why something is where it is, and what would be if; and the answers. Codes are stable.
namespace muster {

enum class Subject : std::uint8_t {
    instance,
    task,
    node,
    any,  ///< Whichever has the name: only one may.
};
template <>
inline constexpr auto enum_names<Subject> = name_list("instance", "task", "node", "any");

struct ExplainRequest {
    Subject subject = Subject::any;
    std::string name;  ///< `web.3`, `web`, `n7`.

    friend bool operator==(const ExplainRequest&, const ExplainRequest&) = default;
};

/// What the filters say of one node for the instance (of a task: for one more).
struct VerdictView {
    std::string node;
    std::string code;    ///< `home`, `fits`, or what rules it out: `lost`, `label`, `full`, ...
    std::string detail;  ///< What exactly: the constraint, for example.
    // The score, smaller is better, of those that are not ruled out.
    std::uint32_t affinity = 0;
    std::uint32_t spread = 0;
    std::uint32_t load = 0;
    std::string sentence{};  ///< The same for people, behind the node's name: `is lost`.

    friend bool operator==(const VerdictView&, const VerdictView&) = default;
};

/// One order that was given, or one change of a node.
struct DecisionView {
    CivilMs at{};
    std::string what;  ///< `start`, `stop`; of a node the topic of the event.
    std::string name;  ///< The instance, or the node.
    std::string node;
    std::string cause;  ///< A code.

    friend bool operator==(const DecisionView&, const DecisionView&) = default;
};

struct ExplainReply {
    Subject subject = Subject::instance;
    std::string name;
    std::string state;       ///< Of the instance, the task or the node.
    std::string node;        ///< Where the instance is; empty: nowhere, or no instance is asked.
    CivilMs since{};         ///< It is so, as far as is known. 0: that is not known.
    std::string decided_by;  ///< A filter's or a score's code, or why there is no node.
    std::string detail;      ///< The same in words.
    std::vector<VerdictView> verdicts;    ///< Of each node, by name.
    std::vector<DecisionView> decisions;  ///< The latest first.

    friend bool operator==(const ExplainReply&, const ExplainReply&) = default;
};

/// What the planner would do if. Nothing is changed.
struct PlanRequest {
    std::vector<std::string> fail{};  ///< `node=PATTERN` or `LABEL=PATTERN`: they are lost.
    std::vector<std::string> without_tasks{};  ///< Patterns: they are not wanted.
    std::uint32_t add_nodes = 0;               ///< So many join, like one of those that serve.
    bool rebalance = false;  ///< Balance, also if the cluster does not do so by itself.

    friend bool operator==(const PlanRequest&, const PlanRequest&) = default;
};

/// Makes an even spread once, where the cluster does not do so by itself.
struct RebalanceRequest : BareRequest {};
struct RebalanceReply {
    Round round{};  ///< When it closes, the moves are decided.

    friend bool operator==(const RebalanceReply&, const RebalanceReply&) = default;
};

struct PlannedMove {
    InstanceId id;
    std::string from;  ///< Empty: it runs nowhere now.
    std::string to;
    std::string cause;  ///< `lost`, `missing`, `balance`, ...

    friend bool operator==(const PlannedMove&, const PlannedMove&) = default;
};

/// Instances of a task that end with the nodes they run on, before any runs elsewhere.
struct PlannedGap {
    std::string task;
    std::uint32_t down = 0;
    std::uint32_t wanted = 0;

    friend bool operator==(const PlannedGap&, const PlannedGap&) = default;
};

struct PlannedShortage {
    std::string task;
    std::uint32_t count = 0;   ///< Instances without a node then,
    std::uint32_t before = 0;  ///< and now.
    std::string code;

    friend bool operator==(const PlannedShortage&, const PlannedShortage&) = default;
};

/// How the instances lie on the nodes that serve.
struct PlannedSpread {
    std::uint32_t nodes = 0;
    std::uint32_t least = 0;  ///< Instances on the emptiest of them,
    std::uint32_t most = 0;   ///< and on the fullest.
    std::uint64_t instances = 0;

    friend bool operator==(const PlannedSpread&, const PlannedSpread&) = default;
};

/// If the nodes fell silent together. A freeze keeps all that is planned from being done.
struct PlannedFreeze {
    bool on = false;            ///< The cluster would freeze, or is frozen.
    std::uint32_t counted = 0;  ///< Nodes whose silence may begin it,
    std::uint32_t silent = 0;   ///< and so many of them would be silent.

    friend bool operator==(const PlannedFreeze&, const PlannedFreeze&) = default;
};

struct PlanReply {
    std::vector<PlannedMove> moves;
    std::uint64_t more_moves = 0;  ///< That are not listed.
    std::vector<PlannedGap> gaps;
    std::vector<PlannedShortage> shortages;
    PlannedSpread before;
    PlannedSpread after;
    std::uint64_t pending = 0;  ///< Starts and moves decided already: they come in any case.
    PlannedFreeze freeze{};
    std::uint64_t resting = 0;  ///< Moves for the balance, listed or decided already, that wait
    Duration rested_in{};       ///< for a cooldown; that of the last of them is over then.
    std::uint32_t added = 0;    ///< Nodes, as asked,
    std::string added_like;     ///< with the pool, labels and capacity of this one.
    std::string unsettled;      ///< What was just changed and is still on its way, in words.

    friend bool operator==(const PlanReply&, const PlanReply&) = default;
};

}  // namespace muster
