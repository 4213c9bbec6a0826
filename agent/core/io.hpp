#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/core/journal.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

/// Inputs and outputs of the agent's core.
namespace muster::agent {

/// The memory that an agent keeps on disk. It is durable before any answer or effect that follows
/// from it.
struct AgentMemory {
    ClusterId cluster;  ///< None until a coordinator has commanded the agent.
    Epoch epoch{};      ///< The highest that the agent ever answered or obeyed, and its leader.
    LeaderId leader;
    Generation counter{};  ///< The highest value of the cluster's counter that the agent ever saw.
    Incarnation incarnation{};

    friend bool operator==(const AgentMemory&, const AgentMemory&) = default;
};

// ---- inputs ----

struct FromCoordinator {
    CoordinatorMessage message;
};
/// The memory last put out is on disk.
struct Remembered {};
/// The memory could not be written. The message that waits for it is dropped, as if it had been
/// lost.
struct RememberFailed {
    std::string detail;
};
/// The last journal write put out is on disk.
struct Journaled {};
/// The journal write failed as a whole.
struct JournalFailed {
    std::string detail;
};
/// The process runs.
struct ProcessStarted {
    ProcessId process{};
    CivilMs at{};
    ProcessIdentity identity{};
};
/// The process did not start. `permanent`: it cannot be executed, and trying again does not help.
struct ProcessNotStarted {
    ProcessId process{};
    bool permanent = false;
    bool host_at_fault = false;  ///< It lacked memory, descriptors, ...
    std::string detail;
    bool never_made = false;  ///< An earlier life planned to create it and died before that.
    /// It lacks the value of a secret: another order of the coordinator brings it.
    bool needs_order = false;
};
/// The process and all its descendants are gone.
struct ProcessEnded {
    ProcessId process{};
    std::int32_t exit_code = -1;  ///< -1 if a signal ended it.
    std::int32_t exit_signal = 0;
    bool by_order = false;  ///< It was ordered to end, perhaps by an earlier life of this agent.
    bool unseen = false;    ///< Nobody saw how it ended.
    bool out_of_memory = false;  ///< The kernel killed a process in it, at its memory limit.
};
/// The state of the host, observed every few seconds.
struct HostObserved {
    std::uint32_t load_milli = 0;
    std::uint64_t memory_free = 0;   ///< Bytes still available to processes. 0: not known.
    std::uint64_t memory_bytes = 0;  ///< All bytes of memory. 0: not known.
    CivilMs civil{};
};
/// The same for the disk with the agent's state and logs. This observation may be slow.
struct DiskObserved {
    std::uint64_t free_bytes = 0;
    std::uint64_t bytes = 0;  ///< 0: the disk could not be observed.
    std::uint64_t free_files = 0;
    std::uint64_t files = 0;  ///< Files that the disk can hold. 0: any number.
};
/// The agent ends and leaves its instances running. It announces its departure.
struct Leave {};
/// The agent stops every instance, then announces its departure and ends.
struct ShutDown {};
/// The new key of this host is on disk, beside the present one.
struct KeyMade {
    std::string key;  ///< Its public half.
};
/// The new key could not be made or kept.
struct KeyNotWritten {
    std::string detail;
};
/// The new key took the place of the present one.
struct KeyKept {};
/// The coordinator does not let the key of the link connect.
struct KeyRefused {};
/// Messages go over another link from now on.
struct KeyLinked {
    bool is_new = false;  ///< It has the new key.
};
struct AgentWake {};

using AgentInput =
    std::variant<FromCoordinator, Remembered, RememberFailed, Journaled, JournalFailed,
                 ProcessStarted, ProcessNotStarted, ProcessEnded, HostObserved, DiskObserved, Leave,
                 ShutDown, KeyMade, KeyNotWritten, KeyKept, KeyRefused, KeyLinked, AgentWake>;

// ---- outputs ----

/// Create a process for this instance, in its own session. The journal has it.
struct Spawn {
    ProcessId process{};
    InstanceId id;
    Generation generation{};
    TaskSpec spec;
    Instant lease{};          ///< An exclusive process may run until then.
    std::uint64_t token = 0;  ///< Its storage refuses lower ones.
    Proof proof{};            ///< Of the order to start it.
};
/// The lease of an exclusive process ends at this time, and not earlier.
struct Renewal {
    ProcessId process{};
    Instant lease{};
};
/// The shim of the process was silent for too long: make it send its whole state again. The
/// executor does not repeat the parts that it reported before.
struct Ask {
    ProcessId process{};
};
/// End the process: send this signal to its group now, and SIGKILL to its whole tree after the
/// grace.
struct End {
    ProcessId process{};
    int number = 0;
    Duration grace{};
};
/// The end of the process is in the journal, so its other traces can be deleted.
struct Release {
    ProcessId process{};
};

/// Orders for processes, carried out in this order.
struct ProcessOrders {
    std::vector<Release> releases;
    std::vector<Ask> asks;
    std::vector<End> ends;
    std::vector<Renewal> renewals;
    std::vector<Spawn> spawns;
};

/// A signal to the process group of a running process.
struct SignalTo {
    ProcessId process{};
    int number = 0;
};
/// Measure what each of these processes uses, with its tree. Answered by Measured.
struct MeasureProcesses {
    struct Root {
        InstanceId id;
        ProcessIdentity identity;
    };
    AgentCallStamp stamp;
    std::vector<Root> processes;
};
/// Read this from the host and send the answer to the coordinator when it is ready.
using Reading = std::variant<ReadLog, MeasureProcesses>;

/// What the shell does with the keys of this host.
enum class KeyOrder : std::uint8_t {
    make,         ///< Write a new key beside the present one. Answered by KeyMade or KeyNotWritten.
    use_new,      ///< Make a second link with the new key. Answered by KeyLinked, once it carries
    use_present,  ///< messages. The same with the present key.
    keep,         ///< The new key replaces the present one. Answered by KeyKept or KeyNotWritten.
};

/// Carried out in this order.
struct AgentOutput {
    std::optional<AgentMemory> remember;  ///< Answered by Remembered or RememberFailed.
    std::optional<JournalWrite> journal;  ///< Answered by Journaled or JournalFailed.
    ProcessOrders processes;              ///< The spawns among them come after `left`.
    std::vector<SignalTo> signals;
    std::vector<InstanceId> left;  ///< No longer here: what is kept for them can be deleted.
    std::vector<Spawn> checks;     ///< Of no instance: whether the host can work.
    std::vector<Reading> readings;
    std::vector<AgentMessage> messages;  ///< A message that cannot be sent is dropped.
    std::optional<KeyOrder> key;
    bool finished = false;  ///< After Leave or ShutDown: the departure is announced.
};

}  // namespace muster::agent
