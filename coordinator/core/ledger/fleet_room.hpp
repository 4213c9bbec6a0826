#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "common/base/limits.hpp"
#include "coordinator/core/ledger/ledger.hpp"
#include "coordinator/core/nodes/registry.hpp"

namespace muster::coordinator {

/// Whether more nodes may join. Places for names that operators listed are kept free.
class FleetRoom {
public:
    FleetRoom(const NodeRegistry& nodes, const Ledger& ledger) : nodes_{nodes}, ledger_{ledger} {}

    /// Nodes that joined without being listed.
    [[nodiscard]] std::size_t joiners() const {
        return nodes_.count() - ledger_.intents().count().listed;
    }
    /// No more nodes can join without being listed.
    [[nodiscard]] bool is_full() const {
        const Intents& intents = ledger_.intents();
        const std::size_t listed = std::max(intents.count().listed, intents.count_soon().listed);
        return joiners() >= limits::joiners || joiners() + listed >= limits::nodes;
    }
    [[nodiscard]] std::string why_full(const std::string& name) const {
        if (nodes_.count() >= limits::nodes) {
            return "there are " + std::to_string(nodes_.count()) +
                   " nodes, and no more are possible until one is removed, or lost and forgotten";
        }
        return "there are " + std::to_string(joiners()) +
               " nodes that no operator listed, and no more are possible until one is lost and "
               "forgotten; 'muster node add " +
               name + "' lets it join";
    }

    void note_if_full() { became_full_ = became_full_ || is_full(); }
    /// True once after it became full.
    [[nodiscard]] bool take_became_full() { return std::exchange(became_full_, false); }

private:
    friend struct CoreFields;

    const NodeRegistry& nodes_;
    const Ledger& ledger_;
    bool became_full_ = false;
};

}  // namespace muster::coordinator
