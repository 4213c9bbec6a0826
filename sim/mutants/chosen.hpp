#pragma once

namespace muster::mutants {

/// Of the mutant that is at work in this process; 0: none is.
constinit inline int at_work = 0;

/// Asked at each place where a mutated source has two ways to go on.
[[nodiscard]] inline bool chosen(int number) { return at_work == number; }

}  // namespace muster::mutants
