#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "agent/core/fencing/obedience.hpp"
#include "agent/core/fencing/session.hpp"
#include "agent/core/host/host_watch.hpp"
#include "agent/core/host/readiness.hpp"
#include "agent/core/host/write_watch.hpp"
#include "agent/core/instances/supervisor.hpp"
#include "agent/core/io.hpp"
#include "agent/core/options.hpp"
#include "agent/core/reporting/errands.hpp"
#include "agent/core/reporting/reporter.hpp"

namespace muster::agent {

/// What an agent knows, and the parts of its step. Owned by Agent.
struct State {
    State(Instant now, AgentOptions given, const Beginning& beginning)
        : options{std::move(given)},
          obedience{beginning.memory},
          session{now, options.hello_after_silence, options.seed},
          readiness{options.check},
          watch{options.floors} {
        supervisor.restore(beginning);
    }

    AgentOptions options;
    Obedience obedience;
    Session session;
    Supervisor supervisor;
    Reporter reporter;
    AgentErrands errands;
    ReadinessCheck readiness;
    HostWatch watch;
    HostFacts host;

    // The memory being written, and the messages that wait for it; the first of them raised it,
    // unless the disk is only tried.
    std::optional<AgentMemory> writing;
    bool trying_disk = false;
    WriteWatch memory_writes;
    WriteWatch journal_writes;
    std::deque<CoordinatorMessage> waiting;

    Revision told{};  // The session's leader was told up to here; 0: it has not polled yet.
    std::optional<Instant> delta_due;
    Instant delta_sent;
    std::optional<Instant> polled;  // By a leader that we obey.
    bool leaving = false;           // It ends, and its instances stay.
    bool shutting_down = false;
    bool finished = false;

    // ---- inputs ----
    void apply(Instant now, const FromCoordinator& event, AgentOutput& output);
    void apply(Instant now, const Remembered& event, AgentOutput& output);
    void apply(Instant now, const RememberFailed& event, AgentOutput& output);
    void apply(Instant now, const Journaled& event, AgentOutput& output);
    void apply(Instant now, const JournalFailed& event, AgentOutput& output);
    void apply(Instant now, const ProcessStarted& event, AgentOutput& output);
    void apply(Instant now, const ProcessNotStarted& event, AgentOutput& output);
    void apply(Instant now, const ProcessEnded& event, AgentOutput& output);
    void apply(Instant now, const HostObserved& event, AgentOutput& output);
    void apply(Instant now, const DiskObserved& event, AgentOutput& output);
    void apply(Instant now, const Leave& event, AgentOutput& output);
    void apply(Instant now, const ShutDown& event, AgentOutput& output);
    void apply(Instant now, const AgentWake& event, AgentOutput& output);

    // ---- messages ----
    void handle(Instant now, const CoordinatorMessage& message, AgentOutput& output);
    void handle_waiting(Instant now, AgentOutput& output);
    [[nodiscard]] std::optional<AgentMemory> must_remember(const CoordinatorMessage& message) const;
    void take(Instant now, const Welcome& welcome, AgentOutput& output);
    void take(Instant now, const Refused& refused, AgentOutput& output);
    void take(Instant now, const Poll& poll, AgentOutput& output);
    void take(Instant now, const Batch& batch, AgentOutput& output);
    template <class Errand>
        requires requires(Errand errand) { errand.stamp; }
    void take(Instant now, const Errand& errand, AgentOutput& output);
    [[nodiscard]] bool is_for_us(Epoch epoch, Incarnation incarnation) const;
    void carry_out(Instant now, const Batch& batch, std::vector<Refusal>& refusals);

    // ---- outputs ----
    void settle(Instant now, AgentOutput& output);
    void look_at_host(Instant now);
    void tell_soon(Instant now, const std::set<InstanceId>& touched);
    void try_disk(Instant now, AgentOutput& output);
    void write_journal(Instant now, AgentOutput& output);
    void report(Instant now, Epoch epoch, Term term, Revision seen, AgentOutput& output,
                HostVitals vitals = {});
    [[nodiscard]] bool has_news() const;
    void send_due(Instant now, AgentOutput& output);
    void finish(Instant now, AgentOutput& output);
};

}  // namespace muster::agent
