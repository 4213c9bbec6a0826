#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/journal.hpp"
#include "agent/exec/cgroups/cgroups.hpp"
#include "common/base/time.hpp"

namespace muster::agent {

/// Kills the rest of processes whose shims are gone, and reports when nothing is left.
///
/// A process belongs to an orphan by its cgroup or its mark; the main process also by its identity.
/// Each process is checked again through a pidfd before it is signalled, so a reused pid is never
/// hit.
///
/// The kernel does not report their ends to us: while there are orphans, /proc is read every 5 ms
/// at first, later at longer intervals, up to 500 ms.
class OrphanReaper {
public:
    OrphanReaper(std::string home, const Cgroups& cgroups)
        : home_{std::move(home)}, cgroups_{cgroups} {}

    void add(Instant now, ProcessId process, const ProcessIdentity& main);
    /// Kills what is left. Returns the orphans of which nothing is left.
    [[nodiscard]] std::vector<ProcessId> sweep(Instant now);
    [[nodiscard]] std::optional<Instant> next_deadline() const {
        return orphans_.empty() ? std::nullopt : std::optional{due_};
    }

private:
    struct Orphan {
        ProcessIdentity main;
        int empty_sweeps = 0;  // Sweeps in a row that found nothing.
    };

    std::string home_;
    const Cgroups& cgroups_;  // Of the launcher, which lives longer.
    std::map<ProcessId, Orphan> orphans_;
    Instant due_{};
    Duration delay_{};
};

}  // namespace muster::agent
