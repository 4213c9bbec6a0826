#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

/// A hierarchy of cgroups that this process can see, and its own place in it.
struct CgroupTree {
    int version = 2;
    std::set<std::string> controllers;  ///< Of version 1. Of version 2 its files say.
    std::string directory;              ///< Of the cgroup that this process is in.

    friend bool operator==(const CgroupTree&, const CgroupTree&) = default;
};

/// Reads /proc/self/mountinfo and /proc/self/cgroup. A hierarchy of which our own place is not to
/// be seen is left out; of one that is mounted several times the first place counts.
[[nodiscard]] std::vector<CgroupTree> cgroup_trees(std::string_view mounts, std::string_view own);

/// The same of this process. Empty where there are none.
[[nodiscard]] std::vector<CgroupTree> cgroup_trees_of_process();

}  // namespace muster::agent
