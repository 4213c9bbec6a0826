#pragma once

#include <cstdint>
#include <string>

#include "common/base/random.hpp"
#include "sim/model/cluster.hpp"

namespace muster::sim {

/// The options of a cluster whose pools get nodes from the provider.
void prepare_pools(ClusterOptions& options, std::uint32_t pools);

/// Random operations on pools: definitions with random limits, reporters whose needs change, tasks
/// of the pools, and a provider that fails. It draws from its own stream.
class ChaosOfPools {
public:
    ChaosOfPools(Cluster& cluster, std::uint64_t seed, std::uint32_t pools);

    /// Does something with an even chance.
    void act();
    /// The provider works, no pool is paused, and what is needed is constant.
    void heal();

private:
    [[nodiscard]] std::string any_pool();
    [[nodiscard]] std::string any_reporter();
    [[nodiscard]] PoolChanges any_limits();
    void draw_predictor(PoolChanges& changes);
    void draw_faults();
    void change_tasks();
    void vanish_any();
    void create(const std::string& pool);

    Cluster& cluster_;
    Random random_;
    std::uint32_t pools_;
    bool is_good_;  ///< The provider never fails.
};

}  // namespace muster::sim
