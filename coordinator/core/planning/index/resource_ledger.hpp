#pragma once

#include <cstdint>
#include <vector>

#include "coordinator/core/planning/index/filters.hpp"
#include "coordinator/core/workload/by_index.hpp"

namespace muster::coordinator {

/// What the instances placed on each node take of it, and what they may take.
///
/// A *claim* is an instance's on a node: where a copy of it is that is not proven gone, and where
/// its home is. So of an instance that moves, both copies count. A task's claims are stated again
/// whenever the task was read, and change with its homes in between.
///
/// Claims are kept only where they can decide something: for tasks that ask for cpu or memory, and
/// for all once some node bounds its slots.
class ResourceLedger {
public:
    void set_offer(NodeIndex node, const Offer& offer);
    /// Some node bounds its slots, or did: then everyone's claims are kept.
    [[nodiscard]] bool counts_slots() const { return counts_slots_; }
    /// This task's claims are to be kept, or there are some to forget.
    [[nodiscard]] bool tracks(TaskIndex task, const Resources& request) const;

    /// The task's claims are these, of which a node may be named once for each instance.
    void restate(TaskIndex task, const Resources& request, std::vector<NodeIndex> nodes);
    /// The task's index may be another's from now on.
    void forget(TaskIndex task);
    void claim(TaskIndex task, NodeIndex node);
    void unclaim(TaskIndex task, NodeIndex node);
    /// What the task asked for when its claims were last stated.
    [[nodiscard]] Resources request_of(TaskIndex task) const;

    [[nodiscard]] Verdict judge(NodeIndex node, const Resources& request) const;
    [[nodiscard]] Use used(NodeIndex node) const;
    /// Grows whenever a node has more room than before: only then may be found what was not.
    [[nodiscard]] std::uint64_t falls() const { return falls_; }
    /// What is taken of each node is what is claimed there.
    [[nodiscard]] bool adds_up() const;

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
