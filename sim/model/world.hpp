#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "sim/checkers/checkers.hpp"
#include "sim/hosts/storage.hpp"
#include "sim/hosts/store_model.hpp"
#include "sim/model/network.hpp"
#include "sim/model/output_hash.hpp"
#include "sim/model/trace.hpp"
#include "sim/model/truth.hpp"
#include "sim/providers/provider_model.hpp"

namespace muster::sim {

/// What the daemons of the simulated cluster share: time, wires, disks, processes and the
/// observers.
struct World {
    explicit World(const ClusterOptions& given)
        : options{given},
          network{options, queue},
          store{options, queue},
          provider{options.seed, queue} {}
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    const ClusterOptions options;
    EventQueue queue;
    Network network;
    StoreModel store;
    ProviderModel provider;  ///< Of nodes for pools.
    Truth truth;
    Storage storage;
    Trace trace;
    OutputHash outputs;  ///< Only if the options ask for it.
    Checkers checkers;
    std::set<std::string> suspended;  ///< Nodes, as this leadership reported.
    std::set<std::string> left;       ///< Nodes that may still return, as this leadership reported.
    std::set<std::string> halted;     ///< Tasks whose roll-out a copy that ended early halts.
    std::size_t suspicions = 0;       ///< Nodes that became lost or flaky, ever.
    bool frozen = false;              ///< As this leadership reported.
    bool frozen_by_operator = false;  ///< Whether an operator has to end it.
    Instant move_ordered{};           ///< The last start or stop of a move.
    std::uint64_t changes = 0;        ///< Grows with each change that a test may wait for.
    /// The last proof that each host got for each instance. A byzantine host knows them all.
    std::map<InstanceId, std::map<HostIndex, Proof>> proofs;
    std::optional<std::string> not_recorded;  ///< Why the record has a gap.
};

}  // namespace muster::sim
