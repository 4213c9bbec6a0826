#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/journal.hpp"
#include "agent/exec/cgroups/cgroups.hpp"
#include "common/base/time.hpp"

namespace muster::agent {

/// Ends what is left of processes whose shims are no more, and tells when nothing is.
///
/// A member is known by its cgroup or by its mark, and the main process by its identity, too. It is
/// looked at again through a pidfd before it is signalled, so never a stranger that has its number.
///
/// Nobody tells of their ends: while there are orphans, /proc is read every 5 ms at first, then up
/// to every 500 ms.
class OrphanReaper {
public:
    OrphanReaper(std::string home, const Cgroups& cgroups)
        : home_{std::move(home)}, cgroups_{cgroups} {}

    void add(Instant now, ProcessId process, const ProcessIdentity& main);
    /// Kills what there is. Returns those of which nothing is left.
    [[nodiscard]] std::vector<ProcessId> sweep(Instant now);
    [[nodiscard]] std::optional<Instant> next_deadline() const {
        return orphans_.empty() ? std::nullopt : std::optional{due_};
    }

private:
    struct Orphan {
        ProcessIdentity main;
        int looks = 0;  // In a row that found nothing.
    };

    std::string home_;
    const Cgroups& cgroups_;  // Of the launcher, which is there as long.
    std::map<ProcessId, Orphan> orphans_;
    Instant due_{};
    Duration delay_{};
};

}  // namespace muster::agent
