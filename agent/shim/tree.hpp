#pragma once

#include <sys/types.h>

#include "agent/shim/order.hpp"

/// The tree of a task is all that descends from this process: it is a subreaper, so what leaves its
/// parent or its session becomes its child when the parent dies.
namespace muster::shim {

/// Writes one letter to a file of a cgroup. False: errno says why not.
bool write_to_cgroup(const char* directory, const char* name, char value);

/// Kills the children of this process, the process group of `leader` (0: none) and, where the
/// task has a cgroup that can be killed, all that is in it. What the dead leave becomes children,
/// so it is called again until none is left.
void kill_tree(const Order& order, pid_t leader);

/// Field 22 of /proc/PID/stat: when the process started. 0: it cannot be read.
[[nodiscard]] uint64_t start_ticks_of(pid_t pid);

/// Takes the cgroups away that the task ran in; what is not empty stays.
void remove_cgroups(const Order& order);

}  // namespace muster::shim
