#pragma once

#include <vector>

#include "common/base/ids.hpp"
#include "coordinator/core/workload/placements.hpp"

/// Copies as people see them.
namespace muster::coordinator {

/// The instances that the node reported and those ordered there, by id.
[[nodiscard]] std::vector<InstanceView> views_on(const Workload& workload,
                                                 const Placements& placements, NodeIndex node);
/// One copy.
[[nodiscard]] InstanceView view_of(const Workload& workload, const Placements& placements,
                                   TaskIndex task, const Copy& copy);

}  // namespace muster::coordinator
