#include "coordinator/core/planning/index/homes.hpp"

#include "common/base/ensure.hpp"

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

void Homes::set(TaskIndex task, Ordinal ordinal, NodeIndex node) {
    ensure(raw(task) < homes_.size() && ordinal < homes_[raw(task)].size(),
           "only a wanted instance has a home");
    NodeIndex& home = homes_[raw(task)][ordinal];
    if (home == node) {
        return;
    }
    ++version_;
    if (home != none) {
        loads_.remove(home);
    }
    if (node != none) {
        loads_.add(node);
    }
    home = node;
}

}  // namespace muster::coordinator
