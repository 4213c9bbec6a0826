#pragma once

#include <map>
#include <string>
#include <utility>

#include "common/base/ids.hpp"
#include "coordinator/core/ledger/intents.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// The pool of each node: the one on the operators' list, otherwise the one that it reports.
class Pools {
public:
    Pools(Placements& placements, const Intents& intents)
        : placements_{placements}, intents_{intents} {}

    /// The node reported this offer. A pool on the operators' list replaces the reported one.
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
    /// The row of the node on the list may have changed.
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
    /// The record is deleted.
    void forget(NodeIndex index) { reported_.erase(index); }
    /// The reported pools of nodes whose pool comes from the list.
    [[nodiscard]] const std::map<NodeIndex, std::string>& reported() const { return reported_; }

private:
    friend struct CoreFields;

    Placements& placements_;
    const Intents& intents_;
    std::map<NodeIndex, std::string> reported_;
};

}  // namespace muster::coordinator
