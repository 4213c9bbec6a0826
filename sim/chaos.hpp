#pragma once

#include <cstdint>
#include <string>

#include "common/random.hpp"
#include "sim/cluster.hpp"

namespace muster::sim {

/// Options with a random subset of the random faults, from the seed.
[[nodiscard]] ClusterOptions random_faults(std::uint64_t seed, std::uint32_t nodes);

/// Random operations of operators and random deeds of fate, one after the other, from a seed.
class Chaos {
public:
    Chaos(Cluster& cluster, std::uint64_t seed) : cluster_{cluster}, random_{seed ^ 0xc4a05ULL} {}

    /// Lets this much time pass, with something happening every second or so.
    void run(Duration duration);

private:
    void operate();
    void hurt();
    void hurt_host(const std::string& label);
    void hurt_wire(const std::string& label);
    void hurt_coordinator();
    void mend();

    [[nodiscard]] std::string any_host();
    [[nodiscard]] std::string any_task();
    [[nodiscard]] TaskSpec any_spec();

    Cluster& cluster_;
    Random random_;
};

}  // namespace muster::sim
