#pragma once

#include <string>

#include "common/messages/operator.hpp"
#include "coordinator/core/planning/histogram.hpp"

namespace muster::coordinator {

/// A histogram as it is told to those who ask.
[[nodiscard]] Durations durations_of(std::string name, MetricLabels labels,
                                     const Histogram& histogram);

}  // namespace muster::coordinator
