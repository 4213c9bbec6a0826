#include "coordinator/core/membership/pools.hpp"

#include <utility>

namespace muster::coordinator {

void Pools::take_offer(NodeIndex index, const std::string& name, Offer offer) {
    std::string pool = intents_.durable(name).pool;
    if (pool.empty()) {
        reported_.erase(index);
    } else {
        std::swap(pool, offer.pool);
        reported_.insert_or_assign(index, std::move(pool));
    }
    placements_.set_offer(index, offer);
}

void Pools::on_listed(NodeIndex index, const StoredIntent& row) {
    const auto reported = reported_.find(index);
    if (row.pool.empty() && reported == reported_.end()) {
        return;
    }
    Offer offer = placements_.nodes().offer(index);
    if (reported != reported_.end()) {
        offer.pool = reported->second;
    }
    take_offer(index, row.name, std::move(offer));
}

}  // namespace muster::coordinator
