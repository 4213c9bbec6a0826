#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/core/journal.hpp"
#include "agent/exec/cgroups/trees.hpp"
#include "common/spec/spec.hpp"

namespace muster::agent {

/// The cgroups of processes: they keep a process with all its descendants to the limits of its
/// task, and end it as a whole.
///
///     <our own cgroup>/muster-<home>-<process>    in each hierarchy that is of use
///
/// In version 2 every process has one, since it can be killed by it; in version 1 only for a limit
/// that its task asks for. Where version 2 has controllers we first move into a cgroup
/// `muster-agent` below our own, since none that hands controllers on may have processes.
///
/// What cannot be done here is left out: the process runs without it. What is in general is told
/// by facts().
class Cgroups {
public:
    /// Looks what there is and makes what is needed. `home` tells our processes from others'.
    void open(const std::vector<CgroupTree>& trees, const std::string& home);

    /// One for each limit a task may ask for.
    [[nodiscard]] const std::vector<LimitFact>& facts() const { return facts_; }

    /// Makes the cgroups of a process and returns their directories, to be joined by it.
    [[nodiscard]] std::vector<std::string> make(ProcessId process,
                                                const CgroupLimits& limits) const;
    /// Sets the limits again: the controllers may have been gone since.
    void set_limits(ProcessId process, const CgroupLimits& limits) const;

    /// The processes that have, or had, one.
    [[nodiscard]] std::set<ProcessId> listed() const;
    /// Kills all that is in them. False: there was nothing.
    bool kill(ProcessId process) const;
    /// The kernel has killed in them for want of memory: what their limit lets them have.
    [[nodiscard]] bool has_run_out_of_memory(ProcessId process) const;
    /// Takes them away, if nothing is in them.
    void remove(ProcessId process) const;

private:
    struct Place {
        int version;
        std::string prefix;             // Of the directories in it: all but the number.
        std::set<std::string> limited;  // The limits that can be set in them.
    };

    void look_at(const CgroupTree& tree, const std::string& home);
    void probe(Place& place);
    void note(const std::string& limit, bool enforced, const std::string& how);
    [[nodiscard]] std::vector<std::string> directories_of(ProcessId process) const;

    std::vector<Place> places_;
    std::vector<LimitFact> facts_;
};

/// For the next life of an agent whose cgroup hands controllers on to what this life leaves
/// running: takes them back, since such a cgroup takes no process in. `own` is the one of a helper
/// below it.
void take_back_controllers(const std::vector<CgroupTree>& own);

}  // namespace muster::agent
