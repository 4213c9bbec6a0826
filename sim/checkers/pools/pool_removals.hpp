#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>

#include "sim/checkers/checker.hpp"
#include "sim/checkers/pools/pool_rows.hpp"
#include "sim/model/trace.hpp"

namespace muster::sim {

/// P4: a provider is asked to remove a node only once its row says so durably. Such a row is
/// written for a node that drained until nothing ran on it or for as long as its pool allows, whose
/// agent does not answer, or that did not serve in time.
class PoolRemovals : public Checker {
public:
    void on(Instant, const LeadershipBegan&) { written_.clear(); }
    void on(Instant now, const CivilClockRead& clock) {
        ahead_ms_ = raw(clock.at) - raw(civil(now));
    }
    void on(Instant, const WelcomeIssued& welcome) { hosts_[welcome.name] = welcome.host; }
    void on(Instant, const AgentBegan& began) { processes_.try_emplace(began.host); }
    void on(Instant now, const AgentMessageReceived& received) { received_[received.host] = now; }
    void on(Instant, const ProcessBegan& began) { processes_[began.host].insert(began.process); }
    void on(Instant, const ProcessGone& gone) { processes_[gone.host].erase(gone.process); }

    void on(Instant now, const StepTaken& step) {
        for (const coordinator::OutsideCall& call : step.output.calls) {
            if (const auto* const remove = std::get_if<coordinator::RemoveNode>(&call.what)) {
                check_call(step, *remove);
            }
        }
        written_.on(step);
        if (PoolRows::are_in(step.output)) {
            check_rows(now, step);
        }
    }

private:
    using State = coordinator::PoolNodeState;
    static constexpr Duration answers_within = 2s;

    void check_call(const StepTaken& step, const coordinator::RemoveNode& remove) {
        // After a pause the core is behind what is durable.
        const auto is_in = [&](const coordinator::StoreImage& store) {
            return std::ranges::any_of(
                store.pool_nodes, [&](const coordinator::StoredPoolNode& row) {
                    return row.id == remove.id && row.state == State::removing;
                });
        };
        if (is_in(step.durable()) || is_in(step.store)) {
            return;
        }
        violated("P4", "{} of {} is removed, and its row does not say so", remove.id, remove.pool);
    }

    void check_rows(Instant now, const StepTaken& step) {
        const PoolRows rows{step, written_};
        for (const coordinator::StoredPoolNode& row : rows.put) {
            const auto before = rows.before.find(row.name);
            if (row.state != State::removing || before == rows.before.end() ||
                before->second.state == State::removing) {
                continue;
            }
            const coordinator::StoredPool* const pool = PoolRows::pool_of(step.durable(), row.pool);
            if (pool == nullptr) {
                violated("P4", "{} is removed, and its pool is not defined", row.name);
                continue;
            }
            check_end(now, rows, before->second, pool->spec);
        }
    }

    void check_end(Instant now, const PoolRows& rows, const coordinator::StoredPoolNode& row,
                   const PoolSpec& spec) {
        const auto age = [&](std::int64_t since) { return raw(civil(now)) + ahead_ms_ - since; };
        switch (row.state) {
            case State::requested:
                if (age(raw(row.since)) < static_cast<std::int64_t>(spec.arrive_within_ms)) {
                    violated("P4", "{} is removed before it had time to serve", row.name);
                }
                return;
            case State::active:
                if (!rows.is_lost(row.name)) {
                    violated("P4", "{} is removed without a drain, and is not lost", row.name);
                }
                return;
            case State::draining:
                if (!rows.is_lost(row.name) && has_work(now, row.name) &&
                    age(raw(row.since)) < static_cast<std::int64_t>(spec.max_drain_ms)) {
                    violated("P4", "{} is removed after {} ms of its drain, with work on it",
                             row.name, age(raw(row.since)));
                }
                return;
            case State::removing: return;
        }
    }

    /// Something runs there, and its agent answers.
    [[nodiscard]] bool has_work(Instant now, const std::string& node) const {
        const auto host = hosts_.find(node);
        if (host == hosts_.end()) {
            return false;
        }
        const auto heard = received_.find(host->second);
        const auto running = processes_.find(host->second);
        return heard != received_.end() && now - heard->second < answers_within &&
               running != processes_.end() && !running->second.empty();
    }

    std::int64_t ahead_ms_ = 0;  ///< Of the coordinator's clock.
    std::map<std::string, HostIndex> hosts_;
    std::map<HostIndex, Instant> received_;
    std::map<HostIndex, std::set<std::uint64_t>> processes_;
    WrittenNodes written_;
};

}  // namespace muster::sim
