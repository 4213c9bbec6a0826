#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/ensure.hpp"
#include "common/base/ids.hpp"
#include "coordinator/core/io.hpp"

namespace muster::sim {

/// Position of a worker host in the simulated cluster.
enum class HostIndex : std::uint32_t {};
/// One process that truly exists. The number is never used again.
enum class TrueProcess : std::uint64_t {};
/// Control hosts are c1, c2, ..., by number from 0.
[[nodiscard]] inline std::string name_of_control(std::uint32_t number) {
    return "c" + std::to_string(number + 1);
}
/// The two ends of a session.
enum class Side : std::uint8_t { coordinator, agent };

[[nodiscard]] constexpr Side other(Side side) {
    return side == Side::coordinator ? Side::agent : Side::coordinator;
}

// ---- occurrences ----

/// A message reaches the end `to` of its session.
struct Delivery {
    coordinator::Session session{};
    Side to{};
    bool stray = false;  ///< A late copy: it reaches the session that its host has by then.
    std::string bytes;
    bool mangled = false;  ///< On its way: bits are flipped, or its end is missing.
    bool forged = false;   ///< Its sender did not send it.
};
/// An agent's socket tries to connect.
struct ConnectTry {
    HostIndex host{};
    std::uint64_t attempt = 0;
};
/// One end notices that the session is over.
struct SessionEnd {
    coordinator::Session session{};
    Side side{};
};
/// A cut lasted as long as the heartbeat timeout.
struct CutNoticed {
    HostIndex host{};
    std::uint64_t cut = 0;
};
// With the number of the control host.
struct CoordinatorDue {
    std::uint64_t life = 0;
    std::uint32_t control = 0;
};
struct CoordinatorStart {
    std::uint64_t life = 0;
    std::uint32_t control = 0;
};
struct CommitDone {
    std::uint64_t life = 0;
    std::uint32_t control = 0;
};
/// A coordinator has been paused for as long as its agents wait for a sign of life.
struct CoordinatorSilent {
    std::uint32_t control = 0;
    std::uint64_t pause = 0;
};
/// A deadline of an election.
struct ElectionDue {
    std::uint32_t control = 0;
    std::uint64_t life = 0;
};
/// A call to etcd arrives there, its answer arrives, or the caller waits no longer.
struct EtcdDue {
    enum class Stage : std::uint8_t { arrives, answers, given_up };

    std::uint64_t call = 0;
    Stage stage{};
};
/// A lease in etcd may be over.
struct EtcdLeaseDue {
    std::int64_t lease = 0;
};
struct AgentDue {
    HostIndex host{};
    std::uint64_t life = 0;
};
/// The agent's daemon begins.
struct AgentStart {
    HostIndex host{};
    std::uint64_t life = 0;
};
struct DiskDone {
    HostIndex host{};
    std::uint64_t life = 0;
    bool of_journal = false;  ///< False: of the memory.
};
/// A shim knows whether its process started, or it was asked and reports again.
struct SpawnDone {
    HostIndex host{};
    std::uint64_t process = 0;  ///< The agent's number.
    std::uint64_t shim = 0;     ///< The agent's number may be used again after its disk was lost.
};
/// A check of the host's readiness ends.
struct CheckDone {
    HostIndex host{};
    std::uint64_t life = 0;
    std::uint64_t process = 0;  ///< The agent's number.
};
/// The lease of an exclusive process may be over.
struct LeaseDue {
    HostIndex host{};
    std::uint64_t process = 0;  ///< The agent's number.
    std::uint64_t shim = 0;
};
struct ProcessDone {
    TrueProcess process{};
    std::int32_t exit_code = -1;
    std::int32_t exit_signal = 0;
};
/// An operator's request reaches the coordinator, or its client checks whether to ask again.
struct RequestArrives {
    std::size_t question = 0;
};
struct ReplyArrives {
    std::size_t question = 0;
    std::string bytes;
    std::uint32_t control = 0;  ///< That answers.
};
struct ClientRetry {
    std::size_t question = 0;
    std::uint32_t attempt = 0;
};
/// A call to the provider of pools arrives there, its answer arrives, or the caller gives it up.
struct ProviderDue {
    enum class Stage : std::uint8_t { arrives, answers, given_up };

    std::uint64_t call = 0;
    Stage stage{};
};
/// A node that the provider makes is listed from now on, or its host boots.
struct ProvidedNodeDue {
    enum class Stage : std::uint8_t { listed, boots };

    std::uint64_t node = 0;
    Stage stage{};
};
/// A reporter repeats what it needs of pools.
struct ReporterDue {
    std::string name;
    std::uint64_t turn = 0;
};

using Occurrence =
    std::variant<Delivery, ConnectTry, SessionEnd, CutNoticed, CoordinatorDue, CoordinatorStart,
                 CommitDone, AgentDue, AgentStart, DiskDone, SpawnDone, CheckDone, LeaseDue,
                 ProcessDone, RequestArrives, ReplyArrives, ClientRetry, CoordinatorSilent,
                 ElectionDue, EtcdDue, EtcdLeaseDue, ProviderDue, ProvidedNodeDue, ReporterDue>;

/// Everything that will happen, by time. Occurrences at the same instant keep the order of their
/// push. This is the clock of the simulation.
class EventQueue {
public:
    void push(Instant at, Occurrence occurrence) {
        std::size_t slot = slots_.size();
        if (free_.empty()) {
            slots_.push_back(std::move(occurrence));
        } else {
            slot = free_.back();
            free_.pop_back();
            slots_[slot] = std::move(occurrence);
        }
        heap_.push(Entry{at, pushed_++, slot});
    }

    /// When the next occurrence is due. Nothing: there is none.
    [[nodiscard]] std::optional<Instant> next_at() const {
        return heap_.empty() ? std::nullopt : std::optional{heap_.top().at};
    }

    /// Removes and returns the next occurrence. There must be one.
    [[nodiscard]] std::pair<Instant, Occurrence> pop() {
        ensure(!heap_.empty(), "the queue of events is not popped when empty");
        const Entry entry = heap_.top();
        heap_.pop();
        free_.push_back(entry.slot);
        return {entry.at, std::move(slots_[entry.slot])};
    }

private:
    struct Entry {
        Instant at{};
        std::uint64_t number = 0;
        std::size_t slot = 0;

        friend auto operator<=>(const Entry&, const Entry&) = default;
    };

    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
    std::vector<Occurrence> slots_;  ///< Not in the heap, which moves its entries.
    std::vector<std::size_t> free_;
    std::uint64_t pushed_ = 0;
};

}  // namespace muster::sim
