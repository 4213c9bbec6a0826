#pragma once

#include <map>
#include <string>

#include "sim/checkers/copies.hpp"

namespace muster::sim {

/// S17: nothing is started on a node that an operator drains or has taken offline, and what runs on
/// one that drains is stopped only once it runs elsewhere, or has run to its end there as it is
/// wanted now; unless the drain is forced, the task may not surge, or it runs on every node anyhow.
/// L5: no drain is called over while what is known to run there runs.
class Leaving : public Checker {
public:
    explicit Leaving(const Copies& copies) : copies_{copies} {}

    void see(Instant now, const WelcomeIssued& welcome);
    void see(Instant now, const BatchIssued& issued);
    void see(Instant now, const AgentHeard& heard);
    void see(Instant now, const EventPublished& published);

private:
    struct Heard {
        Generation generation{};
        InstanceState state{};
    };

    void check_stop(const BatchIssued& issued, const coordinator::StoredIntent& intent,
                    const Stop& stop);
    [[nodiscard]] bool has_come_up_elsewhere(const Stop& stop, HostIndex host) const;

    const Copies& copies_;
    std::map<HostIndex, Incarnation> incarnations_;  ///< As welcomed.
    std::map<std::string, HostIndex> last_of_;       ///< The host that had this name last.
    std::map<HostIndex, LifeId> lives_;
    std::map<HostIndex, Revision> seen_;  ///< The highest heard of this life.
    /// As last heard of each host.
    std::map<HostIndex, std::map<InstanceId, Heard>> heard_;
};

/// The row of the intents that an operator made for this name; nothing if there is none.
[[nodiscard]] const coordinator::StoredIntent* intent_of(const coordinator::StoreImage& image,
                                                         const std::string& name);
/// Its pool and its labels are what the rule asks for.
[[nodiscard]] bool meets(const PlacementRule& rule, const Offer& offer, const std::string& name);
/// What a node offers, in the pool that the list of nodes says.
[[nodiscard]] Offer as_listed(const coordinator::StoreImage& image, const std::string& name,
                              Offer offer);
[[nodiscard]] const coordinator::StoredTask* task_of(const coordinator::StoreImage& image,
                                                     const std::string& name);
/// More than there is, if that is known, is used and reserved.
template <class N>
[[nodiscard]] bool is_over(std::uint64_t used, std::uint64_t kept,
                           const std::optional<N>& capacity) {
    return capacity && used + kept > *capacity;
}
/// The task of which this writes or erases a row; empty: of none.
[[nodiscard]] std::string task_in(const coordinator::Write& write);

/// An operator drains the node or its labels are not those asked for, and the task may not have a
/// second copy for a moment; or the drain is forced: then it is stopped first.
[[nodiscard]] bool may_stop_first(const BatchIssued& issued, const std::string& name,
                                  const coordinator::StoredTask& task);

}  // namespace muster::sim
