#pragma once

#include "common/base/time.hpp"
#include "coordinator/core/events/event_log.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/fleet_room.hpp"
#include "coordinator/core/ledger/ledger.hpp"
#include "coordinator/core/liveness/freeze_control.hpp"
#include "coordinator/core/liveness/liveness.hpp"
#include "coordinator/core/membership/membership.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/planning/planning.hpp"
#include "coordinator/core/pools/forecasts.hpp"
#include "coordinator/core/queries/facts.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/core/scaling/scaling.hpp"
#include "coordinator/core/security/access.hpp"
#include "coordinator/core/security/enrolments.hpp"
#include "coordinator/core/security/key_renewals.hpp"
#include "coordinator/core/suspension/suspension.hpp"
#include "coordinator/core/workload/copies.hpp"

namespace muster::coordinator {

/// The state of the coordinator, bottom up: a room uses only the rooms above it in this list.
struct Memory {
    Memory(Instant now, CoordinatorOptions given, const StoreImage& image);
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() = default;

    [[nodiscard]] Facts facts(Instant now) const;

    CoordinatorOptions options;
    CivilClock clock;
    EventLog events;
    NodeRegistry nodes;
    Copies copies;
    Ledger ledger;
    Access access;
    Enrolments enrolments;
    KeyRenewals renewals;
    FleetRoom room;
    Suspension suspension;
    Liveness liveness;
    FreezeControl freeze;
    Membership membership;
    Planning planning;
    Demand demand;
    Forecasts forecasts;
    PoolPredictors predictors;
    Scaling scaling;
};

}  // namespace muster::coordinator
