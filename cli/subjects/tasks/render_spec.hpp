#pragma once

#include "cli/screen/facts.hpp"
#include "common/spec/spec.hpp"

namespace muster::cli {

/// What every task says of its process, and what this one says that the defaults do not.
void add_spec(Facts& facts, const TaskSpec& spec);

}  // namespace muster::cli
