#pragma once

#include <map>
#include <set>
#include <string>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// P1: `pool show` has exactly the stored nodes of a pool, and those that joined by themselves. The
/// capacity of a node is what its host has. One that is gone counts for nothing soon, and once the
/// pool is settled its capacity is the sum over its nodes.
class PoolNumbers : public Checker {
public:
    void on(Instant, const LeadershipBegan&) { hear_again(); }
    void on(Instant, const EventPublished& published) {
        const std::string& topic = published.event.topic;
        if (topic == "round.closed") {
            for (auto& [name, rounds] : gone_) {
                rounds += is_frozen_ ? 0U : 1U;
            }
        } else if (topic == "node.suspended") {
            is_settled_ = false;  // A host whose disk is still full, for example.
        } else if (topic.starts_with("freeze.")) {
            is_frozen_ = topic != "freeze.ended";
            hear_again();
        }
    }
    void on(Instant, const ProvidedNodeGone& node) { gone_.emplace(node.name, 0U); }
    void on(Instant, const PoolsSettled& settled) { is_settled_ = settled.is_settled; }
    void on(Instant, const PoolsShown& shown) {
        for (const PoolShowReply& pool : shown.pools) {
            check_rows(pool, shown.store);
            check_sum(pool);
        }
    }

private:
    static constexpr std::uint32_t rounds_until_lost = 40;  // With all that delays it.

    void hear_again() {
        for (auto& [name, rounds] : gone_) {
            rounds = 0;
        }
    }

    void check_rows(const PoolShowReply& pool, const coordinator::StoreImage& store) {
        std::multiset<std::string> stored;
        for (const coordinator::StoredPoolNode& row : store.pool_nodes) {
            if (row.pool == pool.name) {
                stored.insert(row.id.empty() ? std::string{} : row.name);
            }
        }
        std::multiset<std::string> shown;
        for (const PoolNodeView& node : pool.nodes) {
            if (node.state != "fixed") {
                shown.insert(node.node);
            }
            const auto gone = gone_.find(node.node);
            if (node.amount > 0 && gone != gone_.end() && gone->second > rounds_until_lost) {
                violated("P1", "{} counts {} of {}, which is gone", pool.name, node.amount,
                         node.node);
            }
        }
        if (stored != shown) {
            violated("P1", "{} shows {} nodes of its provider, and {} are stored", pool.name,
                     shown.size(), stored.size());
        }
    }

    void check_sum(const PoolShowReply& pool) {
        if (!is_settled_) {
            return;
        }
        std::uint64_t sum = 0;
        std::uint32_t count = 0;
        for (const PoolNodeView& node : pool.nodes) {
            sum += node.amount;
            count += node.amount > 0 ? 1U : 0U;
        }
        if (pool.decision.capacity != sum || pool.decision.nodes != count) {
            violated("P1", "{} says {} nodes with {}, and shows {} with {}", pool.name,
                     pool.decision.nodes, pool.decision.capacity, count, sum);
        }
    }

    std::map<std::string, std::uint32_t>
        gone_;  ///< With the rounds that a leader has closed since.
    bool is_frozen_ = false;
    bool is_settled_ = false;
};

}  // namespace muster::sim
