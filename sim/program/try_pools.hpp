#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "sim/pools/trial.hpp"

namespace muster::sim {

struct PoolsOptions {
    std::string file;  ///< Lines of TIME,AMOUNT; `-` is standard input. Empty: the month.
    std::optional<std::uint64_t> month;
    TrialOptions trial{};
};

/// How each predictor would have sized a pool through this history, as a table.
[[nodiscard]] Result<std::string> try_pools(const PoolsOptions& options, bool colours);

}  // namespace muster::sim
