#pragma once

#include <optional>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// Until when this host may run exclusive instances.
///
/// The coordinator says it with polls and starts: the stamp of a report of this life, and the
/// length of a lease. So it is counted here from a moment before the report was sent, and there
/// from one after it came. It never goes back. What has passed gives nothing, and once the lease is
/// over a poll does not bring it back for what ran under it: that may be elsewhere by then, and is
/// started by order.
///
/// Owned by Supervisor.
class HostLease {
public:
    /// Whether what a start brings may be run by; the error is what to answer.
    [[nodiscard]] static Result<void> judge(Instant now, const Start& start);
    /// Takes over what a poll or a start said. True: it ends later than before.
    [[nodiscard]] bool extend(Instant now, BootMs lease);
    /// True once, when it is over.
    [[nodiscard]] bool end_if_due(Instant now);
    /// Nothing: there is none.
    [[nodiscard]] std::optional<Instant> until() const { return until_; }

private:
    std::optional<Instant> until_;
};

}  // namespace muster::agent
