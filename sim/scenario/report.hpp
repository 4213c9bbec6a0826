#pragma once

#include <string>

#include "sim/scenario/run.hpp"

namespace muster::sim {

/// For people: broken promises, a table with a row for each step, the notes of the steps, and the
/// result. The width of the table is not limited.
[[nodiscard]] std::string to_text(const Scenario& scenario, const ScenarioResult& result,
                                  bool colours);

/// The same as one line of JSON; times in ms. docs/internals/scenarios.md has its fields.
[[nodiscard]] std::string to_json(const Scenario& scenario, const ScenarioResult& result);

}  // namespace muster::sim
