#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "coordinator/core/ledger/secrets.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/planning/pass/types.hpp"
#include "coordinator/core/workload/copies.hpp"

namespace muster::coordinator {

/// Turns the orders of a plan into batches, one per node unless a bound splits it, each with the
/// next sequence of its node. Nothing is sent again: an order that a later answer shows as not
/// obeyed is planned again.
///
/// A spec is sent once per node and generation. The class remembers which specs a node got, until
/// its life ends or it reports that it lacks one.
///
/// Owned by Planning.
class Commands {
public:
    Commands(NodeRegistry& nodes, Copies& copies, const SecretTable& secrets)
        : nodes_{nodes},
          workload_{copies.workload},
          placements_{copies.placements},
          proofs_{copies.proofs},
          secrets_{secrets} {}

    /// `meta` stamps the batches. Every order counts as launched when this returns.
    void launch(const Plan& plan, const Meta& meta, std::vector<ToAgent>& messages);

    /// The node has no spec: it is new, has a new life, or was removed.
    void forget(NodeIndex node);
    /// The node refused a start because it lacks the spec: the next batch has the spec again.
    void forget(NodeIndex node, TaskIndex task);

private:
    friend struct CoreFields;

    struct Given {
        TaskIndex task{};
        Generation generation{};
    };

    /// Opens a batch if none is open or the open one is full.
    Batch& batch_for(const Order& order, const Meta& meta, std::vector<ToAgent>& messages);
    [[nodiscard]] Proof proof_for(const Order& order, const InstanceId& id);
    /// The spec that must go with a start; none if the node has it.
    [[nodiscard]] std::optional<SpecVersion> spec_for(const Order& order);
    /// The rows of the secrets that a start needs. The agent refuses a start if one is missing.
    [[nodiscard]] std::vector<const StoredSecret*> secrets_for(const Order& order) const;

    NodeRegistry& nodes_;
    const Workload& workload_;
    Placements& placements_;
    OrderProofs& proofs_;
    const SecretTable& secrets_;
    std::vector<std::vector<Given>> given_;  // By node; sorted by task, one entry a task.

    // The batch being filled, which is the last message.
    std::optional<NodeIndex> filling_;
    std::size_t commands_ = 0;
    std::size_t spec_bytes_ = 0;  // Of specs and secrets.
};

}  // namespace muster::coordinator
