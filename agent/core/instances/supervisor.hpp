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

/// Which instances this node runs, as a consequence of commands, the end of the lease and the ends
/// of processes.
///
/// An exclusive instance runs under the lease of this host (see HostLease), and leaves when the
/// lease ends. Its shim ends the process even without an agent. An exclusive instance of an earlier
/// life leaves when its process ends, because this agent cannot know whether it runs elsewhere by
/// then.
///
/// Owned by Agent.
class Supervisor {
public:
    explicit Supervisor(Lifecycle& lives) : lives_{lives} {}

    /// Runs the instance in this version. The same or a lower generation changes nothing. Refused
    /// if the spec is unknown, if the node is full or shuts down, or if the instance is exclusive
    /// and the start has no valid lease.
    [[nodiscard]] Result<void> start(Instant now, const Start& command);
    void stop(const Stop& command);
    /// Stops all instances and starts no more.
    void shut_down();

    /// Extends the lease of exclusive instances, as a poll or a start says.
    void extend_lease(Instant now, BootMs lease);
    /// Removes the exclusive instances once their lease is over. Call this before anything else: an
    /// agent that was paused must not continue them.
    void end_lease_if_due(Instant now);
    /// When end_lease_if_due() has something to do.
    [[nodiscard]] std::optional<Instant> lease_until() const { return lease_.until(); }

    void on_started(Instant now, const ProcessStarted& event);
    void on_not_started(Instant now, const ProcessNotStarted& event);
    void on_ended(Instant now, const ProcessEnded& event);
    void on_journal_failed(Instant now, const std::string& why);

    [[nodiscard]] bool spawn_failing() const { return spawn_failing_; }
    /// A process that belongs to no instance was created, or the host failed to create it.
    void on_check_spawn(bool made) { spawn_failing_ = !made; }

private:
    using Entry = Lifecycle::Entry;

    [[nodiscard]] bool would_change(const Start& command) const;
    /// A start of what is here already renews only its proof.
    void take_proof(const Start& command);
    void leave(Entry& entry);
    void stay_ended(Entry& entry);
    [[nodiscard]] bool is_exclusive(const InstanceId& id, Digest digest) const;
    void leave_with_lease(Entry& entry);
    /// No other node can have got the instance since it started here.
    [[nodiscard]] bool may_start_again(const Entry& entry) const {
        return !lives_.spec_of(entry).exclusive || (lease_.until() && !entry.second.is_adopted);
    }

    Lifecycle& lives_;
    HostLease lease_;
    bool shutting_down_ = false;
    bool spawn_failing_ = false;
};

}  // namespace muster::agent
