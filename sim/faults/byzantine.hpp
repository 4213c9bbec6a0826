#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/agent.hpp"
#include "coordinator/core/rows.hpp"
#include "sim/model/truth.hpp"

namespace muster::sim {

/// How a byzantine host falsifies all its reports, from some moment on.
enum class ReportFalsification : std::uint8_t {
    none,
    /// It reports that it runs everything that is wanted, and has run it the longest. It shows no
    /// proof, a forged one, that of another host, or the last one that it got itself.
    claims,
    swallows,  ///< It obeys, and does not report new instances.
    by_turns,  ///< Like `swallows`, in every second answer.
};
[[nodiscard]] std::string_view to_string(ReportFalsification manner);

/// Uses its own random numbers, so that all other draws stay the same.
[[nodiscard]] ReportFalsification random_falsification(std::uint64_t seed);

/// The instances that the host does not hide.
using Shown = std::set<std::pair<InstanceId, Generation>>;

/// What a byzantine host knows of others.
struct Known {
    HostIndex self{};
    const coordinator::StoreImage& store;
    /// The last proof that each host got for each instance.
    const std::map<InstanceId, std::map<HostIndex, Proof>>& proofs;
};

/// The report that a host of that manner sends instead of the true one.
[[nodiscard]] Report report_in(ReportFalsification manner, const Report& truth,
                               const std::vector<agent::LocalInstance>& instances,
                               const Shown& shown, const Known& known);

}  // namespace muster::sim
