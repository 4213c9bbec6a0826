#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "coordinator/core/rows.hpp"
#include "sim/model/observation.hpp"

namespace muster::sim {

/// What the leaderships have written of nodes: the core decides by it before it is durable.
class WrittenNodes {
public:
    void on(const StepTaken& step) {
        // The row of a node that has just fallen silent may wait for the one before.
        for (const Event& event : step.output.events) {
            if (event.topic == "node.lost" || event.topic == "node.left") {
                lost[event.name] = true;
            } else if (event.topic == "node.returned" || event.topic == "node.joined") {
                lost[event.name] = false;
            }
        }
        for (const coordinator::Persist& persist : step.output.persist) {
            for (const coordinator::Write& write : persist.writes) {
                std::visit([&](const auto& one) { apply(one); }, write);
            }
        }
    }
    /// A new leader begins with what is durable.
    void clear() {
        lost.clear();
        closed.clear();
        unknown.clear();
    }

    std::map<std::string, bool> lost;
    std::map<std::string, bool> closed;
    std::set<std::string> unknown;  ///< Their records were erased, so nobody can call them lost.

private:
    void apply(const coordinator::StoredNode& node) {
        lost[node.name] = node.lost || node.gone;
        unknown.erase(node.name);
    }
    void apply(const coordinator::StoredIntent& row) {
        closed[row.name] = row.intent != coordinator::Intent::active;
    }
    void apply(const coordinator::Erase<coordinator::StoredNode>& row) {
        lost[row.name] = true;
        unknown.insert(row.name);
    }
    template <class Row>
    void apply(const Shared<Row>& row) {
        apply(*row);
    }
    template <class Other>
    void apply(const Other& /*other*/) {}
};

/// The rows of a step about pools and their nodes, before it and with its writes.
struct PoolRows {
    using Row = coordinator::StoredPoolNode;

    PoolRows(const StepTaken& step, const WrittenNodes& written) {
        for (const Row& row : step.durable().pool_nodes) {
            before.emplace(row.name, row);
        }
        after = before;
        for (const coordinator::StoredNode& node : step.durable().nodes) {
            lost[node.name] = node.lost || node.gone;
        }
        for (const coordinator::StoredIntent& row : step.durable().intents) {
            closed[row.name] = row.intent != coordinator::Intent::active;
        }
        was_closed = closed;
        for (const auto& [name, is] : written.lost) {
            lost[name] = is;
        }
        for (const auto& [name, is] : written.closed) {
            closed[name] = is;
        }
        for (const coordinator::Persist& persist : step.output.persist) {
            for (const coordinator::Write& write : persist.writes) {
                std::visit([&](const auto& one) { apply(one); }, write);
            }
        }
    }
    /// True if the step writes rows of nodes of pools.
    [[nodiscard]] static bool are_in(const coordinator::Output& output) {
        for (const coordinator::Persist& persist : output.persist) {
            for (const coordinator::Write& write : persist.writes) {
                if (std::holds_alternative<Shared<Row>>(write) ||
                    std::holds_alternative<coordinator::Erase<Row>>(write)) {
                    return true;
                }
            }
        }
        return false;
    }
    [[nodiscard]] bool is_lost(const std::string& node) const {
        const auto found = lost.find(node);
        return found == lost.end() || found->second;
    }
    [[nodiscard]] bool is_closed(const std::string& node) const {
        const auto found = closed.find(node);
        return found != closed.end() && found->second;
    }
    /// What an operator has just decided takes effect once it is durable.
    [[nodiscard]] bool may_be_closed(const std::string& node) const {
        const auto found = was_closed.find(node);
        return is_closed(node) || (found != was_closed.end() && found->second);
    }
    /// Null: it is not known.
    [[nodiscard]] static const coordinator::StoredPool* pool_of(
        const coordinator::StoreImage& store, const std::string& name) {
        for (const coordinator::StoredPool& pool : store.pools) {
            if (pool.name == name) {
                return &pool;
            }
        }
        return nullptr;
    }

    std::map<std::string, Row> before;
    std::map<std::string, Row> after;
    std::map<std::string, bool> lost;        ///< Known nodes.
    std::map<std::string, bool> closed;      ///< Nodes that shall get no work.
    std::map<std::string, bool> was_closed;  ///< The same, as durable.
    std::vector<Row> put;
    std::set<std::string> erased;

private:
    void apply(const Shared<Row>& row) {
        after.insert_or_assign(row->name, *row);
        put.push_back(*row);
    }
    void apply(const coordinator::Erase<Row>& row) {
        after.erase(row.name);
        erased.insert(row.name);
    }
    template <class Other>
    void apply(const Other& /*other*/) {}
};

}  // namespace muster::sim
