#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/core/agent.hpp"
#include "coordinator/core/rows.hpp"
#include "sim/model/event_queue.hpp"

/// The observations of the checkers, in the order in which they happen. References are valid only
/// during the call.
namespace muster::sim {

/// An observation about a whole host, without other fields.
struct OfHost {
    HostIndex host{};
};

// ---- the coordinator and its store ----

struct LeadershipBegan {
    const coordinator::StoreImage& image;
    Duration recovery_grace{};
    std::uint32_t lost_after = 0;
    Duration round = 1s;
    std::uint32_t loss_rate_percent = 1;
    std::uint32_t loss_burst = 10;
    std::uint32_t silent_after = 2;
    SecretKey order_key{};
    std::uint32_t control = 0;
};
/// The coordinator's core has taken a step. Nothing of its output is carried out yet.
struct StepTaken {
    const coordinator::Input& input;
    PublicKey key{};                       ///< That the connection of an agent proved.
    const coordinator::StoreImage& store;  ///< What was in effect before.
    const coordinator::Output& output;
    /// What is durable, which the core may have learnt in this step. Null: as `store`.
    const coordinator::StoreImage* stored = nullptr;

    [[nodiscard]] const coordinator::StoreImage& durable() const {
        return stored == nullptr ? store : *stored;
    }
};
/// A poll, an order or a call is sent to an agent that has to prove its key.
struct OrderSent {
    coordinator::Session session{};
    PublicKey key{};                       ///< That this connection proved.
    const coordinator::StoreImage& store;  ///< What is in effect now.
};
/// These writes became durable now, together.
struct Committed {
    const std::vector<coordinator::Persist>& persists;
    const coordinator::StoreImage& after;
};
/// An operator exchanged the disk: nothing before it counts any more.
struct StoreReplaced {
    const coordinator::StoreImage& image;
};
struct BatchIssued {
    HostIndex host{};
    const Batch& batch;
    const coordinator::StoreImage& store;
    const agent::AgentMemory& target;  ///< The memory on the agent's disk, by its last hello.
    Offer offer{};                     ///< The offer of its host.
};
struct WelcomeIssued {
    HostIndex host{};
    const std::string& name;
    Incarnation incarnation{};
};
/// The coordinator notices that the agent's session is over, or drops the connection because
/// another life used it, or counts it as that of another node, whose name and key the host used.
struct RouteClosed : OfHost {};
struct PollIssued {
    HostIndex host{};
    const Poll& poll;
};
struct EventPublished {
    const Event& event;
};

/// The coordinator reads its civil clock, which may be wrong.
struct CivilClockRead {
    CivilMs at{};
};

/// The coordinator's own numbers in three forms, at one moment.
struct NumbersShown {
    const StatusReply& status;
    const StatsReply& stats;
    const std::string& metrics;
};

// ---- several coordinators that share a store in etcd ----

struct LeaderKeyMade {
    std::uint32_t control = 0;
    Epoch epoch{};
};
/// A write of this leader takes effect.
struct EtcdWritten {
    std::uint32_t control = 0;
    Epoch epoch{};
};
/// A coordinator sends commands, polls or answers.
struct CoordinatorActed {
    std::uint32_t control = 0;
    Epoch epoch{};
};
/// It goes on after a pause, and still leads.
struct CoordinatorResumed {
    std::uint32_t control = 0;
};
/// It does not act any more, or is paused.
struct CoordinatorEnded {
    std::uint32_t control = 0;
};
/// A call of a coordinator reaches etcd.
struct EtcdReached {};
/// A fault may delay the election.
struct ElectionDisturbed {};

// ---- pools ----

/// The provider does not have this node any more.
struct ProvidedNodeGone {
    const std::string& name;
};
/// What `pool show` says of each defined pool, and what is stored of them.
struct PoolsShown {
    const std::vector<PoolShowReply>& pools;
    const coordinator::StoreImage& store;
};
/// From now on no pool may change: nothing fails, what is needed is constant, and there has been
/// time to follow it. False: it may again.
struct PoolsSettled {
    bool is_settled = true;
};

// ---- requests ----

struct RequestMade {
    const Request& request;
    coordinator::Caller by{.is_local = true};
};
struct ReplyGiven {
    const Reply& reply;
};
/// The client has the reply.
struct ReplyReceived {
    const Reply& reply;
};

// ---- agents ----

struct AgentBegan {
    HostIndex host{};
    const agent::RecoveredState& recovered;
};
/// The agent's disk is empty, or another one.
struct DiskLost : OfHost {};
struct BatchDelivered {
    HostIndex host{};
    const Batch& batch;
    const agent::AgentMemory& disk;
};
struct WriteFailed : OfHost {};
struct ShutDownOrdered : OfHost {};
/// Comes before the effects of the same step.
struct AgentMessageSent {
    HostIndex host{};
    const AgentMessage& message;
    const agent::AgentMemory& disk;
};
struct AgentMessageReceived {
    HostIndex host{};
    const AgentMessage& message;  ///< It reached the coordinator.
};
/// The next message of this host was falsified.
struct ByzantineReport {
    HostIndex host{};
    const std::string& name;  ///< Of its node.
};
/// The coordinator has handled the falsified message.
struct ByzantineReportHandled {};

// ---- processes ----

/// The agent orders a process.
struct SpawnOrdered {
    HostIndex host{};
    std::uint64_t process = 0;
    const InstanceId& id;
    Generation generation{};
    RestartPolicy restart{};
    bool is_journaled = true;  ///< The agent's disk has the instance with this process.
    Instant lease{};           ///< Of an exclusive process.
};
struct LeaseRenewed {
    HostIndex host{};
    std::uint64_t process = 0;
    Instant lease{};
};
/// A fault killed the shim of a process, which ends with it.
struct ShimKilled {
    HostIndex host{};
    std::uint64_t process = 0;
};
struct ProcessBegan {
    HostIndex host{};
    const InstanceId& id;
    Generation generation{};
    std::uint64_t process = 0;
    bool exclusive = false;
    std::uint64_t token = 0;  ///< Of an exclusive process.
};
/// A whole host is paused, like a virtual machine: nothing on it runs.
struct HostHalted : OfHost {};
/// The shim ends the process, because its lease was not renewed.
struct LeaseEnded {
    HostIndex host{};
    std::uint64_t process = 0;
};
/// The agent orders the end of a process.
struct EndOrdered {
    HostIndex host{};
    std::uint64_t process = 0;
    bool is_lost = false;  ///< The order does not reach its shim.
};
struct ProcessGone {
    HostIndex host{};
    std::uint64_t process = 0;
    const InstanceId& id;
    Generation generation{};
    bool with_host = false;  ///< The host lost its power.
    std::int32_t exit_code = -1;
};

/// A broken promise.
struct Violation {
    std::string property;  ///< For example `S7`.
    std::string what;
};

}  // namespace muster::sim
