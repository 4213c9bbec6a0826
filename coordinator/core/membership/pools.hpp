#pragma once

#include <map>
#include <string>
#include <utility>

#include "common/base/ids.hpp"
#include "coordinator/core/ledger/intents.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// In which pool each node serves: the one that operators listed it in, else the one it reports.
class Pools {
public:
    Pools(Placements& placements, const Intents& intents)
        : placements_{placements}, intents_{intents} {}

    /// The node offers this. The operators' list has the last word on its pool.
    void take_offer(NodeIndex index, const std::string& name, Offer offer) {
        std::string pool = intents_.durable(name).pool;
        if (pool.empty()) {
            reported_.erase(index);
        } else {
            std::swap(pool, offer.pool);
            reported_.insert_or_assign(index, std::move(pool));
        }
        placements_.set_offer(index, offer);
    }
    /// The list may say something else of the node now.
    void on_listed(NodeIndex index, const StoredIntent& row) {
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
    /// The record ends.
    void forget(NodeIndex index) { reported_.erase(index); }
    /// The pools that nodes report, of those that the list puts elsewhere.
    [[nodiscard]] const std::map<NodeIndex, std::string>& reported() const { return reported_; }

private:
    friend struct CoreFields;

    Placements& placements_;
    const Intents& intents_;
    std::map<NodeIndex, std::string> reported_;
};

}  // namespace muster::coordinator
