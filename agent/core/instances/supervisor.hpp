#pragma once

#include <optional>
#include <string>

#include "agent/core/instances/host_lease.hpp"
#include "agent/core/instances/lifecycle.hpp"
#include "agent/core/io.hpp"
#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// Which instances this node runs: what commands, the end of the lease and the ends of processes
/// make of them.
///
/// An exclusive instance runs under the lease of this host (see HostLease), and leaves when that
/// ends; its shim ends the process even if there is no agent. One of an earlier life keeps its
/// process, and leaves with it: whether it runs elsewhere by then is not known here.
///
/// Owned by Agent.
class Supervisor {
public:
    explicit Supervisor(Lifecycle& lives) : lives_{lives} {}

    /// Runs the instance in this version; the same or a lower generation changes nothing. Refused
    /// when its spec is unknown, the node is full or it shuts down, or it is exclusive and brings
    /// no lease.
    [[nodiscard]] Result<void> start(Instant now, const Start& command);
    void stop(const Stop& command);
    /// Stops all and starts nothing any more.
    void shut_down();

    /// A poll said until when exclusive instances may run.
    void extend_lease(Instant now, BootMs lease);
    /// What is exclusive leaves if its lease is over. To be called before anything else happens:
    /// an agent that was halted must not take up what it had.
    void end_lease_if_due(Instant now);
    /// When that has something to do.
    [[nodiscard]] std::optional<Instant> lease_until() const { return lease_.until(); }

    void on_started(Instant now, const ProcessStarted& event);
    void on_not_started(Instant now, const ProcessNotStarted& event);
    void on_ended(Instant now, const ProcessEnded& event);
    void on_journal_failed(Instant now, const std::string& why);

    [[nodiscard]] bool spawn_failing() const { return spawn_failing_; }
    /// A process that is no instance's was made, or could not be for the host's sake.
    void note_spawn(bool made) { spawn_failing_ = !made; }

private:
    using Entry = Lifecycle::Entry;

    [[nodiscard]] bool would_change(const Start& command) const;
    void leave(Entry& entry);
    [[nodiscard]] bool is_exclusive(const InstanceId& id, Digest digest) const;
    void leave_with_lease(Entry& entry);
    /// Nobody else has been given it since it was started here.
    [[nodiscard]] bool may_start_again(const Entry& entry) const {
        return !lives_.spec_of(entry).exclusive || (lease_.until() && !entry.second.is_adopted);
    }

    Lifecycle& lives_;
    HostLease lease_;
    bool shutting_down_ = false;
    bool spawn_failing_ = false;
};

}  // namespace muster::agent
