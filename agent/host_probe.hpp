#pragma once

#include <string>
#include <vector>

#include "agent/core/io.hpp"
#include "agent/exec/cgroups/trees.hpp"
#include "common/spec/placement.hpp"

namespace muster::agent {

/// The capacity of the host as measured: the least of the machine, of the processors allowed for
/// this process, and of its cgroup and the cgroups above it.
struct FoundCapacity {
    std::uint64_t cpu_milli = 0;
    std::uint64_t memory_bytes = 0;
    CapacityFrom from;
};
[[nodiscard]] FoundCapacity find_capacity(const std::vector<CgroupTree>& trees);

/// Fills in the capacity that is not configured, and returns the source of each value.
[[nodiscard]] CapacityFrom complete(Capacity& configured, const FoundCapacity& found);

/// Observes the host, less what its cgroups withhold. The civil clock is the caller's.
[[nodiscard]] HostObserved observe_host(const std::vector<CgroupTree>& trees, CivilMs now);

/// The disk with this directory. Blocks as long as the disk does.
[[nodiscard]] DiskObserved observe_disk(const std::string& directory);

/// `MemAvailable` of a text in the format of /proc/meminfo, in bytes. 0: it is missing.
[[nodiscard]] std::uint64_t memory_available(const std::string& meminfo);

}  // namespace muster::agent
