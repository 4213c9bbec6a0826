#pragma once

#include <string>
#include <vector>

#include "agent/core/io.hpp"
#include "agent/exec/cgroups/trees.hpp"
#include "common/spec/placement.hpp"

namespace muster::agent {

/// What the host has for instances, found by itself: the least of what the machine has, what this
/// process may run on, and what the cgroups that it is in, and those above them, may use.
struct FoundCapacity {
    std::uint64_t cpu_milli = 0;
    std::uint64_t memory_bytes = 0;
    CapacityFrom from;
};
[[nodiscard]] FoundCapacity find_capacity(const std::vector<CgroupTree>& trees);

/// Fills in what was not said, and tells of each whence it is.
[[nodiscard]] CapacityFrom complete(Capacity& said, const FoundCapacity& found);

/// What cgroups leave of the host is counted. The civil clock is the caller's.
[[nodiscard]] HostObserved look_at_host(const std::vector<CgroupTree>& trees, CivilMs now);

/// The disk that has this directory. May take as long as the disk does.
[[nodiscard]] DiskObserved look_at_disk(const std::string& directory);

/// `MemAvailable` of a text as /proc/meminfo has it, in bytes. 0: it is not there.
[[nodiscard]] std::uint64_t memory_available(const std::string& meminfo);

}  // namespace muster::agent
