#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/random.hpp"
#include "sim/faults/chaos_pools.hpp"
#include "sim/faults/faults.hpp"
#include "sim/model/cluster.hpp"

namespace muster::sim {

/// A cluster from the seed, with the random faults of the set.
[[nodiscard]] ClusterOptions random_options(std::uint64_t seed, std::uint32_t nodes,
                                            const FaultSet& faults);

/// Random operations of operators and random faults, one after the other, from a seed. Every fault
/// uses its random numbers even if it is not in the set; then its effect is left out.
class Chaos {
public:
    Chaos(Cluster& cluster, std::uint64_t seed, const FaultSet& faults, std::uint32_t pools = 0)
        : cluster_{cluster},
          random_{seed ^ 0xc4a05ULL},
          keys_random_{seed ^ 0x6b65792dULL},
          coordinators_random_{seed ^ 0x6c656164ULL},
          faults_{cluster.coordinators() > 1 ? with_etcd(faults) : faults},
          manner_{random_falsification(seed)} {
        if (pools > 0) {
            faults_ = with_pools(faults_);
            pools_.emplace(cluster, seed, pools);
        }
    }

    /// Runs for this long. Something happens about once a second.
    void run(Duration duration);
    /// Ends every fault. Operators accept the store until no node knows another one.
    void heal();

private:
    /// Injects the fault if it is in the set.
    template <class Action>
    void perhaps(Fault fault, Action action) {
        if (faults_.has(fault)) {
            action();
        }
    }

    void operate();
    void operate_tasks(std::uint64_t dice);
    void apply_all();
    void operate_nodes();
    void list_all(bool only_some);
    void set_limit();
    void observe();
    void open_all();
    void exchange_store();
    void give_up(const std::string& name);
    [[nodiscard]] bool is_anyone_ahead();
    void accept_store();
    bool wipe_foreign_hosts();
    void inject_fault();
    void inject_host_fault(const std::string& label);
    void exchange_host(const std::string& label);
    void reboot(const std::string& label);
    [[nodiscard]] Duration any_jump();
    void falsify(const std::string& label);
    void serve_beside_byzantine_host();
    void inject_wire_fault(const std::string& label);
    void flap(const std::string& label);
    void cut_off_many();
    void reset_all();
    void inject_coordinator_fault();
    /// Without those of a store that one coordinator has for itself.
    [[nodiscard]] static FaultSet with_etcd(const FaultSet& faults);
    /// Without those that hide what pools do.
    [[nodiscard]] static FaultSet with_pools(const FaultSet& faults);
    void inject_election_fault();
    void inject_key_fault();
    void end_key(const std::string& label);
    void rotate_key(const std::string& label);
    void use_keys_of_others(const std::string& label);
    void enrol(const std::string& label);
    void operate_by_key();
    void admit_operator(const std::string& name);
    [[nodiscard]] RequestBody any_request();
    void admit_hosts();
    [[nodiscard]] bool is_own_key(const std::string& label) const;

    [[nodiscard]] bool may(Fault fault) const { return faults_.has(fault); }
    [[nodiscard]] std::string any_host();
    [[nodiscard]] std::string any_name();
    [[nodiscard]] ListedNode any_listed(std::string name);
    [[nodiscard]] std::string any_task();
    [[nodiscard]] WantedTask random_task(std::string task);

    Cluster& cluster_;
    Random random_;
    Random keys_random_;          // Separate, so that the other draws stay the same.
    Random coordinators_random_;  // The same.
    std::uint64_t last_key_ = 0;
    FaultSet faults_;
    std::optional<ChaosOfPools> pools_;
    std::vector<coordinator::StoreImage> backups_;
    std::optional<std::string> byzantine_host_;  ///< The one byzantine host, if there is one.
    ReportFalsification manner_;                 ///< How that host falsifies.
    std::optional<std::size_t> last_;            ///< The number of the last applied task file.
};

}  // namespace muster::sim
