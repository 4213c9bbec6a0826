#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"

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

/// What counts against them is forgotten, relapses too: a penalty that runs is over.
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

}  // namespace muster
