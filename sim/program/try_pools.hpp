#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "sim/pools/trial.hpp"

namespace muster::sim {

struct PoolsOptions {
    std::string file;  ///< Lines of TIME,AMOUNT; `-` is standard input. Empty: the month.
    std::optional<std::uint64_t> month;
    TrialOptions trial{};
    std::vector<std::string> schedule;  ///< The lines of a schedule. None: it is not tried.
    std::string zone = "UTC";           ///< Of the schedule.
};

/// How each predictor would have sized a pool through this history, as a table.
[[nodiscard]] Result<std::string> try_pools(const PoolsOptions& options, bool colours);

}  // namespace muster::sim
