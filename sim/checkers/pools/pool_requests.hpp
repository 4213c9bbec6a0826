#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "sim/checkers/checker.hpp"
#include "sim/checkers/pools/pool_rows.hpp"

namespace muster::sim {

/// P5: a settled pool asks for nothing and drains nothing.
///
/// P6: a request id stands for one request: its pool and its count never change, and its row is
/// durable before it is made. A new leader asks for nothing, and begins no drain, until it has read
/// a listing and all reporters have had the time to repeat what they need.
class PoolRequests : public Checker {
public:
    void on(Instant now, const LeadershipBegan& began) {
        written_.clear();
        Leadership& leadership = leaderships_[began.image.meta.epoch];
        leadership = {.began = now};
        for (const coordinator::StoredPool& pool : began.image.pools) {
            leadership.inherited.insert(pool.name);
        }
    }
    void on(Instant, const PoolsSettled& settled) { is_settled_ = settled.is_settled; }

    void on(Instant now, const StepTaken& step) {
        const auto found = leaderships_.find(step.store.meta.epoch);
        if (found != leaderships_.end()) {
            if (const auto* const answer = std::get_if<coordinator::OutsideAnswer>(&step.input)) {
                found->second.has_listing =
                    found->second.has_listing ||
                    std::holds_alternative<coordinator::NodesListed>(answer->result);
            }
        }
        for (const coordinator::OutsideCall& call : step.output.calls) {
            if (const auto* const what = std::get_if<coordinator::ProvisionNodes>(&call.what)) {
                check_request(step, *what);
            }
        }
        // A node that is suspended meanwhile, for its full disk, for example, is replaced.
        for (const Event& event : step.output.events) {
            is_settled_ = is_settled_ && event.topic != "node.suspended";
        }
        written_.on(step);
        if (PoolRows::are_in(step.output)) {
            check_rows(now, step, found == leaderships_.end() ? Leadership{} : found->second);
        }
    }

private:
    using State = coordinator::PoolNodeState;
    struct Leadership {
        Instant began{};
        std::set<std::string> inherited{};  ///< Pools of an earlier leadership.
        bool has_listing = false;
    };

    void check_request(const StepTaken& step, const coordinator::ProvisionNodes& what) {
        const auto [first, is_first] =
            made_.emplace(what.request, std::pair{what.pool, what.count});
        if (!is_first && first->second != std::pair{what.pool, what.count}) {
            violated("P6", "request {} is for {} of {}, and was for {} of {}", what.request,
                     what.count, what.pool, first->second.second, first->second.first);
        }
        if (what.count == 0) {
            violated("P6", "request {} is for nothing", what.request);
        }
        // After a pause the core is behind what is durable.
        const auto is_in = [&](const coordinator::StoreImage& store) {
            return std::ranges::any_of(store.pool_nodes,
                                       [&](const coordinator::StoredPoolNode& row) {
                                           return row.request == what.request;
                                       });
        };
        if (!is_in(step.durable()) && !is_in(step.store)) {
            violated("P6", "request {} is made, and not stored", what.request);
        }
    }

    void check_rows(Instant now, const StepTaken& step, const Leadership& leadership) {
        const PoolRows rows{step, written_};
        for (const coordinator::StoredPoolNode& row : rows.put) {
            const auto before = rows.before.find(row.name);
            const bool is_asked = before == rows.before.end() && row.id.empty();
            const bool is_drained = before != rows.before.end() && row.state == State::draining &&
                                    before->second.state == State::active;
            if (!is_asked && !is_drained) {
                continue;
            }
            const char* const what = is_asked ? "asks for a node" : "drains a node";
            if (is_settled_) {
                violated("P5", "{} {}, and nothing has changed", row.pool, what);
            }
            if (!leadership.has_listing) {
                violated("P6", "{} {} before its provider has listed its nodes", row.pool, what);
            }
            const coordinator::StoredPool* const pool = PoolRows::pool_of(step.durable(), row.pool);
            if (pool != nullptr && leadership.inherited.contains(row.pool) &&
                now < leadership.began + std::chrono::milliseconds{
                                             static_cast<std::int64_t>(pool->spec.demand_ttl_ms)}) {
                violated("P6", "{} {} before its reporters had time to repeat what they need",
                         row.pool, what);
            }
        }
    }

    std::map<Epoch, Leadership> leaderships_;
    std::map<std::string, std::pair<std::string, std::uint32_t>> made_;  ///< By request.
    bool is_settled_ = false;
    WrittenNodes written_;
};

}  // namespace muster::sim
