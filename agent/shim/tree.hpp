#pragma once

#include <sys/types.h>

#include "agent/shim/order.hpp"

/// The tree of a task is all descendants of this process. The process is a subreaper, so it becomes
/// the parent of every orphan in the tree, in any session.
namespace muster::shim {

/// Writes one letter to a file of a cgroup. False: errno has the reason.
bool write_to_cgroup(const char* directory, const char* name, char value);

/// Kills the children of this process, the process group of `leader` (0: none), and every process
/// in the task's cgroups if the kernel supports that. Orphans become children, so the caller
/// repeats it until none is left.
void kill_tree(const Order& order, pid_t leader);

/// Field 22 of /proc/PID/stat: when the process started. 0: it cannot be read.
[[nodiscard]] uint64_t start_ticks_of(pid_t pid);

/// Removes the task's cgroups, unless they are not empty.
void remove_cgroups(const Order& order);

}  // namespace muster::shim
