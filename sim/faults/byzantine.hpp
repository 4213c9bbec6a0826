#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/agent.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::sim {

/// How a host lies in all that it reports, from some moment on.
enum class Manner : std::uint8_t {
    none,
    claims,    ///< It runs all that is wanted, it says, and has for longest.
    swallows,  ///< It obeys, and reports nothing of what is new.
    by_turns,  ///< The same in every other answer.
};
[[nodiscard]] std::string_view to_string(Manner manner);

/// By dice of its own, which leave those of all else alone.
[[nodiscard]] Manner drawn_manner(std::uint64_t seed);

/// What it does not hide.
using Shown = std::set<std::pair<InstanceId, Generation>>;

/// What a host of that manner answers instead of this, where it has these instances.
[[nodiscard]] Report report_in(Manner manner, const Report& truth,
                               const std::vector<agent::LocalInstance>& instances,
                               const Shown& shown, const coordinator::StoreImage& store);

}  // namespace muster::sim
