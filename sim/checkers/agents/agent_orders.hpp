#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// S5: an agent obeys no epoch below the highest that it ever answered, and that epoch is on its
/// disk before the answer. S6: repeated, late and foreign commands do nothing; an instance is
/// spawned again only as its restart policy says. S12: only a valid command ends a process.
///
/// This checker judges batches when they are delivered, by its own rules. A valid batch takes
/// effect on a model of the agent when the agent reports that it obeyed. Each effect must follow
/// from that model.
class AgentOrders : public Checker {
public:
    void on(Instant, const LeadershipBegan& began);
    void on(Instant, const Committed& committed);
    void on(Instant, const StoreReplaced&);
    void on(Instant, const PollIssued& issued);
    void on(Instant, const AgentBegan& began);
    void on(Instant, const DiskLost& lost);
    void on(Instant, const BatchDelivered& delivered);
    void on(Instant, const WriteFailed& failed);

    void on(Instant, const ShutDownOrdered& ordered) { hosts_[ordered.host].shutting_down = true; }
    void on(Instant, const AgentMessageSent& sent);
    void on(Instant, const SpawnOrdered& ordered);
    void on(Instant, const LeaseRenewed& renewed);
    void on(Instant, const LeaseEnded& ended);
    void on(Instant, const ProcessBegan& began);
    void on(Instant now, const EndOrdered& ordered);
    void on(Instant, const ShimKilled& killed);
    void on(Instant, const ProcessGone& gone);

private:
    /// An order that must not be obeyed, and the promise that it would break.
    struct Forbidden {
        Generation generation{};
        std::string property;
        std::string why;
    };
    struct Instance {
        std::optional<Generation> desired;
        bool fresh = false;  ///< Ordered, and not yet spawned for that order.
        Generation spawned{};
        RestartPolicy restart{};
        std::size_t processes = 0;
        bool began = false;  ///< The last spawn created a process.
        std::int32_t exit_code = -1;
        bool put_away = false;  ///< Ended with its agent, by order, whatever the journal has.
        std::optional<Generation> stopped;  ///< The highest generation of a stop.
        std::optional<Forbidden> forbidden_start;
        std::optional<Forbidden> forbidden_stop;
        std::uint64_t token = 0;  ///< Exclusive: the highest. Each token starts it once.
        bool unsure = false;  ///< A write failed: the agent may have dropped an order and obeyed an
                              ///< older one.
    };
    struct Ordered {
        InstanceId id;
        Generation generation{};
        bool began = false;  ///< Otherwise its spawn failed, and there is nothing to end.
        bool ended = false;
        bool unseen = false;  ///< Its shim was killed: its agent cannot know how it ends.
        Instant lease{};      ///< Of an exclusive process, which may end without an order then.
    };
    struct Host {
        Incarnation incarnation{};
        Epoch epoch{};  ///< The highest that it ever answered.
        LeaderId leader;
        Epoch sequences_of{};
        Sequence delivered{};
        Sequence closed{};  ///< By the last poll that it answered.
        std::map<Round, Poll> polls;
        std::vector<Batch> waiting;
        std::vector<Batch> overtaken;  ///< A waiting batch makes them late, unless it is dropped.
        std::map<InstanceId, Instance> instances;
        std::map<std::uint64_t, Ordered> processes;
        std::set<std::uint64_t> ending;  ///< By an order, or with their lease.
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
    std::map<Epoch, std::set<ClusterId>> clusters_of_;  ///< A set, because stores may be exchanged.
};

}  // namespace muster::sim
