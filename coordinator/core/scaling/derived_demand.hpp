#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "common/messages/operator/pool_definitions.hpp"
#include "coordinator/core/pools/forecast/need_sample.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// What the instances of a pool's own tasks need: those that run and those that wait for a node. A
/// sum of only the waiting ones would fall to 0 once they run, and their nodes would go again.
/// Tasks that run on every node need no node of their own.
class DerivedDemand {
public:
    explicit DerivedDemand(const Workload& workload) : workload_{workload} {}

    /// A task or an end of an instance was stored.
    void on_tasks_changed() { is_due_ = true; }
    [[nodiscard]] Amount of(const std::string& pool, PoolUnit unit);

private:
    friend struct CoreFields;

    struct Needs {
        std::uint64_t memory_bytes = 0;
        std::uint64_t cpu_milli = 0;
        std::uint64_t slots = 0;
    };

    void count();

    const Workload& workload_;
    std::map<std::string, Needs> pools_;
    bool is_due_ = true;
};

/// Bytes in the unit of a pool of memory, rounded up.
[[nodiscard]] constexpr Amount megabytes_for(std::uint64_t bytes) {
    constexpr std::uint64_t megabyte = 1'000'000;
    return bytes / megabyte + (bytes % megabyte == 0 ? 0 : 1);
}

}  // namespace muster::coordinator
