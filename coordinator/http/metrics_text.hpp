#pragma once

#include <string>

#include "common/messages/operator.hpp"

namespace muster::coordinator {

/// The numbers in the text form of Prometheus, version 0.0.4. Durations are in seconds there:
/// `muster_round` becomes the histogram `muster_round_seconds`.
[[nodiscard]] std::string metrics_text(const StatsReply& stats);

}  // namespace muster::coordinator
