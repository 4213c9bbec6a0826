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

/// One verb of a scenario, and when.
struct ScenarioStep {
    std::optional<Duration> at;     ///< Since the beginning,
    std::optional<Duration> after;  ///< or since the step before.
    // Neither: as soon as the cluster is as wanted after the step before.
    Deed deed;
    Duration down = 30s;               ///< That hosts are off while they are restarted.
    std::uint32_t times = 3;           ///< That a wire is cut and healed,
    Duration period = 20s;             ///< each time in so long, cut in its first half.
    Duration by = 500ms;               ///< That each message takes longer, one way.
    bool force = false;                ///< A drain stops what has no other place.
    std::vector<ScenarioNode> join{};  ///< Nodes that join,
    std::vector<WantedTask> tasks{};   ///< and tasks that are applied.
};

/// A written scenario: a fleet, what is to run on it, and what happens to both.
struct Scenario {
    std::string file;
    ClusterOptions options;     ///< Without nodes; with the seed.
    Duration patience = 15min;  ///< So long each step is given until the cluster is as wanted.
    std::vector<ScenarioNode> nodes;
    std::vector<WantedTask> tasks;
    std::vector<ScenarioStep> steps;
};

/// Reads a scenario (docs/internals/scenarios.md). All or nothing: the first fault is `FILE:LINE:
/// what is wrong; what would be right`. Task files that it names are read, beside `file`.
[[nodiscard]] Result<Scenario> scenario_from_toml(std::string_view text, std::string_view file);

/// The same of a file. `io`: it cannot be read.
[[nodiscard]] Result<Scenario> read_scenario(const std::string& file);

}  // namespace muster::sim
