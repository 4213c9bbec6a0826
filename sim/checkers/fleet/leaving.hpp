#pragma once

#include <map>
#include <string>

#include "sim/checkers/copies.hpp"

namespace muster::sim {

/// S17: nothing is started on a node that is draining or offline. An instance on a draining node is
/// stopped only once it runs elsewhere, or has ended there in its wanted generation. Exceptions:
/// the drain is forced, the task may not surge, or the task runs on every node.
/// L5: no drain ends while an instance is known to run on its node.
class Leaving : public Checker {
public:
    explicit Leaving(const Copies& copies) : copies_{copies} {}

    void on(Instant now, const WelcomeIssued& welcome);
    void on(Instant now, const BatchIssued& issued);
    void on(Instant now, const AgentMessageReceived& received);
    void on(Instant now, const EventPublished& published);

private:
    struct ReportedInstance {
        Generation generation{};
        InstanceState state{};
    };

    void check_stop(const BatchIssued& issued, const coordinator::StoredIntent& intent,
                    const Stop& stop);
    [[nodiscard]] bool has_come_up_elsewhere(const Stop& stop, HostIndex host) const;

    const Copies& copies_;
    std::map<HostIndex, Incarnation> incarnations_;  ///< In its welcome.
    std::map<std::string, HostIndex> last_of_;       ///< The last host with this name.
    std::map<HostIndex, LifeId> lives_;
    std::map<HostIndex, Revision> seen_;  ///< The highest reported revision of this life.
    /// The last report of each host.
    std::map<HostIndex, std::map<InstanceId, ReportedInstance>> reported_;
};

/// The stored intent for this node name. Nothing: there is none.
[[nodiscard]] const coordinator::StoredIntent* intent_of(const coordinator::StoreImage& image,
                                                         const std::string& name);
/// True if the pool and labels of the node meet the rule.
[[nodiscard]] bool meets(const PlacementRule& rule, const Offer& offer, const std::string& name);
/// The offer of a node, in the pool of the node list.
[[nodiscard]] Offer as_listed(const coordinator::StoreImage& image, const std::string& name,
                              Offer offer);
[[nodiscard]] const coordinator::StoredTask* task_of(const coordinator::StoreImage& image,
                                                     const std::string& name);
/// True if a copy of this generation without a proof is a stray.
[[nodiscard]] bool requires_proof(const coordinator::StoreImage& image, Generation generation);
/// True if the capacity is known, and use plus reservation exceed it.
template <class N>
[[nodiscard]] bool is_over(std::uint64_t used, std::uint64_t kept,
                           const std::optional<N>& capacity) {
    return capacity && used + kept > *capacity;
}
/// The task whose row this writes or erases. Empty: no task.
[[nodiscard]] std::string task_in(const coordinator::Write& write);

/// True if the instance may be stopped before a second copy runs: the drain is forced, or the node
/// is drained or unsuitable and the task may not surge.
[[nodiscard]] bool may_stop_first(const BatchIssued& issued, const std::string& name,
                                  const coordinator::StoredTask& task);

}  // namespace muster::sim
