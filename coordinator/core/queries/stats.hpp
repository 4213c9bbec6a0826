#pragma once

#include <string>

#include "common/messages/operator.hpp"
#include "coordinator/core/planning/histogram.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// The coordinator in numbers. What is so now is that of status(), so the two agree.
[[nodiscard]] StatsReply stats(const Facts& facts);

/// A histogram as it is told to clients.
[[nodiscard]] Durations durations_of(std::string name, MetricLabels labels,
                                     const Histogram& histogram);

}  // namespace muster::coordinator
