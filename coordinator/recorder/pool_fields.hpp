#pragma once

#include "coordinator/core/operators/pools/demand_handler.hpp"
#include "coordinator/core/operators/pools/pool_handler.hpp"
#include "coordinator/core/pools/forecasts.hpp"
#include "coordinator/core/scaling/scaling.hpp"
#include "coordinator/recorder/members.hpp"

namespace muster::coordinator {

/// The state of demand and forecasts.
struct CoreFields::OfPools {
    static constexpr auto names(const Demand::Claim*) { return "pool amount until"; }
    static constexpr auto names(const Demand::Pool*) { return "name total reporters changed"; }
    static constexpr auto names(const Demand::Reporter*) { return "life sequence until claims"; }
    static constexpr auto names(const Demand*) {
        return "pools free by_name reporters claims changed next";
    }
    static constexpr auto names(const Window*) { return "length samples"; }
    static constexpr auto names(const Trend*) { return "ahead window"; }
    static constexpr auto names(const Peak*) { return "decay_percent window"; }
    static constexpr auto names(const Seasonal::Quarter*) { return "number sum count"; }
    static constexpr auto names(const Seasonal*) { return "ahead window quarters week day"; }
    static constexpr auto names(const Predictors*) { return "last trend peak seasonal"; }
    static constexpr auto names(const ForecastScore*) {
        return "predictions short_ones over under";
    }
    static constexpr auto names(const TrackRecord*) { return "open score"; }
    static constexpr auto names(const Forecast*) { return "ahead predictors own others recent"; }
    static constexpr auto names(const Forecasts::OfPool*) { return "needed forecast"; }
    static constexpr auto names(const Forecasts*) { return "last pools"; }
    static constexpr auto names(const DemandHandler*) { return "-changes -demand"; }
    static constexpr auto names(const PoolHandler*) { return "-options -changes"; }
    static constexpr auto names(const SizeLimits*) {
        return "min max step up_cooldown down_cooldown";
    }
    static constexpr auto names(const Sizing*) { return "limits grew changed"; }
    static constexpr auto names(const NodesOfPools*) { return "-nodes -offers pool_of by_pool"; }
    static constexpr auto names(const Members::Member*) { return "node address amount"; }
    static constexpr auto names(const Members::Joined*) { return "member in_version"; }
    static constexpr auto names(const Members::Left*) { return "node in_version"; }
    static constexpr auto names(const Members::OfPool*) {
        return "version nodes left left_known_since";
    }
    static constexpr auto names(const Members*) { return "pools last_version"; }
    static constexpr auto names(const Attempts::Attempt*) { return "call failures next why"; }
    static constexpr auto names(const Attempts*) { return "all under_way"; }
    static constexpr auto names(const Providers::Listing*) { return "nodes number"; }
    static constexpr auto names(const Providers::Provider*) {
        return "attempts listing listed_at interval";
    }
    static constexpr auto names(const Providers*) { return "providers failures"; }
    static constexpr auto names(const Schedule::Entry*) { return "from amount"; }
    static constexpr auto names(const Schedule*) { return "entries"; }
    static constexpr auto names(const AskedPredictors::Answer*) { return "amount at"; }
    static constexpr auto names(const AskedPredictors*) { return "attempts answers"; }
    static constexpr auto names(const PoolPredictors::OfPool*) {
        return "active others zone schedule";
    }
    static constexpr auto names(const PoolPredictors*) {
        return "-options -demand -forecasts asked offsets unknown_zones pools looked unsaved "
               "saved_hour";
    }
    static constexpr auto names(const DerivedDemand::Needs*) {
        return "memory_bytes cpu_milli slots";
    }
    static constexpr auto names(const DerivedDemand*) { return "-workload pools is_due"; }
    static constexpr auto names(const PoolDecision*) {
        return "at code detail demand derived wanted capacity nodes up down";
    }
    static constexpr auto names(const Scaling::OfPool*) {
        return "sizing spec is_inherited is_paused looked_at accepted seen_amount grants "
               "growth decision alarm";
    }
    static constexpr auto names(const Scaling*) {
        return "-options -in began nodes members providers derived pools due "
               "next_look demand_read rows last_write last_call last_request time_known_since "
               "calls_are_due "
               "-wanted "
               "events";
    }
};

}  // namespace muster::coordinator
