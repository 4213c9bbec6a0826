#pragma once

#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "coordinator/core/pools/forecast/need_sample.hpp"

namespace muster::sim {

/// What a pool needed over some time.
using History = std::vector<coordinator::NeedSample>;

/// Reads lines of `TIME,AMOUNT`, the times in ascending order: seconds since 1970, or
/// `2026-11-02T10:00:00Z`. A first line of words is a heading. Errors name the line.
[[nodiscard]] Result<History> read_history(std::string_view csv);

/// Four weeks of a service: 28 days from a Monday on, a sample each ten seconds. It has a course of
/// the day and of the week, noise, and a spike about twice in three days.
[[nodiscard]] History generated_month(std::uint64_t seed);

}  // namespace muster::sim
