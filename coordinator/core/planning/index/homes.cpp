#include "coordinator/core/planning/index/homes.hpp"

namespace muster::coordinator {

void Homes::resize(TaskIndex task, std::uint32_t instances) {
    std::vector<NodeIndex>& homes = made_at(homes_, task);
    for (std::size_t ordinal = instances; ordinal < homes.size(); ++ordinal) {
        set(task, static_cast<Ordinal>(ordinal), none);
    }
    if (homes.size() != instances) {
        homes.resize(instances, none);
        homes.shrink_to_fit();
    }
}

}  // namespace muster::coordinator
