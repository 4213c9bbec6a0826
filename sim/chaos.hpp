#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/random.hpp"
#include "sim/cluster.hpp"

namespace muster::sim {

/// Options with a random subset of the random faults, from the seed.
[[nodiscard]] ClusterOptions random_faults(std::uint64_t seed, std::uint32_t nodes);

/// What becomes of the coordinator's disk.
enum class Disk : std::uint8_t {
    kept,
    exchanged,  ///< Now and then it is as it was before, empty, or that of another cluster.
};

/// Random operations of operators and random deeds of fate, one after the other, from a seed.
class Chaos {
public:
    Chaos(Cluster& cluster, std::uint64_t seed, Disk disk = Disk::kept)
        : cluster_{cluster}, random_{seed ^ 0xc4a05ULL}, disk_{disk} {}

    /// Lets this much time pass, with something happening every second or so.
    void run(Duration duration);
    /// The end of it: every fault ends, and operators accept the store until no node knows another.
    void heal();

private:
    void operate();
    void apply_all();
    void operate_nodes();
    void list_all(bool only_some);
    void set_limit();
    void look();
    void open_all();
    void exchange_store();
    void accept_store();
    bool wipe_foreign_hosts();
    void hurt();
    void hurt_host(const std::string& label);
    void exchange_host(const std::string& label);
    void hurt_wire(const std::string& label);
    void hurt_coordinator();
    void mend();

    [[nodiscard]] std::string any_host();
    [[nodiscard]] std::string any_name();
    [[nodiscard]] ListedNode any_listed(std::string name);
    [[nodiscard]] std::string any_task();
    [[nodiscard]] WantedTask any_wish(std::string task);

    Cluster& cluster_;
    Random random_;
    Disk disk_;
    std::vector<StoreImage> backups_;
    std::size_t last_ = 0;  ///< The number of the last task file that was applied.
};

}  // namespace muster::sim
