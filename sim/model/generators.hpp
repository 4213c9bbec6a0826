#pragma once

#include "common/base/random.hpp"
#include "common/spec/spec.hpp"

namespace muster::sim {

// What operators wish for, drawn.

/// What a task runs, and how it is replaced.
[[nodiscard]] TaskSpec any_spec(Random& random);
/// Where it runs: anywhere, two times in three.
[[nodiscard]] PlacementRule any_rule(Random& random);
/// What a host has: a rack of three, seldom a pool of its own, and sometimes few slots.
[[nodiscard]] Offer any_offer(Random& random);

}  // namespace muster::sim
