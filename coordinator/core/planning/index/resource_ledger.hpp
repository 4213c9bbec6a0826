#pragma once

#include <cstdint>
#include <vector>

#include "coordinator/core/planning/index/filters.hpp"
#include "coordinator/core/workload/by_index.hpp"

namespace muster::coordinator {

/// The resources of each node that its instances reserve, and those that they may reserve.
///
/// A *claim* reserves resources of a node for an instance: on each node with a copy that is not
/// proven gone, and on its home. So while an instance moves, both copies reserve resources. A
/// task's claims are set again whenever the task is read, and change with its homes in between.
///
/// Claims are kept only where they matter: for tasks that request cpu or memory, and for all tasks
/// once some node bounds its slots.
class ResourceLedger {
public:
    void set_offer(NodeIndex node, const Offer& offer);
    /// Some node bounds its slots, or did: then the claims of all tasks are kept.
    [[nodiscard]] bool counts_slots() const { return counts_slots_; }
    /// True if this task's claims must be kept, or some must be removed.
    [[nodiscard]] bool tracks(TaskIndex task, const Resources& request) const;

    /// Sets the claims of the task. A node may be named once for each instance.
    void set_claims(TaskIndex task, const Resources& request, std::vector<NodeIndex> nodes);
    /// Another task may get the index from now on.
    void forget(TaskIndex task);
    void claim(TaskIndex task, NodeIndex node);
    void unclaim(TaskIndex task, NodeIndex node);
    /// The request of the task when its claims were last set.
    [[nodiscard]] Resources request_of(TaskIndex task) const;

    [[nodiscard]] Verdict judge(NodeIndex node, const Resources& request) const;
    [[nodiscard]] Use used(NodeIndex node) const;
    /// Grows whenever a node has more room than before. Only then can a search find more.
    [[nodiscard]] std::uint64_t falls() const { return falls_; }
    /// True if the use of each node equals its claims.
    [[nodiscard]] bool is_consistent() const;

private:
    friend struct CoreFields;

    struct Claims {
        Resources request{.slots = 1};
        std::vector<NodeIndex> nodes;
    };
    struct Room {
        Allowance allowance;
        Use use;
    };

    Room& room(NodeIndex node) { return made_at(rooms_, node); }

    std::vector<Room> rooms_;     // By NodeIndex.
    std::vector<Claims> claims_;  // By TaskIndex.
    std::uint64_t falls_ = 0;
    bool counts_slots_ = false;
};

}  // namespace muster::coordinator
