#include "sim/mutants/mutants.hpp"

namespace muster::sim {

std::span<const Mutant> mutants() { return {}; }

void put_to_work(const Mutant* /*mutant*/) {}

}  // namespace muster::sim
