#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/agent.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::sim {

/// How a byzantine host falsifies all its reports, from some moment on.
enum class ReportFalsification : std::uint8_t {
    none,
    claims,    ///< It reports that it runs everything that is wanted, and has run it the longest.
    swallows,  ///< It obeys, and does not report new instances.
    by_turns,  ///< Like `swallows`, in every second answer.
};
[[nodiscard]] std::string_view to_string(ReportFalsification manner);

/// Uses its own random numbers, so that all other draws stay the same.
[[nodiscard]] ReportFalsification random_falsification(std::uint64_t seed);

/// The instances that the host does not hide.
using Shown = std::set<std::pair<InstanceId, Generation>>;

/// The report that a host of that manner sends instead of the true one.
[[nodiscard]] Report report_in(ReportFalsification manner, const Report& truth,
                               const std::vector<agent::LocalInstance>& instances,
                               const Shown& shown, const coordinator::StoreImage& store);

}  // namespace muster::sim
