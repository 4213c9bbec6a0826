#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "coordinator/core/pools/forecast/forecast.hpp"
#include "coordinator/core/pools/forecast/schedule.hpp"
#include "coordinator/core/pools/sizing.hpp"
#include "sim/pools/history.hpp"

namespace muster::sim {

/// A pool whose nodes come and go as told.
struct TrialOptions {
    coordinator::SizeLimits limits{};
    coordinator::Amount of_node = 100;
    Duration boot = 3min;  ///< From the request for a node until it serves.
    Duration drain = 50s;  ///< So long a node that drains is still paid for.
    std::optional<coordinator::Schedule> schedule{};  ///< Tried, too, if there is one.
    /// Of the schedule's zone at a time, in seconds.
    std::function<std::int32_t(CivilMs)> utc_offset = [](CivilMs /*at*/) { return 0; };
};

/// How a predictor would have done.
struct Score {
    std::string name;
    Duration under{};         ///< So long the pool had less than was needed.
    Duration nodes{};         ///< The sum of the times of all nodes, from request to removal.
    std::uint64_t asked = 0;  ///< Nodes that were asked for.
    std::uint64_t error = 0;  ///< Mean distance of prediction and need, when a node comes.

    friend bool operator==(const Score&, const Score&) = default;
};

/// Sizes a pool through a history by each predictor, deciding at each sample, and first by the
/// rules of a reactive pool manager (`reactive`): as much as is needed now, 20 nodes at once,
/// without any other limit. A schedule is last (`schedule`).
[[nodiscard]] std::vector<Score> try_all(const History& history, const TrialOptions& options);

}  // namespace muster::sim
