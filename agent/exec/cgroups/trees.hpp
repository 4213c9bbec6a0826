#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

/// A hierarchy of cgroups that this process can see, and its own place in it.
struct CgroupTree {
    int version = 2;
    std::set<std::string> controllers;  ///< Version 1 only. In version 2 they are in a file.
    std::string directory;              ///< The cgroup of this process.

    friend bool operator==(const CgroupTree&, const CgroupTree&) = default;
};

/// Reads /proc/self/mountinfo and /proc/self/cgroup. Leaves out a hierarchy in which our own cgroup
/// is not visible. If a hierarchy is mounted several times, the first mount counts.
[[nodiscard]] std::vector<CgroupTree> cgroup_trees(std::string_view mounts, std::string_view own);

/// The same for this process. Empty if there are no cgroups.
[[nodiscard]] std::vector<CgroupTree> cgroup_trees_of_process();

}  // namespace muster::agent
