#include "coordinator/core/scaling/derived_demand.hpp"

#include <algorithm>
#include <bit>

namespace muster::coordinator {

namespace {

/// No sum is more than its type holds.
void add(std::uint64_t& sum, std::uint64_t count, std::uint64_t each) {
    constexpr std::uint64_t most = ~std::uint64_t{0};
    sum = each > 0 && count > (most - sum) / each ? most : sum + count * each;
}

}  // namespace

void DerivedDemand::count() {
    pools_.clear();
    for (const TaskIndex index : workload_.wanted()) {
        const Task& task = workload_[index];
        if (task.place.every_node) {
            continue;
        }
        std::uint64_t ended = 0;
        if (task.keeps_ends()) {
            for (const std::uint64_t word : task.ended_well.words) {
                ended += static_cast<std::uint64_t>(std::popcount(word));
            }
        }
        const std::uint64_t instances = task.instances > ended ? task.instances - ended : 0;
        Needs& needs = pools_[task.place.pool];
        add(needs.memory_bytes, instances, task.place.request.memory_bytes);
        add(needs.cpu_milli, instances, task.place.request.cpu_milli);
        add(needs.slots, instances, task.place.request.slots);
    }
}

Amount DerivedDemand::of(const std::string& pool, PoolUnit unit) {
    if (is_due_) {
        is_due_ = false;
        count();
    }
    const auto found = pools_.find(pool);
    if (found == pools_.end()) {
        return 0;
    }
    switch (unit) {
        case PoolUnit::memory_mb:
            return std::min(megabytes_for(found->second.memory_bytes), most_amount);
        case PoolUnit::slots: return std::min(found->second.slots, most_amount);
        case PoolUnit::cpu_milli: return std::min(found->second.cpu_milli, most_amount);
    }
    return 0;
}

}  // namespace muster::coordinator
