#pragma once

#include "coordinator/core/operators/demand_handler.hpp"
#include "coordinator/core/pools/forecasts.hpp"
#include "coordinator/recorder/members.hpp"

namespace muster::coordinator {

/// The state of demand and forecasts.
struct CoreFields::OfPools {
    static constexpr auto names(const Demand::Claim*) { return "pool amount until"; }
    static constexpr auto names(const Demand::Pool*) { return "name total reporters"; }
    static constexpr auto names(const Demand::Reporter*) { return "life sequence until claims"; }
    static constexpr auto names(const Demand*) {
        return "pools free by_name reporters claims next";
    }
    static constexpr auto names(const NeedSample*) { return "at need"; }
    static constexpr auto names(const Window*) { return "length samples"; }
    static constexpr auto names(const Trend*) { return "ahead window"; }
    static constexpr auto names(const Peak*) { return "decay_percent window"; }
    static constexpr auto names(const Seasonal::Quarter*) { return "number sum count"; }
    static constexpr auto names(const Seasonal*) { return "ahead window quarters week day"; }
    static constexpr auto names(const Predictors*) { return "last trend peak seasonal"; }
    static constexpr auto names(const ForecastScore*) {
        return "predictions short_ones over under";
    }
    static constexpr auto names(const Forecast::Prediction*) { return "of amounts"; }
    static constexpr auto names(const Forecast*) { return "ahead predictors scores open recent"; }
    static constexpr auto names(const Forecasts::OfPool*) { return "needed forecast"; }
    static constexpr auto names(const Forecasts*) { return "last pools"; }
    static constexpr auto names(const DemandHandler*) { return "-ledger -demand"; }
};

}  // namespace muster::coordinator
