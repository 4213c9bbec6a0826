#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/base/ensure.hpp"
#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

/// Evens out loads with the placements of this pass only: they do not run yet, so another node
/// costs nothing. An instance goes from a node to one with at least two fewer, directly or along a
/// chain of nodes that each take one and give one. It ends when there is no such chain.
///
/// The nodes form a graph, with an edge from the node of a placement to each node that may take it.
/// The search is breadth first, begins with the most loaded node, and is bounded in total.
class Shift {
public:
    Shift(PlannerState& state, std::vector<Order>& orders)
        : state_{state}, copies_{state.scratch.copies}, orders_{orders} {}

    void run() {
        if (!is_worth_it()) {
            return;
        }
        for (OrderIndex order = 0; order < orders_.size(); ++order) {
            if (is_fresh(orders_[order])) {
                fresh_[rank(orders_[order].node)].push_back(order);
            }
        }
        steps_left_ = shift_steps_most;
        bool shifted = true;
        while (shifted) {
            shifted = false;
            reached_.clear();
            unreached_.clear();
            for (const auto& [at, orders] : fresh_) {
                unreached_.push_back(orders_[orders.front()].node);
            }
            for (const NodeIndex source : sources()) {
                // A node that a fuller source reached without success does not help this one.
                if (!reached_.contains(rank(source)) && shift_from(source)) {
                    shifted = true;
                    break;
                }
            }
        }
    }

private:
    // Checks of a node or a copy in one pass: about a tenth of a second at worst. Moves even out
    // what is left after that.
    static constexpr std::size_t shift_steps_most = 10'000'000;

    static bool is_fresh(const Order& order) {
        return order.action == Order::Action::start &&
               (order.cause == Cause::missing || order.cause == Cause::lost);
    }

    using OrderIndex = std::size_t;
    /// How the search reached a node: the instance of `order` would go there from the node `from`.
    struct Step {
        Rank from = 0;
        OrderIndex order = 0;
    };

    [[nodiscard]] Rank rank(NodeIndex node) const { return state_.places.loads().rank(node); }

    [[nodiscard]] bool is_worth_it() const {
        const Loads& loads = state_.places.loads();
        return std::ranges::any_of(orders_, [&](const Order& order) {
            return is_fresh(order) && loads.of(order.node) >= loads.least() + 2;
        });
    }

    /// Nodes that have placements to shift and at least two more than the least loaded, most loaded
    /// first.
    [[nodiscard]] std::vector<NodeIndex> sources() const {
        const Loads& loads = state_.places.loads();
        std::vector<NodeIndex> nodes;
        for (const auto& [at, orders] : fresh_) {
            const NodeIndex node = orders_[orders.front()].node;
            if (loads.of(node) >= loads.least() + 2) {
                nodes.push_back(node);
            }
        }
        std::ranges::stable_sort(
            nodes, [&](NodeIndex a, NodeIndex b) { return loads.of(a) > loads.of(b); });
        return nodes;
    }

    [[nodiscard]] bool shift_from(NodeIndex source) {
        const std::uint32_t most = state_.places.loads().of(source) - 2;
        std::vector<NodeIndex> queue{source};
        std::erase(unreached_, source);
        reached_[rank(source)] = {rank(source), 0};
        for (std::size_t next = 0; next < queue.size(); ++next) {
            const Rank at = rank(queue[next]);
            for (const OrderIndex order : fresh_.at(at)) {
                if (steps_left_ == 0) {
                    return false;
                }
                count_copies(order);
                if (const auto end = find_end(order, most)) {
                    carry_out({at, order}, *end, rank(source));
                    return true;
                }
                reach(at, order, queue);
            }
        }
        return false;
    }

    /// Moves an instance along each step of the chain, from its end back to the source.
    void carry_out(Step last, NodeIndex end, Rank source) {
        NodeIndex to = end;
        for (Step step = last;; step = reached_.at(step.from)) {
            const NodeIndex from = orders_[step.order].node;
            rehome(step.order, to);
            if (step.from == source) {
                return;
            }
            to = from;
        }
    }
    /// A node with at most this load that may take the instance.
    [[nodiscard]] std::optional<NodeIndex> find_end(OrderIndex order, std::uint32_t most) {
        const Loads& loads = state_.places.loads();
        Loads::Cursor cursor;
        const auto end = loads.next(cursor, [&](NodeIndex node) {
            steps_left_ -= std::min<std::size_t>(steps_left_, 1);
            return loads.of(node) > most || fits(order, node);
        });
        return end && loads.of(*end) <= most ? end : std::nullopt;
    }

    /// Marks the nodes with placements of this pass that may take the instance as reached.
    void reach(Rank from, OrderIndex order, std::vector<NodeIndex>& queue) {
        steps_left_ -= std::min(steps_left_, unreached_.size());
        std::erase_if(unreached_, [&](NodeIndex node) {
            if (!fits(order, node)) {
                return false;
            }
            reached_[rank(node)] = {from, order};
            queue.push_back(node);
            return true;
        });
    }

    /// Counts the task's copies by node: existing ones and those that this pass adds.
    void count_copies(OrderIndex at) {
        const Order& order = orders_[at];
        const std::span<const Copy> copies = state_.placements.copies().of(order.task);
        copies_.clear();
        for (const Copy& copy : copies) {
            copies_.add(copy.node);
        }
        // The orders of a task are adjacent.
        OrderIndex first = at;
        while (first > 0 && orders_[first - 1].task == order.task) {
            --first;
        }
        OrderIndex next = first;
        for (; next < orders_.size() && orders_[next].task == order.task; ++next) {
            const Order& other = orders_[next];
            if (other.action == Order::Action::start &&
                state_.places.home(other.task, other.ordinal) == other.node) {
                copies_.add(other.node);
            }
        }
        steps_left_ -= std::min(steps_left_, copies.size() + next - first);
    }

    [[nodiscard]] bool fits(OrderIndex at, NodeIndex node) const {
        const Order& order = orders_[at];
        const Task& task = state_.workload[order.task];
        return copies_.of(node) < task.spec.max_per_node &&
               !has_copy(state_.placements, order.task, order.ordinal, node);
    }

    void rehome(OrderIndex at, NodeIndex to) {
        Order& order = orders_[at];
        const auto from = fresh_.find(rank(order.node));
        ensure(from != fresh_.end() && std::erase(from->second, at) == 1,
               "a placement of this pass is listed at its node");
        if (from->second.empty()) {
            fresh_.erase(from);
        }
        std::vector<OrderIndex>& there = fresh_[rank(to)];
        there.insert(std::ranges::lower_bound(there, at), at);
        order.node = to;
        state_.places.set_home(order.task, order.ordinal, to);
    }

    PlannerState& state_;
    Tally<NodeIndex>& copies_;  // Of the task of the present order.
    std::vector<Order>& orders_;
    std::map<Rank, std::vector<OrderIndex>> fresh_;  // Placements that may be shifted, by node.
    std::map<Rank, Step> reached_;
    std::vector<NodeIndex> unreached_;
    std::size_t steps_left_ = 0;
};

}  // namespace muster::coordinator
