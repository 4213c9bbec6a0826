#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator/views.hpp"

/// Operators' intents for nodes: the requests, and their common answer.
namespace muster {

/// A reason and its author, kept with the decision, for people.
struct Occasion {
    std::string reason{};
    std::string author{};

    friend bool operator==(const Occasion&, const Occasion&) = default;
};

/// The nodes get no new work, and keep their instances. Only an operator ends it.
struct NodeOfflineRequest {
    std::string pattern;
    Occasion why{};

    friend bool operator==(const NodeOfflineRequest&, const NodeOfflineRequest&) = default;
};
/// The nodes get work again: ends offline, and a drain that has not ended by itself.
struct NodeOnlineRequest {
    std::string pattern;
    Occasion why{};

    friend bool operator==(const NodeOnlineRequest&, const NodeOnlineRequest&) = default;
};
/// Moves the instances of the nodes elsewhere; then the nodes are offline. `force`: stops an
/// instance that has no other place, and allows to drain the last node of a pool.
struct NodeDrainRequest {
    std::string pattern;
    std::uint64_t deadline_ms = 0;  ///< From now; then it is reported as overdue. 0: none.
    bool force = false;
    Occasion why{};

    friend bool operator==(const NodeDrainRequest&, const NodeDrainRequest&) = default;
};

/// Clears their flap scores and earlier suspensions, and ends a current suspension.
struct NodeForgiveRequest {
    std::string pattern;
    Occasion why{};

    friend bool operator==(const NodeForgiveRequest&, const NodeForgiveRequest&) = default;
};

/// A name that may join. An empty pool: the agent's own.
struct ListedNode {
    std::string name;
    std::string pool{};

    friend bool operator==(const ListedNode&, const ListedNode&) = default;
};
struct NodeAddRequest {
    std::vector<ListedNode> nodes;
    Occasion why{};

    friend bool operator==(const NodeAddRequest&, const NodeAddRequest&) = default;
};
/// Drains and then deletes the nodes; they may not join again before they are added. `force`: at
/// once; their agents keep their instances, which are also started elsewhere.
struct NodeRemoveRequest {
    std::string pattern;
    bool force = false;
    Occasion why{};

    friend bool operator==(const NodeRemoveRequest&, const NodeRemoveRequest&) = default;
};
/// Replaces the list: adds the named nodes, and removes all others.
struct NodeApplyRequest {
    std::vector<ListedNode> nodes;
    bool force = false;
    bool dry_run = false;
    Occasion why{};

    friend bool operator==(const NodeApplyRequest&, const NodeApplyRequest&) = default;
};

/// The effect of a change on one node.
struct NodeChangeView {
    std::string node;
    std::string action;  ///< offline | online | drain | forgive | add | remove | unchanged
    std::string intent_before;
    std::string intent_after;  ///< Empty: the node's record is deleted.
    std::string detail{};

    friend bool operator==(const NodeChangeView&, const NodeChangeView&) = default;
};
struct NodesChangeReply {
    Generation counter{};
    bool dry_run = false;
    std::vector<NodeChangeView> changes;

    friend bool operator==(const NodesChangeReply&, const NodesChangeReply&) = default;
};

// ---- limits of the whole cluster ----

struct LimitListRequest : BareRequest {};
/// Without a value: the default.
struct LimitSetRequest {
    std::string name;
    std::optional<std::uint32_t> value{};

    friend bool operator==(const LimitSetRequest&, const LimitSetRequest&) = default;
};

struct LimitView {
    std::string name;  ///< starts_per_round | moves_per_round
    std::optional<std::uint32_t> value{};
    std::uint32_t least = 0;                 ///< The least valid value.
    std::uint32_t used = 0;                  ///< In the current round.
    std::optional<std::uint32_t> applies{};  ///< The effective value; nothing: no bound.
    std::string detail{};

    friend bool operator==(const LimitView&, const LimitView&) = default;
};
struct LimitsReply {
    Generation counter{};
    bool dry_run = false;
    std::vector<LimitView> limits;

    friend bool operator==(const LimitsReply&, const LimitsReply&) = default;
};

// ---- the freeze: the stop of all rescheduling ----

struct FreezeShowRequest : BareRequest {};
/// Begins or continues a freeze, until an operator ends it.
struct FreezeOnRequest {
    Occasion why{};

    friend bool operator==(const FreezeOnRequest&, const FreezeOnRequest&) = default;
};
/// Ends any freeze. The silent nodes become lost.
struct FreezeOffRequest {
    Occasion why{};

    friend bool operator==(const FreezeOffRequest&, const FreezeOffRequest&) = default;
};

struct FreezeView {
    bool on = false;
    bool manual = false;  ///< An operator began or keeps it; otherwise mass silence did.
    CivilMs since{};      ///< 0: it is off.
    std::string reason{};
    std::string author{};
    std::uint32_t counted = 0;      ///< Nodes whose silence counts,
    std::uint32_t silent = 0;       ///< and those of them that are silent.
    std::uint32_t enter_at = 0;     ///< It begins with this many silent ones.
    std::uint32_t leave_below = 0;  ///< It may end with fewer than these.
    std::uint32_t calm_rounds = 0;  ///< Rounds so far, of the five that end it.
    std::string detail{};           ///< When it ends, or would begin, for people.

    friend bool operator==(const FreezeView&, const FreezeView&) = default;
};

struct FreezeReply {
    Generation counter{};
    FreezeView freeze{};

    friend bool operator==(const FreezeReply&, const FreezeReply&) = default;
};

}  // namespace muster
