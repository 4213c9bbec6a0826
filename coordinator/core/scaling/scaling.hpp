#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/ledger.hpp"
#include "coordinator/core/liveness/freeze_control.hpp"
#include "coordinator/core/liveness/liveness.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/pools/demand.hpp"
#include "coordinator/core/scaling/derived_demand.hpp"
#include "coordinator/core/scaling/members.hpp"
#include "coordinator/core/scaling/nodes_of_pools.hpp"
#include "coordinator/core/scaling/pool_pass.hpp"
#include "coordinator/core/scaling/pool_predictors.hpp"
#include "coordinator/core/scaling/providers.hpp"
#include "coordinator/core/workload/copies.hpp"

namespace muster::coordinator {

/// Keeps the size of each defined pool: demand in, nodes out.
///
/// A pool is looked at when its demand, its nodes or its provider's answers change, and when a
/// round closes. All changes of one look are one write, and the next look waits until it is
/// durable. So nothing is asked of a provider that the store does not know.
class Scaling {
public:
    /// The rooms that it reads, and the ledger, which it writes to.
    struct Rooms {
        const NodeRegistry& nodes;
        const Copies& copies;
        Ledger& ledger;
        const Liveness& liveness;
        const FreezeControl& freeze;
        Demand& demand;
        PoolPredictors& predictors;
    };

    Scaling(Instant now, const CoordinatorOptions& options, const Rooms& rooms);

    // ---- what happened ----
    void on_changed_node(NodeIndex index);
    void on_round_closed() { looks_at_all(); }
    void on_answer(StepContext& step, const OutsideAnswer& answer);
    /// Rows took effect.
    void on_durable(StepContext& step, const Change& change);

    /// The end of a step: looks at the pools that are due, and makes calls.
    void run(StepContext& step);
    [[nodiscard]] std::optional<Instant> next_deadline() const;

    // ---- for queries ----
    [[nodiscard]] const PoolDecision* decision_of(const std::string& pool) const;
    /// Why the membership of a pool is not to be trusted, and what fails. Empty: all is well.
    [[nodiscard]] std::string alarm_of(const std::string& pool) const;
    [[nodiscard]] std::vector<PoolNode> nodes_of(const std::string& pool) const;
    [[nodiscard]] const Members& members() const { return members_; }
    [[nodiscard]] std::uint64_t provider_failures() const { return providers_.failures(); }

private:
    friend struct CoreFields;

    struct OfPool {
        Sizing sizing{SizeLimits{}};
        PoolSpec spec{};            // As it took effect.
        bool is_inherited = false;  // It was defined in an earlier leadership.
        bool is_paused = false;
        std::optional<Instant> looked_at{};
        std::set<std::string> accepted{};  // Nodes that its provider may not list.
        Amount seen_amount = 0;            // What one of its nodes had last. 0: none was seen.
        std::map<std::string, std::uint32_t> grants{};  // That are not stored yet.
        Attempts growth{};  // It failed if the provider granted fewer nodes than it was asked for.
        PoolDecision decision{};
        std::string alarm{};
    };
    using Event = std::pair<std::string, std::pair<std::string, std::string>>;

    void looks_at_all();
    /// Looks at the pool, if it is defined, as soon as the last look was long enough ago.
    void look_soon(const std::string& pool);
    void look_soon(const std::string& name, const OfPool& of_pool);
    void look_at_due(StepContext& step, Change& change);
    /// Whether the last write is not durable yet.
    [[nodiscard]] bool is_writing() const { return in_.ledger.durable() < last_write_; }
    /// Whether a change of its definition is not durable yet. Nothing is decided meanwhile: a
    /// request would outlive the pool that is being removed, or go to the provider before.
    [[nodiscard]] bool is_changing(const std::string& pool) const {
        return in_.ledger.pools().proposals().find(pool) != nullptr;
    }
    void note_grant(Instant now, OfPool& of_pool, const StoredPoolNode& row,
                    const Providers::Answered& answered);
    /// The nodes of the pool that its provider has not listed.
    [[nodiscard]] std::set<std::string> missing_of(const std::string& pool,
                                                   const std::string& provider) const;
    /// Why a call because of the pool failed last. Empty: none did.
    [[nodiscard]] std::string failure_of_calls(const std::string& pool) const;
    void look(StepContext& step, const StoredPool& pool, OfPool& of_pool, Change& change);
    void announce_members(StepContext& step, const std::string& pool,
                          const std::vector<PoolNode>& nodes);
    [[nodiscard]] std::vector<PoolNode> gather(const StoredPool& pool) const;
    void add_facts(const StoredPool& pool, NodeIndex index, PoolNode& node) const;
    /// Listed names that belong to others.
    [[nodiscard]] std::set<std::string> foreign_of(const PoolSituation& at) const;
    void hold(Instant now, const OfPool& of_pool, PoolSituation& at) const;
    void apply(const StoredPool& pool, const PoolChange& decided, CivilMs now, Change& change);
    /// What predictors have learned.
    void save_learned(Change& change);
    void read_wanted();
    void call(StepContext& step);
    void index_rows();

    const CoordinatorOptions& options_;
    Rooms in_;
    Instant began_;
    NodesOfPools nodes_;
    Members members_;
    Providers providers_;
    DerivedDemand derived_;
    std::map<std::string, OfPool> pools_;  // The defined ones.
    std::set<std::string> due_;
    std::optional<Instant> next_look_;    // None of those that are due is looked at before.
    std::optional<Instant> demand_read_;  // When its changes were last read.
    std::map<std::string, std::vector<std::string>> rows_;  // The names of the rows of each pool.
    std::uint64_t last_write_ = 0;
    std::uint64_t last_call_ = 0;
    std::uint64_t last_request_ = 0;
    CivilMs time_known_since_{};  // 0: civil time is not known yet.
    bool calls_are_due_ = true;   // A call may begin.
    /// What the rows want of each provider. Empty: they have changed since it was read.
    std::map<std::string, Providers::Wanted> wanted_;
    std::vector<Event> events_;  // Of the write that is not durable yet.
};

}  // namespace muster::coordinator
