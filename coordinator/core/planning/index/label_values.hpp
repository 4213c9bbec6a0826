#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// Each node's value of one label, as a small number. Nodes without the label share a number, too.
struct LabelValues {
    std::vector<std::uint32_t> of;  ///< By NodeIndex.
    std::uint32_t count = 0;        ///< Numbers are below this.
    std::uint64_t offers = 0;       ///< As of this many changes of offers.
};

/// Numbers are given in the order of the nodes' names.
[[nodiscard]] LabelValues label_values(const Placements& placements, std::string_view key);

}  // namespace muster::coordinator
