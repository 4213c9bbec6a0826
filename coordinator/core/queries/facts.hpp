#pragma once

#include "coordinator/core/membership/membership.hpp"
#include "coordinator/core/planning/planning.hpp"
#include "coordinator/core/planning/reasons.hpp"
#include "coordinator/core/pools/forecasts.hpp"
#include "coordinator/core/scaling/scaling.hpp"

namespace muster::coordinator {

/// All that a query may read. Everything is const, so a query cannot change anything.
struct Facts {
    Instant now;
    const CivilClock& clock;
    const CoordinatorOptions& options;
    const NodeRegistry& nodes;
    const Copies& copies;
    const Ledger& ledger;
    const Suspension& suspension;
    const Liveness& liveness;
    const FreezeControl& freeze;
    const Membership& membership;
    const Planning& planning;
    const EventLog& events;
    const Demand& demand;
    const Forecasts& forecasts;
    const PoolPredictors& predictors;
    const Scaling& scaling;

    [[nodiscard]] CivilMs civil() const { return clock.at(now); }
    [[nodiscard]] const Planner& planner() const { return planning.planner(); }
    [[nodiscard]] Reasons reasons() const { return {nodes, copies.workload, planner()}; }
};

}  // namespace muster::coordinator
