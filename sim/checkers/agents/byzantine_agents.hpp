#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/checkers/fleet/leaving.hpp"

namespace muster::sim {

/// S18: a byzantine host harms only itself. Its reports change nothing that the coordinator holds
/// about another node. And no copy that was ordered elsewhere is stopped for a copy that is only
/// claimed: it does not run there and was not ordered there.
///
/// A leader knows only its own orders: this holds within a leadership, and a copy that the leader
/// found at its start is not only claimed. Where the store requires proofs, it also holds for the
/// orders of all leaderships.
///
/// Rounds that close meanwhile may change any node.
class ByzantineAgents : public Checker {
public:
    explicit ByzantineAgents(const Copies& copies) : copies_{copies} {}

    void on(Instant, const LeadershipBegan&) { ordered_now_.clear(); }
    // The numbers of another store may mean other orders.
    void on(Instant, const StoreReplaced&) { ordered_.clear(); }

    void on(Instant, const ByzantineReport& report) {
        byzantine_agents_.insert(report.host);
        speaking_ = report.name;
        changed_.clear();
        round_closed_ = false;
    }

    void on(Instant, const ByzantineReportHandled&) {
        if (!round_closed_ && !changed_.empty()) {
            violated("S18", "a lie of {} changed another node: {}", *speaking_, changed_.front());
        }
        speaking_.reset();
    }

    void on(Instant, const EventPublished& published) {
        const Event& event = published.event;
        round_closed_ = round_closed_ || event.topic == "round.closed";
        if (speaking_ && event.topic.starts_with("node.") && event.name != *speaking_) {
            changed_.push_back(event.name + " " + event.topic);
        }
    }

    void on(Instant, const BatchIssued& issued) {
        for (const Stop& stop : issued.batch.stops) {
            if (!byzantine_agents_.empty() && !byzantine_agents_.contains(issued.host)) {
                check_stop(issued, stop);
            }
        }
        for (const Start& start : issued.batch.starts) {
            ordered_now_[start.id][issued.host] = {start.generation};
            ordered_[start.id][issued.host].insert(start.generation);
        }
    }

private:
    using Orders = std::map<InstanceId, std::map<HostIndex, std::set<Generation>>>;

    // A wanted copy is stopped, so another copy must justify that. Checks that it is not a false
    // claim.
    void check_stop(const BatchIssued& issued, const Stop& stop) {
        const coordinator::StoredTask* task = task_of(issued.store, stop.id.task);
        const bool is_wanted = task != nullptr && task->generation == stop.generation &&
                               stop.id.ordinal < task->wanted.instances;
        if (!is_wanted || copies_.has_ended(stop.id, issued.host) ||
            may_stop_first(issued, copies_.name_of(issued.host), *task)) {
            return;
        }
        const bool is_for_claim = is_for_a_claim(issued.host, stop, ordered_now_, true);
        if (is_for_claim || (requires_proof(issued.store, stop.generation) &&
                             is_for_a_claim(issued.host, stop, ordered_, false))) {
            violated("S18", "{} was stopped for a copy that is only claimed", to_string(stop.id));
        }
    }

    [[nodiscard]] bool is_for_a_claim(HostIndex host, const Stop& stop, const Orders& orders,
                                      bool may_be_found) const {
        const auto ordered = orders.find(stop.id);
        const auto was_ordered = [&](HostIndex one) {
            const auto at = ordered->second.find(one);
            return at != ordered->second.end() && at->second.contains(stop.generation);
        };
        if (ordered == orders.end() || !was_ordered(host)) {
            return false;
        }
        const std::vector<HostIndex> others = copies_.elsewhere(stop.id, host);
        return !others.empty() && std::ranges::all_of(others, [&](HostIndex other) {
            return byzantine_agents_.contains(other) && !was_ordered(other) &&
                   !copies_.runs(stop.id, other) &&
                   !(may_be_found && copies_.was_found(stop.id, other, stop.generation));
        });
    }

    const Copies& copies_;
    std::set<HostIndex> byzantine_agents_;
    std::optional<std::string> speaking_;  ///< Its message is handled now.
    std::vector<std::string> changed_;     ///< Other nodes that changed meanwhile.
    bool round_closed_ = false;
    Orders ordered_;
    Orders ordered_now_;  ///< In this leadership.
};

}  // namespace muster::sim
