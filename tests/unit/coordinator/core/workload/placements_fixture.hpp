#pragma once

#include <cstddef>
#include <string>

#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator::placements_test {

inline constexpr NodeIndex n0{0};
inline constexpr NodeIndex n1{1};

/// A row of a node's report.
inline InstanceReport instance(const std::string& task, Ordinal ordinal,
                               InstanceState state = InstanceState::running) {
    InstanceReport report;
    report.id = {task, ordinal};
    report.generation = Generation{3};
    report.state = state;
    report.started = CivilMs{1'000};
    return report;
}

/// Two nodes that accept every order.
struct Two {
    Two() {
        placements.add_node(n0, "n0");
        placements.add_node(n1, "n1");
        for (const NodeIndex node : {n0, n1}) {
            placements.set_commandable(node, true);
            placements.set_serving(node, true);
        }
    }
    [[nodiscard]] std::size_t copies(const std::string& task) const {
        const auto index = workload.find(task);
        return index ? placements.copies().of(*index).size() : 0;
    }
    [[nodiscard]] Order start(const std::string& task, Ordinal ordinal, NodeIndex node) {
        return {Order::Action::start, Cause::missing, workload.intern(task), ordinal, node,
                Generation{3}};
    }
    [[nodiscard]] Order stop(const std::string& task, Ordinal ordinal, NodeIndex node) {
        Order order = start(task, ordinal, node);
        order.action = Order::Action::stop;
        return order;
    }

    Workload workload{Generation{10}};
    Placements placements{workload};
};

}  // namespace muster::coordinator::placements_test
