#include "sim/mutants/mutants.hpp"

namespace muster::sim {

std::span<const Mutant> mutants() { return {}; }

void activate(const Mutant* /*mutant*/) {}

}  // namespace muster::sim
