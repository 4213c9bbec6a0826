#pragma once

#include <cstdint>
#include <string_view>

#include "coordinator/core/planning/index/filters.hpp"

namespace muster::coordinator {

/// Why an instance has no place, cannot be replaced, or cannot leave its node. The name is the code
/// that operators see.
enum class Obstacle : std::uint8_t {
    none,
    no_nodes,         ///< No node serves.
    not_serving,      ///< No suitable node serves.
    pool,             ///< No serving node is in the task's pool.
    label,            ///< No serving node's labels meet the task's constraints.
    cpu,              ///< No suitable node has enough of it free;
    memory,           ///< the same.
    slots,            ///< The same. The most frequent of the three counts.
    max_per_node,     ///< Every suitable serving node has max_per_node copies of the task.
    full,             ///< Every suitable serving node has as many instances as a node may have.
    recovering,       ///< Nothing is placed before every known node has reported.
    refused,          ///< The suitable nodes refused it, or it failed there.
    rescheduling,     ///< Its node is lost, and the task waits for the node.
    frozen,           ///< Its node is lost, and nothing is rescheduled in a freeze.
    lease,            ///< It may still run under a lease, or its nodes have no lease yet.
    starts_spent,     ///< The operators' limit on starts is used up in this round.
    max_unavailable,  ///< A roll-out may neither add a copy nor take one down.
    // Only for an instance that must leave its node:
    starting,     ///< Its copy, here or elsewhere, is starting.
    target_down,  ///< Its copy elsewhere has ended and does not run yet.
    stopping,     ///< It is being stopped.
    max_surge,    ///< Another copy of the task must stop first.
    min_healthy,  ///< Its roll-out waits for a copy of the new generation, or is halted by it.
    no_orders,    ///< The node takes no orders now.
    stray,        ///< This store never ordered it: it is left alone.
    every_node,   ///< It is bound to this node.
    planned,      ///< The next pass moves it.
};
[[nodiscard]] std::string_view to_string(Obstacle obstacle);
/// Text for a missing instance; empty if the obstacle is only one to leaving a node.
[[nodiscard]] std::string_view describe(Obstacle obstacle);
/// Text for an instance that must leave its node.
[[nodiscard]] std::string_view describe_blocker(Obstacle obstacle);
/// The obstacle if this is the verdict on all nodes.
[[nodiscard]] Obstacle obstacle_of(Verdict verdict);
/// True if the nodes are the reason, and not the task or its roll-out.
[[nodiscard]] constexpr bool is_of_nodes(Obstacle obstacle) {
    return obstacle >= Obstacle::no_nodes && obstacle <= Obstacle::full;
}

}  // namespace muster::coordinator
