#pragma once

#include <optional>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// Until when this host may run exclusive instances.
///
/// The coordinator sends the end of the lease with polls and starts: the stamp of a report of this
/// life, plus the length of a lease. The agent counts from a moment before it sent the report, the
/// coordinator from a moment after the report arrived. The end never goes back. A lease that has
/// passed has no effect. After the lease ended, a poll does not restore it for the instances that
/// ran under it: they may run elsewhere by then, so only an order starts them again.
///
/// Owned by Supervisor.
class HostLease {
public:
    /// Checks the lease of a start. The error is the reason of the refusal.
    [[nodiscard]] static Result<void> judge(Instant now, const Start& start);
    /// Applies the lease of a poll or a start. True: the lease ends later than before.
    [[nodiscard]] bool extend(Instant now, BootMs lease);
    /// True once, when the lease has ended.
    [[nodiscard]] bool end_if_due(Instant now);
    /// Nothing: there is no lease.
    [[nodiscard]] std::optional<Instant> until() const { return until_; }

private:
    std::optional<Instant> until_;
};

}  // namespace muster::agent
