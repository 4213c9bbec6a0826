#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/message.hpp"
#include "common/time.hpp"

namespace muster {

/// What an agent keeps on disk. It is durable before any answer or effect that follows from it.
struct AgentMemory {
    ClusterId cluster;  ///< None until a coordinator commanded it.
    Epoch epoch{};      ///< The highest ever answered or obeyed, and its leader.
    LeaderId leader;
    Generation counter{};  ///< The highest of the cluster's counter ever seen.
    Incarnation incarnation{};

    friend bool operator==(const AgentMemory&, const AgentMemory&) = default;
};

/// The agent's number for one process it ordered; never used again in this life.
enum class ProcessId : std::uint64_t {};

// ---- inputs ----

struct FromCoordinator {
    CoordinatorMessage message;
};
/// The memory last put out is on disk.
struct Remembered {};
/// It could not be written: what waits for it is dropped, as if its message had been lost.
struct RememberFailed {
    std::string detail;
};
/// The process runs.
struct ProcessStarted {
    ProcessId process{};
    CivilMs at{};
};
/// No process came of it. `permanent`: it cannot be executed, and trying again will not help.
struct ProcessNotStarted {
    ProcessId process{};
    bool permanent = false;
    bool host_at_fault = false;  ///< No memory, no fds, ...: says something about the host.
    std::string detail;
};
/// The process and all its descendants are gone.
struct ProcessEnded {
    ProcessId process{};
    std::int32_t exit_code = -1;  ///< -1 if a signal ended it.
    std::int32_t exit_signal = 0;
};
struct LoadObserved {
    std::uint32_t load_milli = 0;
};
/// The agent is to end: stop every instance, then say goodbye.
struct ShutDown {};
struct AgentWake {};

using AgentInput = std::variant<FromCoordinator, Remembered, RememberFailed, ProcessStarted,
                                ProcessNotStarted, ProcessEnded, LoadObserved, ShutDown, AgentWake>;

// ---- outputs ----

/// Make a process of this instance, in a session of its own.
struct Spawn {
    ProcessId process{};
    InstanceId id;
    Generation generation{};
    TaskSpec spec;
};
/// Send a signal to the process (its group).
struct Signal {
    ProcessId process{};
    int number = 0;
};
/// End the process and all its descendants.
struct Kill {
    ProcessId process{};
};

/// To be carried out in this order.
struct AgentOutput {
    std::optional<AgentMemory> remember;  ///< Answered by Remembered or RememberFailed.
    std::vector<Kill> kills;
    std::vector<Signal> signals;
    std::vector<InstanceId> left;  ///< No more here: what is kept for them may go.
    std::vector<Spawn> spawns;
    std::vector<Spawn> checks;  ///< As spawns, but of no instance: whether the host can work.
    std::vector<AgentMessage> messages;  ///< What cannot be sent is dropped.
    bool finished = false;               ///< After ShutDown: nothing runs, goodbye is said.
};

/// The command that says by its exit code whether the host is ready for work.
struct CheckOptions {
    std::vector<std::string> command;  ///< Empty: none, and it is ready.
    Duration timeout = 10s;            ///< Then it is killed, and has failed.

    friend bool operator==(const CheckOptions&, const CheckOptions&) = default;
};

struct AgentOptions {
    std::string name;
    LifeId life;
    BootId boot;
    std::string version;
    std::uint64_t seed = 0;             ///< For the jitter of a repeated hello.
    Duration hello_after_silence = 3s;  ///< Without a word from the coordinator: hello again.
    Offer offer{};
    CheckOptions check{};
};

/// One instance for the agent's own `list`.
struct LocalInstance {
    InstanceReport report;
    ProcessId process{};  ///< Of the present process; 0: none.
};

/// One agent's whole mind: which commands it obeys, what it reports, when a process is started
/// again. It goes on restarting and reporting to itself while no coordinator is there.
///
/// Pure: no clock, no I/O, no thread.
class Agent {
public:
    /// `memory` is as on disk; its incarnation is already this life's.
    Agent(Instant now, AgentOptions options, const AgentMemory& memory);
    ~Agent();
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;

    [[nodiscard]] AgentOutput step(Instant now, const AgentInput& input);
    [[nodiscard]] Instant next_deadline() const;

    [[nodiscard]] std::vector<LocalInstance> instances() const;  ///< Sorted by id.
    [[nodiscard]] const AgentMemory& memory() const;
    /// True while polls of an accepted leader arrive.
    [[nodiscard]] bool led(Instant now) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace muster
