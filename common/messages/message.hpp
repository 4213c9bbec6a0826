#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/names.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/messages/agent_calls.hpp"
#include "common/spec/placement.hpp"
#include "common/spec/spec.hpp"

/// The messages between agents and the coordinator. The contract for foreign agents is
/// docs/reference/protocol.md; the codec makes the bytes.
namespace muster {

enum class InstanceState : std::uint8_t {
    pending,   ///< Known to the agent, not yet tried.
    starting,  ///< The process is being made.
    running,
    backoff,   ///< Ended; starts again when its delay is over.
    exited,    ///< Ended, and its restart policy starts it no more.
    failed,    ///< Not started again here: too many starts, or it cannot be executed.
    stopping,  ///< Ordered to stop; its process still lives.
};
template <>
inline constexpr auto enum_names<InstanceState> = name_list("pending", "starting", "running",
                                                            "backoff", "exited", "failed",
                                                            "stopping");

/// Shows that a coordinator of the cluster ordered a start. The tag covers the instance, its
/// generation, the node and the life of its agent, under a key that agents do not have. An agent
/// keeps the proof of each start that it obeys, and repeats it with the instance.
struct Proof {
    Incarnation incarnation{};  ///< The life of the agent that got the order.
    Digest tag;                 ///< None: there is no proof.

    [[nodiscard]] bool is_none() const { return *this == Proof{}; }
    friend bool operator==(const Proof&, const Proof&) = default;
};

/// One instance as its agent sees it.
struct InstanceReport {
    InstanceId id;
    Generation generation{};
    InstanceState state = InstanceState::pending;
    std::uint32_t restarts = 0;    ///< Starts after the first, in this generation.
    std::int32_t exit_code = -1;   ///< Of the last process that ended by itself; -1: none.
    std::int32_t exit_signal = 0;  ///< The signal that ended the last process; 0: none.
    CivilMs started{};             ///< Of the present (or last) process; 0: none yet.
    std::string detail;            ///< Why it is failed or in back-off. At most detail_bytes.
    Proof proof{};                 ///< Of the start that it follows.

    friend bool operator==(const InstanceReport&, const InstanceReport&) = default;
};

/// The result of the agent's own check whether the host is ready for work.
enum class Readiness : std::uint8_t {
    none,     ///< There is no check: it is ready.
    pending,  ///< No check has ended in this life.
    passed,
    failed,
};
template <>
inline constexpr auto enum_names<Readiness> = name_list("none", "pending", "passed", "failed");

/// The part of a poll's answer about the host, outside the revision. Rounded, so that it seldom
/// differs.
struct HostFacts {
    std::uint32_t load_milli = 0;           ///< One-minute load average, thousandths.
    bool spawn_failing = false;             ///< The last start failed because of the host.
    bool journal_failing = false;           ///< The agent's own state could not be written.
    Readiness readiness = Readiness::none;  ///< From the last completed check.
    std::int32_t check_exit = 0;            ///< Its exit code; -1: signal, timeout, or not started.
    std::uint64_t checks = 0;               ///< Ended in this life of the agent.
    bool unable = false;                    ///< It should get no work; vitals have the reason.

    friend bool operator==(const HostFacts&, const HostFacts&) = default;
};

/// Facts about the host that an answer carries only sometimes; the last ones stay valid until then.
/// Times are those of the host's civil clock.
struct HostVitals {
    CivilMs at{};                 ///< When they were sent. 0: no facts.
    std::uint64_t memory_free{};  ///< Bytes that processes may still have. 0: not known.
    std::uint64_t disk_free{};    ///< Bytes left where the agent keeps its state and logs.
    std::uint64_t disk_bytes{};   ///< Size of that disk. 0: it did not answer.
    CivilMs spawned{};            ///< The last process was made. 0: none in this life.
    CivilMs written{};            ///< The agent last wrote its own state. 0: never.
    std::string unable{};         ///< Why it should get no work. At most detail_bytes.
    /// Faults that still allow work, and why. At most detail_bytes.
    std::string trouble{};

    friend bool operator==(const HostVitals&, const HostVitals&) = default;
};

// ---- agent to coordinator ----

/// The first message on every route. Identity is the name, until keys prove it.
struct Hello {
    std::string name;
    ClusterId cluster;  ///< None: belongs to no cluster yet.
    BootId boot;
    LifeId life;
    Incarnation incarnation{};  ///< The agent's own counter, on its disk.
    Epoch epoch{};              ///< The highest it ever answered or obeyed, and whose it was.
    LeaderId leader;
    Generation counter{};             ///< The highest number of a durable change that it knows.
    std::string version;              ///< Of the program, for people.
    Offer offer{};                    ///< What the host has for instances.
    std::vector<LimitFact> limits{};  ///< The limits of tasks that it enforces; none: unknown.
    CapacityFrom capacity_from{};     ///< The source of its capacity.
    bool keeps_proofs = false;        ///< It repeats the proof of each start.
    /// The public key, made by this life, for which values of secrets are sealed. Empty: it takes
    /// none.
    std::string seal_key{};

    friend bool operator==(const Hello&, const Hello&) = default;
};

enum class ReportKind : std::uint8_t { same, delta, snapshot };
template <>
inline constexpr auto enum_names<ReportKind> = name_list("same", "delta", "snapshot");

/// The answer to a poll, or (round 0) an unsolicited delta when an instance changed.
struct Report {
    ReportKind kind = ReportKind::same;
    Epoch epoch{};
    Round round{};
    Incarnation incarnation{};
    Revision from{};  ///< delta: the receiver holds this or a later one. Else equal to `to`.
    Revision to{};
    Sequence obeyed{};  ///< The highest sequence obeyed in this epoch.
    HostFacts host;
    std::vector<InstanceReport> instances;  ///< Sorted by id. snapshot: all; delta: the changed.
    std::vector<InstanceId> gone;           ///< delta: no longer known to the agent. Sorted.
    BootMs stamp{};       ///< When it was made, on its host. 0: its agent has no leases.
    HostVitals vitals{};  ///< Outside the revision, too.

