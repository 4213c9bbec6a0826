#pragma once

#include "common/base/random.hpp"
#include "common/spec/spec.hpp"

namespace muster::sim {

// Random requests of operators.

/// The program of a task, and how it is replaced.
[[nodiscard]] TaskSpec any_spec(Random& random);
/// Where a task runs: anywhere in two of three cases.
[[nodiscard]] PlacementRule any_rule(Random& random);
/// The offer of a host: one of three racks, rarely its own pool, sometimes few slots.
[[nodiscard]] Offer any_offer(Random& random);

}  // namespace muster::sim
