#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/spec/spec.hpp"
#include "sim/model/options.hpp"
#include "sim/scenario/verbs.hpp"

namespace muster::sim {

struct ScenarioNode {
    std::string name;
    Offer offer;
};

/// One verb of a scenario, and its time.
struct ScenarioStep {
    std::optional<Duration> at;     ///< Since the beginning.
    std::optional<Duration> after;  ///< Since the previous step.
    // Neither: as soon as the cluster has converged after the previous step.
    ScenarioAction action;
    Duration down = 30s;               ///< How long hosts are off during a restart.
    std::uint32_t times = 3;           ///< How often a wire is cut and healed.
    Duration period = 20s;             ///< Of one cut and heal; cut in its first half.
    Duration by = 500ms;               ///< The extra time of each message, one way.
    bool force = false;                ///< A drain stops instances without another place.
    std::vector<ScenarioNode> join{};  ///< Nodes that join.
    std::vector<WantedTask> tasks{};   ///< Tasks that are applied.
};

/// A written scenario: nodes, the tasks on them, and what happens to both.
struct Scenario {
    std::string file;
    ClusterOptions options;     ///< Without nodes; with the seed.
    Duration patience = 15min;  ///< How long each step may take to converge.
    std::vector<ScenarioNode> nodes;
    std::vector<WantedTask> tasks;
    std::vector<ScenarioStep> steps;
};

/// Reads a scenario (docs/internals/scenarios.md), completely or not at all. Returns the first
/// fault as `FILE:LINE: what is wrong; what would be right`. Task files are read relative to
/// `file`.
[[nodiscard]] Result<Scenario> scenario_from_toml(std::string_view text, std::string_view file);

/// Reads a scenario from a file. `io`: it cannot be read.
[[nodiscard]] Result<Scenario> read_scenario(const std::string& file);

}  // namespace muster::sim
