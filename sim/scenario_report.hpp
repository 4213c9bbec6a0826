#pragma once

#include <string>

#include "cli/table.hpp"
#include "sim/scenario_file.hpp"
#include "sim/scenario_run.hpp"

namespace muster::sim {

/// A table with a row for each step, and what it means, for people; broken promises first.
[[nodiscard]] std::string to_text(const Scenario& scenario, const ScenarioResult& result,
                                  const cli::Style& style);

/// The same as one line of JSON; times in ms. docs/scenarios.md has its fields.
[[nodiscard]] std::string to_json(const Scenario& scenario, const ScenarioResult& result);

}  // namespace muster::sim
