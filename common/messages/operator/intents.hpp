#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator/views.hpp"

/// What operators want of nodes: the requests, and the answer that all of them have.
namespace muster {

/// Why, and who says so. Kept with what it is about, for people.
struct Occasion {
    std::string reason{};
    std::string author{};

    friend bool operator==(const Occasion&, const Occasion&) = default;
};

/// They get no new work, and keep what they run. Only an operator ends it.
struct NodeOfflineRequest {
    std::string pattern;
    Occasion why{};

    friend bool operator==(const NodeOfflineRequest&, const NodeOfflineRequest&) = default;
};
/// They get work again: ends offline, and a drain that has not ended by itself.
struct NodeOnlineRequest {
    std::string pattern;
    Occasion why{};

    friend bool operator==(const NodeOnlineRequest&, const NodeOnlineRequest&) = default;
};
/// What they run is moved elsewhere; then they are offline. `force`: what has no other place is
/// stopped, and the last node of a pool may be drained.
struct NodeDrainRequest {
    std::string pattern;
    std::uint64_t deadline_ms = 0;  ///< From now; then it is told to be overdue. 0: none.
    bool force = false;
    Occasion why{};

    friend bool operator==(const NodeDrainRequest&, const NodeDrainRequest&) = default;
};

/// Clears their flap scores and earlier suspensions, and ends the suspension that runs.
struct NodeForgiveRequest {
    std::string pattern;
    Occasion why{};

    friend bool operator==(const NodeForgiveRequest&, const NodeForgiveRequest&) = default;
};

/// A name on the list of those that may join. An empty pool: as its agent says.
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
/// They are drained and then forgotten, and may not join again before they are added. `force`: at
/// once; what runs there is left to its agent, and started elsewhere.
struct NodeRemoveRequest {
    std::string pattern;
    bool force = false;
    Occasion why{};

    friend bool operator==(const NodeRemoveRequest&, const NodeRemoveRequest&) = default;
};
/// The list becomes this one: adds those named, and removes all others.
struct NodeApplyRequest {
    std::vector<ListedNode> nodes;
    bool force = false;
    bool dry_run = false;
    Occasion why{};

    friend bool operator==(const NodeApplyRequest&, const NodeApplyRequest&) = default;
};

/// What becomes, or would become, of one node.
struct NodeChangeView {
    std::string node;
    std::string action;  ///< offline | online | drain | forgive | add | remove | unchanged
    std::string intent_before;
    std::string intent_after;  ///< Empty: it is no node any more.
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
/// Without a value: as if nobody had set it.
struct LimitSetRequest {
    std::string name;
    std::optional<std::uint32_t> value{};

    friend bool operator==(const LimitSetRequest&, const LimitSetRequest&) = default;
};

struct LimitView {
    std::string name;  ///< starts_per_round | moves_per_round
    std::optional<std::uint32_t> value{};
    std::uint32_t least = 0;                 ///< That may be set.
    std::uint32_t used = 0;                  ///< In the running round.
    std::optional<std::uint32_t> applies{};  ///< What holds now; nothing: no bound.
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
/// It begins, or goes on, until an operator ends it.
struct FreezeOnRequest {
    Occasion why{};

    friend bool operator==(const FreezeOnRequest&, const FreezeOnRequest&) = default;
};
/// It ends, whoever began it. The nodes that are silent are given up as lost.
struct FreezeOffRequest {
    Occasion why{};

    friend bool operator==(const FreezeOffRequest&, const FreezeOffRequest&) = default;
};

struct FreezeView {
    bool on = false;
    bool manual = false;  ///< An operator began it, or keeps it; else so many fell silent.
    CivilMs since{};      ///< 0: it is not.
    std::string reason{};
    std::string author{};
    std::uint32_t counted = 0;      ///< Nodes that may begin it by their silence,
    std::uint32_t silent = 0;       ///< and those of them that are silent.
    std::uint32_t enter_at = 0;     ///< It begins with so many silent ones.
    std::uint32_t leave_below = 0;  ///< It may end with fewer than these.
    std::uint32_t calm_rounds = 0;  ///< So many rounds of the five that it takes have been so.
    std::string detail{};           ///< When it ends, or would begin, in words.

    friend bool operator==(const FreezeView&, const FreezeView&) = default;
};

struct FreezeReply {
    Generation counter{};
    FreezeView freeze{};

    friend bool operator==(const FreezeReply&, const FreezeReply&) = default;
};

}  // namespace muster
