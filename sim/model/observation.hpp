#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/core/agent.hpp"
#include "coordinator/core/rows.hpp"
#include "sim/model/event_queue.hpp"

/// What the checkers are told, in the order in which it happens. References hold for the call only.
namespace muster::sim {

/// An observation of a whole host, which says only which host it is.
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
};
/// These writes are durable now, all at once.
struct Committed {
    const std::vector<coordinator::Persist>& persists;
    const coordinator::StoreImage& after;
};
/// An operator exchanged the disk: nothing before it binds any more.
struct StoreReplaced {
    const coordinator::StoreImage& image;
};
struct BatchIssued {
    HostIndex host{};
    const Batch& batch;
    const coordinator::StoreImage& store;
    const agent::AgentMemory& target;  ///< What that agent has on its disk, by its last hello.
    Offer offer{};                     ///< What its host has.
};
struct WelcomeIssued {
    HostIndex host{};
    const std::string& name;
    Incarnation incarnation{};
};
/// The coordinator learns that the agent's session is over, or gives up the route because another
/// life spoke by it.
struct RouteClosed : OfHost {};
struct PollIssued {
    HostIndex host{};
    const Poll& poll;
};
struct EventPublished {
    const Event& event;
};

/// The coordinator learns what its civil clock says, which may be wrong.
struct CivilTold {
    CivilMs at{};
};

/// What the coordinator says of itself in numbers, in three forms, at one moment.
struct NumbersShown {
    const StatusReply& status;
    const StatsReply& stats;
    const std::string& metrics;
};

// ---- requests ----

struct RequestMade {
    const Request& request;
};
struct ReplyGiven {
    const Reply& reply;
};
/// The client has it.
struct ReplyHeard {
    const Reply& reply;
};

// ---- agents ----

struct AgentBegan {
    HostIndex host{};
    const agent::RecoveredState& beginning;
};
/// The agent's disk is empty, or another.
struct DiskLost : OfHost {};
struct BatchDelivered {
    HostIndex host{};
    const Batch& batch;
    const agent::AgentMemory& disk;
};
struct WriteFailed : OfHost {};
struct ShutDownOrdered : OfHost {};
/// Told before the effects of the same step.
struct AgentSaid {
    HostIndex host{};
    const AgentMessage& message;
    const agent::AgentMemory& disk;
};
struct AgentHeard {
    HostIndex host{};
    const AgentMessage& message;  ///< By the coordinator.
};
/// What this host says next is not what its agent sent,
struct ByzantineReport {
    HostIndex host{};
    const std::string& name;  ///< Of its node.
};
/// and all that the coordinator does at once is done.
struct ByzantineOver {};

// ---- processes ----

/// The agent orders a process.
struct SpawnOrdered {
    HostIndex host{};
    std::uint64_t process = 0;
    const InstanceId& id;
    Generation generation{};
    RestartPolicy restart{};
    bool is_journaled = true;  ///< Its instance is on the agent's disk, with this process.
    Instant lease{};           ///< Of an exclusive one.
};
struct LeaseRenewed {
    HostIndex host{};
    std::uint64_t process = 0;
    Instant lease{};
};
/// Somebody killed what stands over a process, which ends with it.
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
    std::uint64_t token = 0;  ///< Of an exclusive one.
};
/// All of a host stands still, as a virtual machine that is paused: nothing of it runs.
struct HostHalted : OfHost {};
/// Its shim ends the process, since nobody renewed its lease.
struct LeaseEnded {
    HostIndex host{};
    std::uint64_t process = 0;
};
/// The agent has a process ended.
struct EndOrdered {
    HostIndex host{};
    std::uint64_t process = 0;
    bool is_lost = false;  ///< Its shim does not hear of it.
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
