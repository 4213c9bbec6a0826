#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/core/journal.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

/// What goes into an agent's core and what comes out of it.
namespace muster::agent {

/// What an agent keeps on disk. It is durable before any answer or effect that follows from it.
struct AgentMemory {
    ClusterId cluster;  ///< None until a coordinator commanded it.
    Epoch epoch{};      ///< The highest ever answered or obeyed, and its leader.
    LeaderId leader;
    Generation counter{};  ///< The highest of the cluster's counter ever seen.
    Incarnation incarnation{};

    friend bool operator==(const AgentMemory&, const AgentMemory&) = default;
};

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
/// The last journal write put out is on disk.
struct Journaled {};
/// It could not be written, none of it.
struct JournalFailed {
    std::string detail;
};
/// The process runs.
struct ProcessStarted {
    ProcessId process{};
    CivilMs at{};
    ProcessIdentity identity{};
};
/// No process came of it. `permanent`: it cannot be executed, and trying again will not help.
struct ProcessNotStarted {
    ProcessId process{};
    bool permanent = false;
    bool host_at_fault = false;  ///< No memory, no fds, ...: says something about the host.
    std::string detail;
    bool never_made = false;  ///< An earlier life was to make it, and did not come to that.
};
/// The process and all its descendants are gone.
struct ProcessEnded {
    ProcessId process{};
    std::int32_t exit_code = -1;  ///< -1 if a signal ended it.
    std::int32_t exit_signal = 0;
    bool by_order = false;       ///< It was told to end, perhaps by an earlier life of this agent.
    bool unseen = false;         ///< Nobody saw how.
    bool out_of_memory = false;  ///< The kernel killed in it, at its limit.
};
/// What the host says of itself, looked at every few seconds.
struct HostObserved {
    std::uint32_t load_milli = 0;
    std::uint64_t memory_free = 0;   ///< Bytes that processes may still have. 0: not known.
    std::uint64_t memory_bytes = 0;  ///< Of which it is left. 0: not known.
    CivilMs civil{};
};
/// Likewise the disk with the agent's state and logs, which may take its time.
struct DiskObserved {
    std::uint64_t free_bytes = 0;
    std::uint64_t bytes = 0;  ///< 0: it could not be looked at.
    std::uint64_t free_files = 0;
    std::uint64_t files = 0;  ///< That it may have. 0: any number.
};
/// The agent is to end and to leave its instances running: it says goodbye.
struct Leave {};
/// The agent is to end: stop every instance, then say goodbye.
struct ShutDown {};
struct AgentWake {};

using AgentInput = std::variant<FromCoordinator, Remembered, RememberFailed, Journaled,
                                JournalFailed, ProcessStarted, ProcessNotStarted, ProcessEnded,
                                HostObserved, DiskObserved, Leave, ShutDown, AgentWake>;

// ---- outputs ----

/// Make a process of this instance, in a session of its own. It is in the journal.
struct Spawn {
    ProcessId process{};
    InstanceId id;
    Generation generation{};
    TaskSpec spec;
    Instant lease{};          ///< An exclusive one may run until then,
    std::uint64_t token = 0;  ///< and tells by this number who came later.
};
/// The lease of an exclusive process ends then, and no sooner.
struct Renewal {
    ProcessId process{};
    Instant lease{};
};
/// Nothing was heard of the process for too long: have its shim tell its whole state again. What of
/// it was told before is not told a second time.
struct Ask {
    ProcessId process{};
};
/// End the process: this signal to its group now, SIGKILL to all its descendants after the grace.
struct End {
    ProcessId process{};
    int number = 0;
    Duration grace{};
};
/// The end of the process is in the journal: what is kept of it elsewhere may go.
struct Release {
    ProcessId process{};
};

/// What is to be done to processes, in this order.
struct ProcessOrders {
    std::vector<Release> releases;
    std::vector<Ask> asks;
    std::vector<End> ends;
    std::vector<Renewal> renewals;
    std::vector<Spawn> spawns;
};

/// A signal to the process group of what runs.
struct SignalTo {
    ProcessId process{};
    int number = 0;
};
/// What these processes use, each with its tree. Answered by Measured.
struct MeasureProcesses {
    struct Root {
        InstanceId id;
        ProcessIdentity identity;
    };
    ErrandStamp stamp;
    std::vector<Root> processes;
};
/// To be read of the host and answered to the coordinator, whenever it is done.
using Reading = std::variant<ReadLog, MeasureProcesses>;

/// To be carried out in this order.
struct AgentOutput {
    std::optional<AgentMemory> remember;  ///< Answered by Remembered or RememberFailed.
    std::optional<JournalWrite> journal;  ///< Answered by Journaled or JournalFailed.
    ProcessOrders processes;              ///< But for the spawns, which come after what is left.
    std::vector<SignalTo> signals;
    std::vector<InstanceId> left;  ///< No more here: what is kept for them may go.
    std::vector<Spawn> checks;     ///< Of no instance: whether the host can work.
    std::vector<Reading> readings;
    std::vector<AgentMessage> messages;  ///< What cannot be sent is dropped.
    bool finished = false;               ///< After Leave or ShutDown: goodbye is said.
};

}  // namespace muster::agent
