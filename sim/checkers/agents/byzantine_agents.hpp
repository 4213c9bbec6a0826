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
/// about another node. And no copy that was ordered elsewhere in this leadership is stopped for a
/// copy that is only claimed. A copy is only claimed if it does not run there, was not ordered
/// there in this leadership, and was not found there at its start: no leader knows who ordered a
/// copy that it found.
///
/// Rounds that close meanwhile may change any node.
class ByzantineAgents : public Checker {
public:
    explicit ByzantineAgents(const Copies& copies) : copies_{copies} {}

    void on(Instant, const LeadershipBegan&) { ordered_.clear(); }

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
            ordered_[start.id][issued.host] = start.generation;
        }
    }

private:
    // A wanted copy is stopped, so another copy must justify that. Checks that it is not a false
    // claim.
    void check_stop(const BatchIssued& issued, const Stop& stop) {
        const coordinator::StoredTask* task = task_of(issued.store, stop.id.task);
        const bool is_wanted = task != nullptr && task->generation == stop.generation &&
                               stop.id.ordinal < task->wanted.instances;
        const auto ordered = ordered_.find(stop.id);
        if (!is_wanted || ordered == ordered_.end() || copies_.has_ended(stop.id, issued.host) ||
            may_stop_first(issued, copies_.name_of(issued.host), *task)) {
            return;
        }
        const auto was_ordered = [&](HostIndex host) {
            const auto at = ordered->second.find(host);
            return at != ordered->second.end() && at->second == stop.generation;
        };
        const std::vector<HostIndex> others = copies_.elsewhere(stop.id, issued.host);
        const bool only_claimed = std::ranges::all_of(others, [&](HostIndex host) {
            return byzantine_agents_.contains(host) && !was_ordered(host) &&
                   !copies_.runs(stop.id, host) &&
                   !copies_.was_found(stop.id, host, stop.generation);
        });
        if (was_ordered(issued.host) && !others.empty() && only_claimed) {
            violated("S18", "{} was stopped for a copy that is only claimed", to_string(stop.id));
        }
    }

    const Copies& copies_;
    std::set<HostIndex> byzantine_agents_;
    std::optional<std::string> speaking_;  ///< Its message is handled now.
    std::vector<std::string> changed_;     ///< Other nodes that changed meanwhile.
    bool round_closed_ = false;
    std::map<InstanceId, std::map<HostIndex, Generation>> ordered_;  ///< In this leadership.
};

}  // namespace muster::sim