    friend bool operator==(const Report&, const Report&) = default;
};

/// A command of a batch that was not executed, and why.
struct Refusal {
    InstanceId id;
    Generation generation{};
    Errc code = Errc::refused;  ///< spec_unknown: the next batch has the spec.
    std::string detail;

    friend bool operator==(const Refusal&, const Refusal&) = default;
};

/// The agent's answer to a batch of commands.
struct Ack {
    Epoch epoch{};
    Incarnation incarnation{};
    Sequence obeyed{};
    std::vector<Refusal> refusals;

    friend bool operator==(const Ack&, const Ack&) = default;
};

/// A planned absence: the agent stops on request.
struct Departure {
    Incarnation incarnation{};
    std::uint32_t instances = 0;  ///< Left running; its next life adopts them.

    friend bool operator==(const Departure&, const Departure&) = default;
};

/// The public half of a new key that the agent made because a poll asked for one. The connection
/// proves the present key, so the message counts for its name only.
struct NewKey {
    Incarnation incarnation{};
    std::string key;  ///< 64 hexadecimal digits.

    friend bool operator==(const NewKey&, const NewKey&) = default;
};

using AgentMessage = std::variant<Hello, Report, Ack, Departure, NewKey, LogPiece, Signalled,
                                  Measured, AgentCallFailed>;

// ---- coordinator to agent ----

/// The answer to an accepted hello. Polls follow.
struct Welcome {
    ClusterId cluster;
    Epoch epoch{};
    LeaderId leader;
    Incarnation incarnation{};
    std::uint32_t round_ms = 0;

    friend bool operator==(const Welcome&, const Welcome&) = default;
};

/// The answer to a message that the coordinator does not accept: hello_required, name_in_use,
/// stale_incarnation, malformed, unsupported_version, busy, ...
struct Refused {
    Errc code = Errc::refused;
    std::string detail;
    Incarnation known{};               ///< stale_incarnation: use one above this.
    std::uint32_t retry_after_ms = 0;  ///< 0: at the agent's own pace.

    friend bool operator==(const Refused&, const Refused&) = default;
};

/// Asks for the instances. Commands with a sequence up to `issued` that arrive later are refused.
struct Poll {
    Epoch epoch{};
    Round round{};
    Incarnation incarnation{};
    Revision seen{};     ///< The revision that the coordinator holds; 0 asks for a snapshot.
    Sequence issued{};   ///< The last sequence issued to this life in this epoch.
    bool check = false;  ///< The host is not ready: run its check again.
    BootMs lease{};      ///< Until then it may run exclusive instances. 0: no change.
    /// The key of the agent is being replaced: it sends a new key, or uses the one that it sent.
    bool renew_key = false;

    friend bool operator==(const Poll&, const Poll&) = default;
};

/// A task's spec, sent once per node and generation.
struct SpecVersion {
    std::string task;
    Generation generation{};
    TaskSpec spec;
    /// A key of the spec that this program does not know, so that it must not run the spec. Empty:
    /// none. A reader sets it; it is neither on the wire nor part of the value.
    std::string unknown_key{};

    friend bool operator==(const SpecVersion& a, const SpecVersion& b) {
        return a.task == b.task && a.generation == b.generation && a.spec == b.spec;
    }
};

/// Desired state of one instance: it runs in this generation. A higher generation replaces the
/// local process; the same or a lower one changes nothing.
struct Start {
    InstanceId id;
    Generation generation{};
    Digest digest;
    BootMs lease{};           ///< For an exclusive one, as in a poll; refused once it has passed.
    std::uint64_t token = 0;  ///< For an exclusive one: above those of all earlier starts.
    /// Why this host does not carry it out, such as by its policy. Empty: it does. The agent's
    /// shell sets it; it is neither on the wire nor part of the value.
    std::string objection{};
    Proof proof{};  ///< None: the cluster has no keys.

    friend bool operator==(const Start& a, const Start& b) {
        return a.id == b.id && a.generation == b.generation && a.digest == b.digest &&
               a.lease == b.lease && a.token == b.token && a.proof == b.proof;
    }
};

/// Desired state of one instance: no process of this generation or a lower one.
struct Stop {
    InstanceId id;
    Generation generation{};

    friend bool operator==(const Stop&, const Stop&) = default;
};

/// The value of a secret for the starts of a batch. On the wire it is sealed for the one agent; in
/// the coordinator's core it is encrypted as in the store.
struct SecretValue {
    std::string name;
    Generation version{};
    std::string value;

    friend bool operator==(const SecretValue&, const SecretValue&) = default;
};

/// Commands to one node. Stops are executed before starts.
struct Batch {
    ClusterId cluster;
    Epoch epoch{};
    LeaderId leader;
    Incarnation incarnation{};
    Sequence sequence{};
    Generation counter{};  ///< The cluster's counter of durable changes.
    std::vector<SpecVersion> specs;
    std::vector<Stop> stops;
    std::vector<Start> starts;
    std::vector<SecretValue> secrets{};  ///< That the specs of its starts name.

    friend bool operator==(const Batch&, const Batch&) = default;
};

/// The new key of the agent is durable: from now on it can connect with that key, too.
struct KeyRegistered {
    std::string key;

    friend bool operator==(const KeyRegistered&, const KeyRegistered&) = default;
};

using CoordinatorMessage =
    std::variant<Welcome, Refused, Poll, Batch, KeyRegistered, ReadLog, SendSignal, Measure>;

}  // namespace muster
