#pragma once

namespace muster::mutants {

/// The number of the active mutant in this process. 0: there is none.
constinit inline int at_work = 0;

/// Called wherever a mutated source has two ways to continue.
[[nodiscard]] inline bool chosen(int number) { return at_work == number; }

}  // namespace muster::mutants
