#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "sim/checkers/checker.hpp"
#include "sim/checkers/pools/pool_rows.hpp"

namespace muster::sim {

/// P3: no request makes a pool larger than its most, and no drain smaller than its least. Nodes
/// that were asked for count, and those that serve; not those that are lost, suspended or closed.
/// A request asks for at most the step of the pool, and no more nodes drain at once than its budget
/// allows.
class PoolBounds : public Checker {
public:
    void on(Instant, const LeadershipBegan&) {
        suspended_.clear();
        written_.clear();
    }

    void on(Instant, const AgentMessageReceived& received) {
        if (const auto* const hello = std::get_if<Hello>(&received.message)) {
            pools_[hello->name] = hello->offer.pool;
        }
    }

    void on(Instant, const StepTaken& step) {
        for (const Event& event : step.output.events) {
            if (event.topic == "node.suspended") {
                suspended_.insert(event.name);
            } else if (event.topic == "node.suspension_ended" || event.topic == "node.released" ||
                       event.topic == "node.forgotten" || event.topic == "node.removed") {
                suspended_.erase(event.name);
            }
        }
        written_.on(step);
        if (PoolRows::are_in(step.output)) {
            check(step);
        }
    }

private:
    using State = coordinator::PoolNodeState;
    struct Changed {
        std::uint32_t asked = 0;
        std::uint32_t drained = 0;
    };

    void check(const StepTaken& step) {
        const PoolRows rows{step, written_};
        std::map<std::string, Changed> changed;
        for (const coordinator::StoredPoolNode& row : rows.put) {
            const auto before = rows.before.find(row.name);
            const bool is_new = before == rows.before.end();
            if (is_new && row.id.empty()) {
                ++changed[row.pool].asked;
            } else if (!is_new && before->second.state == State::active &&
                       row.state == State::draining) {
                ++changed[row.pool].drained;
            }
        }
        for (const auto& [name, change] : changed) {
            const coordinator::StoredPool* const pool = PoolRows::pool_of(step.durable(), name);
            if (pool == nullptr) {
                violated("P3", "nodes of {} change, which is not defined", name);
                continue;
            }
            check(rows, *pool, change);
        }
    }

    void check(const PoolRows& rows, const coordinator::StoredPool& pool, const Changed& change) {
        std::uint32_t has = 0;
        std::uint32_t has_surely = 0;
        std::string counted;
        std::uint32_t draining = 0;
        for (const auto& [name, row] : rows.after) {
            if (row.pool != pool.name) {
                continue;
            }
            draining += row.state == State::draining ? 1U : 0U;
            counted += row.state == State::requested || may_count(rows, name) ? " " + name : "";
            has_surely += row.state == State::requested ||
                                  (row.state == State::active && may_count(rows, name) &&
                                   !rows.may_be_closed(name))
                              ? 1U
                              : 0U;
            has += row.state == State::requested ||
                           (row.state == State::active && may_count(rows, name))
                       ? 1U
                       : 0U;
        }
        std::uint32_t fixed = 0;  // They need not serve.
        for (const auto& [name, of] : pools_) {
            fixed +=
                of == pool.name && !rows.after.contains(name) && may_count(rows, name) ? 1U : 0U;
        }
        if (change.asked > 0 && has_surely > pool.spec.max) {
            violated("P3", "{} asks for {} nodes, and has {} of at most {} then:{}", pool.name,
                     change.asked, has_surely, pool.spec.max, counted);
        }
        if (change.asked > pool.spec.step) {
            violated("P3", "{} asks for {} nodes, and for at most {} at once", pool.name,
                     change.asked, pool.spec.step);
        }
        if (change.drained > 0 && has + fixed < pool.spec.min) {
            violated("P3", "{} drains {} nodes, and keeps {} of at least {}", pool.name,
                     change.drained, has + fixed, pool.spec.min);
        }
        if (change.drained > 0 && draining > pool.spec.drain_budget) {
            violated("P3", "{} nodes of {} drain, and at most {} may", draining, pool.name,
                     pool.spec.drain_budget);
        }
    }

    [[nodiscard]] bool may_count(const PoolRows& rows, const std::string& node) const {
        return !rows.is_lost(node) && !rows.is_closed(node) && !suspended_.contains(node);
    }

    std::set<std::string> suspended_;
    std::map<std::string, std::string> pools_;  ///< Of the agents that have said hello.
    WrittenNodes written_;
};

}  // namespace muster::sim
