#pragma once

#include <vector>

#include "common/base/ids.hpp"
#include "coordinator/core/workload/placements.hpp"

/// Copies as people see them.
namespace muster::coordinator {

/// All that is known of what the node reported, by id; and what is ordered there.
[[nodiscard]] std::vector<InstanceView> views_on(const Workload& workload,
                                                 const Placements& placements, NodeIndex node);
/// One copy.
[[nodiscard]] InstanceView view_of(const Workload& workload, const Placements& placements,
                                   TaskIndex task, const Copy& copy);

}  // namespace muster::coordinator
