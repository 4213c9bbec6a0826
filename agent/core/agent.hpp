#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/core/fencing/command_fence.hpp"
#include "agent/core/fencing/key_renewal.hpp"
#include "agent/core/fencing/message_gate.hpp"
#include "agent/core/fencing/session.hpp"
#include "agent/core/host/host_watch.hpp"
#include "agent/core/host/readiness.hpp"
#include "agent/core/instances/lifecycle.hpp"
#include "agent/core/instances/supervisor.hpp"
#include "agent/core/io.hpp"
#include "agent/core/journal.hpp"
#include "agent/core/options.hpp"
#include "agent/core/reporting/agent_calls.hpp"
#include "agent/core/reporting/reporter.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// One instance for the agent's own `list`.
struct LocalInstance {
    InstanceReport report;
    ProcessIdentity process;  ///< Of the present process. 0: there is none.
};

/// All decisions of one agent: which commands it obeys, what it reports, when it starts a process
/// again. Without a coordinator it still restarts processes and keeps its reports current.
class Agent {
public:
    /// The fate of each process, from the journal or found on the host, arrives later as an input.
    Agent(Instant now, AgentOptions options, const RecoveredState& recovered);
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;

    [[nodiscard]] AgentOutput step(Instant now, const AgentInput& input);
    [[nodiscard]] Instant next_deadline() const;

    [[nodiscard]] std::vector<LocalInstance> instances() const;  ///< Sorted by id.
    [[nodiscard]] const AgentMemory& memory() const { return fence_.memory(); }
    /// True while polls of an accepted leader arrive.
    [[nodiscard]] bool led(Instant now) const { return session_.is_led(now); }
    /// The spec of a start. Null: it was not sent.
    [[nodiscard]] const TaskSpec* find_spec(const InstanceId& id, Digest digest) const {
        return lives_.find_spec(id, digest);
    }
    /// Why the host should get no work at present. Empty: nothing is wrong.
    [[nodiscard]] const std::string& unable() const { return host_.unable(); }

private:
    void route(Instant now, const AgentInput& input, AgentOutput& output);
    void on_journal_failed(Instant now, const std::string& why);
    void on_not_started(Instant now, const ProcessNotStarted& event);

    // ---- messages ----
    void handle_messages(Instant now, AgentOutput& output);
    [[nodiscard]] std::optional<AgentMemory> must_persist(const CoordinatorMessage& message) const;
    [[nodiscard]] bool is_for_us(Epoch epoch, Incarnation incarnation) const;
    void handle(Instant now, const Welcome& welcome, AgentOutput& output);
    void handle(Instant now, const Refused& refused, AgentOutput& output);
    void handle(Instant now, const Poll& poll, AgentOutput& output);
    void handle(Instant now, const Batch& batch, AgentOutput& output);
    void handle(Instant now, const KeyRegistered& registered, AgentOutput& output);
    template <class Call>
        requires requires(Call call) { call.stamp; }
    void handle(Instant now, const Call& call, AgentOutput& output);

    // ---- consequences ----
    void advance(Instant now, AgentOutput& output);
    [[nodiscard]] bool cannot_write(Instant now) const;
    void review_trouble(Instant now);
    void report(Instant now, const Poll& poll, AgentOutput& output, HostVitals vitals = {});
    void report_news(Instant now, AgentOutput& output);
    void send_hello(Instant now, AgentOutput& output);
    void send_new_key(AgentOutput& output);
    void announce_departure(Instant now, AgentOutput& output);

    /// How the agent ends, if it was ordered to end.
    struct Ending {
        bool leaves = false;  // Its instances keep running.
        bool stops_all = false;
        bool is_over = false;  // It announced its departure.
    };

    AgentOptions options_;
    CommandFence fence_;
    Session session_;
    MessageGate gate_;
    Lifecycle lives_;
    Supervisor supervisor_{lives_};
    ReadinessCheck readiness_;
    HostWatch host_;
    Reporter reporter_;
    AgentCalls calls_;
    KeyRenewal keys_;
    Ending ending_;
};

}  // namespace muster::agent
