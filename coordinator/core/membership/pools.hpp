#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/spec/constraint.hpp"
#include "coordinator/core/ledger/intents.hpp"
#include "coordinator/core/ledger/ledger.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// The pool of each node: the one on the operators' list; otherwise the one that it names;
/// otherwise the one whose provider has made it; otherwise the first one, by name, whose `match`
/// fits its labels.
class Pools {
public:
    Pools(Placements& placements, const Ledger& ledger)
        : placements_{placements}, ledger_{ledger}, rules_{stored_rules()} {}

    /// The node reported this offer.
    void take_offer(NodeIndex index, const std::string& name, Offer offer);
    /// The row of the node on the list, or of its provider, may have changed. True: it is in
    /// another pool now.
    bool update(NodeIndex index, const std::string& name);
    /// Definitions of pools have changed. Returns the nodes that are in another pool now.
    std::vector<NodeIndex> on_defined(const NodeRegistry& nodes);
    /// The record is deleted.
    void forget(NodeIndex index) { reported_.erase(index); }
    /// The pool of a node that is not on the list, or whose row there names no pool.
    [[nodiscard]] std::string without_list(NodeIndex index) const;

private:
    friend struct CoreFields;

    struct Rule {
        std::string pool;
        std::vector<Constraint> constraints;

        friend bool operator==(const Rule&, const Rule&) = default;
    };

    [[nodiscard]] std::vector<Rule> stored_rules() const;
    [[nodiscard]] Offer reported(NodeIndex index) const;
    [[nodiscard]] std::string matching(const std::string& name, const Offer& reported) const;

    Placements& placements_;
    const Ledger& ledger_;
    std::vector<Rule> rules_;                    // By the names of their pools.
    std::map<NodeIndex, std::string> reported_;  // Where it is not the one that the node is in.
};

}  // namespace muster::coordinator
