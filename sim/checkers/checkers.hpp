#pragma once

#include <vector>

#include "sim/checkers/agents/agent_orders.hpp"
#include "sim/checkers/agents/amnesia_guard.hpp"
#include "sim/checkers/agents/byzantine_agents.hpp"
#include "sim/checkers/agents/exclusive.hpp"
#include "sim/checkers/agents/unfit_hosts.hpp"
#include "sim/checkers/counts.hpp"
#include "sim/checkers/durable_state.hpp"
#include "sim/checkers/ends_kept.hpp"
#include "sim/checkers/fleet/drains.hpp"
#include "sim/checkers/fleet/mass_silence.hpp"
#include "sim/checkers/fleet/recovery_grace.hpp"
#include "sim/checkers/instance_bound.hpp"
#include "sim/checkers/keys/audit_rows.hpp"
#include "sim/checkers/keys/proved_keys.hpp"
#include "sim/checkers/leaders.hpp"
#include "sim/checkers/observer.hpp"
#include "sim/checkers/once_per_request.hpp"
#include "sim/checkers/placing.hpp"
#include "sim/checkers/pools/pool_bounds.hpp"
#include "sim/checkers/pools/pool_listings.hpp"
#include "sim/checkers/pools/pool_numbers.hpp"
#include "sim/checkers/pools/pool_removals.hpp"
#include "sim/checkers/pools/pool_requests.hpp"

namespace muster::sim {

/// All safety checkers. They get every observation after every step.
class Checkers {
public:
    template <class Observation>
    void on(Instant now, const Observation& observation) {
        // `copies_` first, because other checkers read it.
        observe_all(now, observation, copies_, durable_state_, once_per_request_, agent_orders_,
                    instance_bound_, mass_silence_, recovery_grace_, amnesia_guard_, leaving_,
                    placing_, drains_, counts_, exclusive_, unfit_hosts_, byzantine_agents_,
                    ends_kept_, proved_keys_, audit_rows_, leaders_, pool_numbers_, pool_bounds_,
                    pool_removals_, pool_requests_, pool_listings_);
        if constexpr (requires { observer_->on(now, observation); }) {
            if (observer_ != nullptr) {
                observer_->on(now, observation);
            }
        }
    }
    /// A component that measures: it gets every observation, too. It must outlive this.
    void set_observer(Observer& observer) { observer_ = &observer; }

    /// The violations since the last call.
    [[nodiscard]] std::vector<Violation> take_violations() { return std::exchange(found_, {}); }
    [[nodiscard]] bool ok() const { return found_.empty(); }

private:
    void observe_all(Instant now, const auto& observation, auto&... checkers) {
        (observe(now, observation, checkers), ...);
    }
    void observe(Instant now, const auto& observation, auto& checker) {
        if constexpr (requires { checker.on(now, observation); }) {
            checker.on(now, observation);
            for (Violation& violation : checker.take_violations()) {
                found_.push_back(std::move(violation));
            }
        }
    }

    Copies copies_;
    DurableState durable_state_;                 // S1, S2
    OncePerRequest once_per_request_;            // S3
    AgentOrders agent_orders_;                   // S5, S6, S12
    InstanceBound instance_bound_{copies_};      // S7
    Exclusive exclusive_;                        // S8
    MassSilence mass_silence_;                   // S9
    RecoveryGrace recovery_grace_;               // S11
    AmnesiaGuard amnesia_guard_{copies_};        // S13
    Leaving leaving_{copies_};                   // S17, L5
    ByzantineAgents byzantine_agents_{copies_};  // S18
    Placing placing_{copies_};
    Drains drains_;           // L5
    UnfitHosts unfit_hosts_;  // L10
    EndsKept ends_kept_;      // S26
    ProvedKeys proved_keys_;  // S19
    AuditRows audit_rows_;    // S22
    Leaders leaders_;         // S4, S5, L2
    Counts counts_;
    PoolNumbers pool_numbers_;    // P1
    PoolBounds pool_bounds_;      // P3
    PoolRemovals pool_removals_;  // P4
    PoolRequests pool_requests_;  // P5, P6
    PoolListings pool_listings_;  // P7
    Observer* observer_ = nullptr;
    std::vector<Violation> found_;
};

}  // namespace muster::sim
