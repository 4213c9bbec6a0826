#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "sim/checkers/checker.hpp"
#include "sim/checkers/pools/pool_rows.hpp"

namespace muster::sim {

/// P7: a node of a provider is given up only by a listing that was read and does not have it, and
/// only if its agent does not answer. A listing that fails, or that misses all nodes or many of
/// them, ends none, unless an operator has accepted that they miss. Nodes that have not come in
/// time do not count.
class PoolListings : public Checker {
public:
    void on(Instant, const LeadershipBegan& began) {
        written_.clear();
        last_[began.image.meta.epoch] = {};
    }

    void on(Instant now, const CivilClockRead& clock) {
        ahead_ms_ = raw(clock.at) - raw(civil(now));
    }

    void on(Instant now, const StepTaken& step) {
        Listing& last = last_[step.store.meta.epoch];
        accept(step, last);
        if (const auto* const answer = std::get_if<coordinator::OutsideAnswer>(&step.input)) {
            read(answer->number, answer->result, last);
        }
        for (const coordinator::OutsideCall& call : step.output.calls) {
            if (std::holds_alternative<coordinator::ListNodes>(call.what)) {
                last.call = call.number;
            }
        }
        // Those whose records end with this step were known before it.
        const std::set<std::string> unknown = written_.unknown;
        written_.on(step);
        if (PoolRows::are_in(step.output)) {
            check(now, step, last, unknown);
        }
    }

private:
    using State = coordinator::PoolNodeState;
    struct Listing {
        std::uint64_t call = 0;  ///< That is under way.
        bool has_failed = true;  ///< The last one.
        std::set<std::string> nodes{};
        std::map<std::string, std::set<std::string>> accepted{};  ///< By pool: may miss.
    };

    static void read(std::uint64_t call, const coordinator::OutsideResult& result, Listing& last) {
        if (const auto* const listed = std::get_if<coordinator::NodesListed>(&result)) {
            last.has_failed = false;
            last.nodes.clear();
            for (const coordinator::ProvidedNode& node : listed->nodes) {
                last.nodes.insert(node.node);
                for (auto& [pool, names] : last.accepted) {
                    names.erase(node.node);
                }
            }
        } else if (call == last.call && std::holds_alternative<coordinator::CallFailed>(result)) {
            last.has_failed = true;
        }
    }

    /// Whoever resumes a pool accepts the present listing.
    static void accept(const StepTaken& step, Listing& last) {
        for (const Event& event : step.output.events) {
            if (event.topic != "pool.resumed") {
                continue;
            }
            std::set<std::string>& accepted = last.accepted[event.name];
            accepted.clear();
            for (const coordinator::StoredPoolNode& row : step.durable().pool_nodes) {
                if (row.pool == event.name && !last.nodes.contains(row.name)) {
                    accepted.insert(row.name);
                }
            }
        }
    }

    /// It was asked for, and has not come in time.
    [[nodiscard]] bool is_overdue(Instant now, const StepTaken& step,
                                  const coordinator::StoredPoolNode& row) const {
        const auto pool =
            std::ranges::find(step.durable().pools, row.pool, &coordinator::StoredPool::name);
        const std::int64_t age = raw(civil(now)) + ahead_ms_ - raw(row.since);
        return row.state == State::requested && pool != step.durable().pools.end() &&
               age >= static_cast<std::int64_t>(pool->spec.arrive_within_ms);
    }

    void check(Instant now, const StepTaken& step, const Listing& last,
               const std::set<std::string>& unknown) {
        const PoolRows rows{step, written_};
        std::map<std::string, std::pair<std::size_t, std::size_t>> pools;  // Judged, missing.
        std::set<std::string> shrinks;
        for (const auto& [name, row] : rows.before) {
            if (row.id.empty() || row.state == State::removing) {
                continue;
            }
            // One that has not joined yet has no record. It counts as there.
            const auto lost = rows.lost.find(name);
            // Until the end of its record is durable, it is known, and may be lost.
            const bool is_unknown =
                unknown.contains(name) &&
                std::ranges::find(step.durable().nodes, name, &coordinator::StoredNode::name) ==
                    step.durable().nodes.end();
            const auto accepted = last.accepted.find(row.pool);
            const bool is_judged =
                (lost == rows.lost.end() || !lost->second || is_unknown) &&
                !is_overdue(now, step, row) &&
                (accepted == last.accepted.end() || !accepted->second.contains(name));
            const bool is_listed = last.nodes.contains(name);
            auto& [judged, missing] = pools[row.pool];
            judged += is_judged ? 1U : 0U;
            missing += is_judged && !is_listed ? 1U : 0U;
            if (!rows.erased.contains(name)) {
                continue;
            }
            if (is_judged) {
                shrinks.insert(row.pool);
            }
            if (last.has_failed) {
                violated("P7", "{} is given up, and the last listing failed", name);
            } else if (is_listed) {
                violated("P7", "{} is given up, and its provider has it", name);
            }
        }
        for (const std::string& pool : shrinks) {
            const auto [judged, missing] = pools.at(pool);
            constexpr std::size_t many = 3;
            if (missing == judged || (missing >= many && missing * 4 >= judged)) {
                violated("P7", "nodes of {} are given up by a listing that misses {} of {}", pool,
                         missing, judged);
            }
        }
    }

    std::map<Epoch, Listing> last_;
    WrittenNodes written_;
    std::int64_t ahead_ms_ = 0;  // The civil clock, of the simulated one.
};

}  // namespace muster::sim
