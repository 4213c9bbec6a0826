#include "sim/checkers/agents/liars.hpp"

#include <algorithm>

#include "sim/checkers/fleet/leaving.hpp"

namespace muster::sim {

void Liars::see(Instant, const LeadershipBegan&) { ordered_.clear(); }

void Liars::see(Instant, const LieHeard& lie) {
    liars_.insert(lie.host);
    speaking_ = lie.name;
    changed_.clear();
    term_closed_ = false;
}

void Liars::see(Instant, const EventPublished& published) {
    const Event& event = published.event;
    term_closed_ = term_closed_ || event.topic == "term.closed";
    if (speaking_ && event.topic.starts_with("node.") && event.name != *speaking_) {
        changed_.push_back(event.name + " " + event.topic);
    }
}

void Liars::see(Instant, const LieOver&) {
    if (!term_closed_ && !changed_.empty()) {
        violated("S18", "a lie of {} changed another node: {}", *speaking_, changed_.front());
    }
    speaking_.reset();
}

void Liars::see(Instant, const BatchIssued& issued) {
    for (const Stop& stop : issued.batch.stops) {
        if (!liars_.empty() && !liars_.contains(issued.host)) {
            check_stop(issued, stop);
        }
    }
    for (const Start& start : issued.batch.starts) {
        ordered_[start.id][issued.host] = start.generation;
    }
}

// Of an instance that is wanted where it is, a copy is stopped for another one. Is that a lie?
void Liars::check_stop(const BatchIssued& issued, const Stop& stop) {
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
        return liars_.contains(host) && !was_ordered(host) && !copies_.runs(stop.id, host) &&
               !copies_.was_found(stop.id, host, stop.generation);
    });
    if (was_ordered(issued.host) && !others.empty() && only_claimed) {
        violated("S18", "{} was stopped for a copy that is only claimed", to_string(stop.id));
    }
}

}  // namespace muster::sim
