#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// S5: an agent obeys no epoch below the highest it ever answered, which is on its disk first.
/// S6: doubled, late and foreign commands do nothing; an instance is spawned again only as its
/// restart policy says. S12: a process is ended only by a valid command.
///
/// Batches are judged when they are delivered, by rules of our own; the valid ones take effect on a
/// model of the agent when the agent says it obeyed them. Each effect must follow from that model.
class AgentOrders : public Checker {
public:
    void see(Instant, const LeadershipBegan& began);
    void see(Instant, const Committed& committed);
    void see(Instant, const StoreReplaced&);
    void see(Instant, const PollIssued& issued);
    void see(Instant, const AgentBegan& began);
    void see(Instant, const DiskLost& lost);
    void see(Instant, const BatchDelivered& delivered);
    void see(Instant, const WriteFailed& failed);

    void see(Instant, const ShutDownOrdered& ordered) { hosts_[ordered.host].shutting_down = true; }
    void see(Instant, const AgentSaid& said);
    void see(Instant, const SpawnOrdered& ordered);
    void see(Instant, const LeaseRenewed& renewed);
    void see(Instant, const LeaseEnded& ended);
    void see(Instant, const ProcessBegan& began);
    void see(Instant now, const EndOrdered& ordered);
    void see(Instant, const ShimKilled& killed);
    void see(Instant, const ProcessGone& gone);

private:
    /// An order that must not be obeyed, and the promise that it would break.
    struct Forbidden {
        Generation generation{};
        std::string property;
        std::string why;
    };
    struct Instance {
        std::optional<Generation> desired;
        bool fresh = false;  ///< Ordered, and not spawned for that yet.
        Generation spawned{};
        RestartPolicy restart{};
        std::size_t processes = 0;
        bool began = false;  ///< The last spawn brought a process.
        std::int32_t exit_code = -1;
        bool put_away = false;  ///< Ended with its agent, by order, whatever the journal says.
        std::optional<Generation> stopped;  ///< The highest generation a stop was for.
        std::optional<Forbidden> forbidden_start;
        std::optional<Forbidden> forbidden_stop;
        std::uint64_t token = 0;  ///< The highest of an exclusive one: it is started once by each.
        bool unsure = false;      ///< A write failed: the agent may have dropped an order,
                                  ///< and then obeyed one that the dropped one had overtaken.
    };
    struct Ordered {
        InstanceId id;
        Generation generation{};
        bool began = false;  ///< Else its spawn failed, and there is nothing to be ended.
        bool ended = false;
        bool unseen = false;  ///< Its shim was killed: its agent cannot know how it ends.
        Instant lease{};      ///< Of an exclusive one: then it may be ended without an order.
    };
    struct Host {
        Incarnation incarnation{};
        Epoch epoch{};  ///< The highest ever answered.
        LeaderId leader;
        Epoch sequences_of{};
        Sequence delivered{};
        Sequence closed{};  ///< By the last poll that was answered.
        std::map<Round, Poll> polls;
        std::vector<Batch> waiting;
        std::vector<Batch> overtaken;  ///< By one that waits: late, unless that is dropped.
        std::map<InstanceId, Instance> instances;
        std::map<std::uint64_t, Ordered> processes;
        std::set<std::uint64_t> ending;  ///< Told to end, or ended by their shim with their lease.
        bool shutting_down = false;
    };
    [[nodiscard]] std::optional<Forbidden> judge(const Host& host,
                                                 const BatchDelivered& delivered) const;
    static void forbid(Host& host, const Batch& batch, const Forbidden& forbidden);
    static void mark_unsure(Host& host, const std::vector<Batch>& batches);
    static void raise(Host& host, const agent::AgentMemory& disk);
    static void count_sequences_of(Host& host, Epoch epoch);
    static void obey(Host& host, Epoch epoch, Sequence up_to, const std::set<InstanceId>& refused);
    static void carry_out(Host& host, const Batch& batch, const std::set<InstanceId>& refused);
    void check_answer(Epoch epoch, const agent::AgentMemory& disk);
    void check_spawn(Instance& instance, const SpawnOrdered& ordered);
    [[nodiscard]] static bool may_start_again(const Instance& instance);

    std::map<HostIndex, Host> hosts_;
    std::map<Epoch, std::set<ClusterId>> clusters_of_;  ///< Stores may be exchanged.
};

}  // namespace muster::sim
