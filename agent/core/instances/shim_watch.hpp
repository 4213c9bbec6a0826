#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "agent/core/journal.hpp"
#include "common/base/time.hpp"

namespace muster::agent {

/// The processes of which a shim has to tell something: that they run, or that they are gone.
///
/// A message of a shim may be lost, and shims do not repeat themselves. So a shim that has told
/// nothing within the patience is asked, and again every `limits::shim_patience` until it has. To
/// ask is to have it tell its state: one that is slow answers that nothing has changed yet.
///
/// Owned by Processes.
class ShimWatch {
public:
    /// From the next take_overdue() on, and in place of what was awaited before.
    void await(ProcessId process, Duration patience);
    /// Nothing more is awaited of it.
    void on_told(ProcessId process);

    /// Those that are to be asked now.
    [[nodiscard]] std::vector<ProcessId> take_overdue(Instant now);
    [[nodiscard]] std::optional<Instant> next_deadline() const;

private:
    void await_until(ProcessId process, Instant due);

    std::map<ProcessId, Duration> begun_;
    std::map<ProcessId, Instant> awaited_;
    std::set<std::pair<Instant, ProcessId>> due_;
};

}  // namespace muster::agent
