#pragma once

#include "common/base/result.hpp"
#include "coordinator/options.hpp"

namespace muster::coordinator {

/// Runs the coordinator until SIGTERM or SIGINT. An error is why it could not start, or why its
/// leadership ended.
[[nodiscard]] Result<void> run_coordinator(const Options& options);

}  // namespace muster::coordinator
