#include "coordinator/core/planning/index/homes.hpp"

namespace muster::coordinator {

void Homes::resize(TaskIndex task, std::uint32_t instances) {
    if (raw(task) >= homes_.size()) {
        homes_.resize(std::size_t{raw(task)} + 1);
    }
    std::vector<NodeIndex>& homes = homes_[raw(task)];
    for (std::size_t ordinal = instances; ordinal < homes.size(); ++ordinal) {
        set(task, static_cast<Ordinal>(ordinal), none);
    }
    if (homes.size() != instances) {
        homes.resize(instances, none);
        homes.shrink_to_fit();
    }
}

}  // namespace muster::coordinator
