#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/core/journal.hpp"
#include "agent/exec/cgroups/trees.hpp"
#include "common/spec/spec.hpp"

namespace muster::agent {

/// The cgroups of processes. They enforce the limits of a task on a process and all its
/// descendants, and end them as a whole.
///
///     <our own cgroup>/muster-<home>-<process>    in each useful hierarchy
///
/// In version 2 every process has a cgroup, because a cgroup can be killed. In version 1 a process
/// has one only for a limit of its task. A version 2 cgroup that delegates controllers must not
/// contain processes, so the agent first moves into a cgroup `muster-agent` below its own.
///
/// A limit that cannot be set is left out: the process runs without it. facts() lists the limits
/// that this host enforces.
class Cgroups {
public:
    /// Finds the hierarchies and creates what is needed. `home` separates our processes from
    /// others.
    void open(const std::vector<CgroupTree>& trees, const std::string& home);

    /// One fact for each limit that a task may ask for.
    [[nodiscard]] const std::vector<LimitFact>& facts() const { return facts_; }

    /// Creates the cgroups of a process, and returns the directories that it must join.
    [[nodiscard]] std::vector<std::string> make(ProcessId process,
                                                const CgroupLimits& limits) const;
    /// Sets the limits again, because the controllers may have been removed meanwhile.
    void set_limits(ProcessId process, const CgroupLimits& limits) const;

    /// The processes that have, or had, a cgroup.
    [[nodiscard]] std::set<ProcessId> listed() const;
    /// Kills every process in the cgroups. False: there was none.
    bool kill(ProcessId process) const;
    /// True if the kernel killed a process in the cgroups at their memory limit.
    [[nodiscard]] bool has_run_out_of_memory(ProcessId process) const;
    /// Removes the cgroups if they are empty.
    void remove(ProcessId process) const;

private:
    struct Place {
        int version;
        std::string prefix;             // Of its directories: everything but the number.
        std::set<std::string> limited;  // The limits that can be set here.
    };

    void inspect(const CgroupTree& tree, const std::string& home);
    void probe(Place& place);
    void note(const std::string& limit, bool enforced, const std::string& how);
    [[nodiscard]] std::vector<std::string> directories_of(ProcessId process) const;

    std::vector<Place> places_;
    std::vector<LimitFact> facts_;
};

/// Takes the controllers back from the cgroups that this life leaves running, because a cgroup with
/// delegated controllers accepts no process: the next life could not start. `own` is the cgroup of
/// a helper below the agent's cgroup.
void take_back_controllers(const std::vector<CgroupTree>& own);

}  // namespace muster::agent
