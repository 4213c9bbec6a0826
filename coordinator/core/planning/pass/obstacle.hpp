#pragma once

#include <cstdint>
#include <string_view>

#include "coordinator/core/planning/index/filters.hpp"

namespace muster::coordinator {

/// Why an instance has no place, cannot be replaced, or cannot leave its node. The name is the code
/// that operators see.
enum class Obstacle : std::uint8_t {
    none,
    no_nodes,      ///< No node serves.
    not_serving,   ///< Nodes suit, and none of them serves.
    pool,          ///< No serving node is of the task's pool.
    label,         ///< No serving node's labels meet the task's constraints.
    cpu,           ///< No node that suits has as much of it left, as of
    memory,        ///< this
    slots,         ///< and this; of the three the most frequent.
    max_per_node,  ///< Every serving node that suits has its number of copies of the task.
    full,          ///< Every serving node that suits has as many instances as a node may.
    recovering,    ///< Not before every node has reported.
    refused,       ///< The nodes that could take it refuse, or it failed there.
    rescheduling,  ///< Its node is lost, and the task waits for it.
    frozen,        ///< Its node is lost, and nothing is rescheduled at present.
    lease,         ///< It may still run where nobody can see it, or its nodes grant no lease yet.
    starts_spent,  ///< The limit that operators set on starts is used up in this round.
    max_unavailable,  ///< A roll-out may neither add a copy nor take one down.
    // Only of an instance that is on a node which is to be left:
    starting,     ///< Its copy elsewhere, or here, is about to run.
    target_down,  ///< Its copy elsewhere has ended and does not run yet.
    stopping,     ///< It is being stopped.
    max_surge,    ///< Another copy of the task must go first.
    min_healthy,  ///< Its roll-out waits for a copy of the new generation, or is halted by one.
    no_orders,    ///< The node takes no orders at present.
    stray,        ///< This store never ordered it: it is left alone.
    every_node,   ///< It belongs to this node, and to no other.
    planned,      ///< Looked at in the next pass.
};
[[nodiscard]] std::string_view to_string(Obstacle obstacle);
/// What it means for an instance that is missing; empty if it is an obstacle to leaving only.
[[nodiscard]] std::string_view describe(Obstacle obstacle);
/// What it means for an instance that is to leave its node.
[[nodiscard]] std::string_view describe_blocker(Obstacle obstacle);
/// What the filters say of all nodes.
[[nodiscard]] Obstacle obstacle_of(Verdict verdict);
/// The nodes are why, not what the task waits for or what its roll-out may not.
[[nodiscard]] constexpr bool is_of_nodes(Obstacle obstacle) {
    return obstacle >= Obstacle::no_nodes && obstacle <= Obstacle::full;
}

}  // namespace muster::coordinator
