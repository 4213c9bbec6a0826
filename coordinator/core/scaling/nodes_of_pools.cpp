#include "coordinator/core/scaling/nodes_of_pools.hpp"

#include <utility>

namespace muster::coordinator {

std::vector<std::string> NodesOfPools::on_changed(NodeIndex index) {
    std::vector<std::string> changed;
    const auto known = pool_of_.find(index);
    const bool exists = !nodes_[index].name.empty();
    const std::string now = exists ? offers_.offer(index).pool : std::string{};
    if (known != pool_of_.end() && (!exists || known->second != now)) {
        const auto before = by_pool_.find(known->second);
        before->second.erase(index);
        if (before->second.empty()) {
            by_pool_.erase(before);
        }
        changed.push_back(std::move(known->second));
        pool_of_.erase(known);
    }
    if (exists) {
        pool_of_.insert_or_assign(index, now);
        by_pool_[now].insert(index);
        changed.push_back(now);
    }
    return changed;
}

const std::set<NodeIndex>& NodesOfPools::of(const std::string& pool) const {
    static const std::set<NodeIndex> none;
    const auto found = by_pool_.find(pool);
    return found == by_pool_.end() ? none : found->second;
}

}  // namespace muster::coordinator
