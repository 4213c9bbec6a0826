#include <algorithm>

#include "coordinator/core/planning/index/filters.hpp"
#include "sim/checkers/fleet/leaving.hpp"
#include "sim/model/cluster.hpp"

// Where instances may run, judged by the true state of hosts and by the store.
namespace muster::sim {

namespace {

bool is_plain(const PlacementRule& rule) {
    PlacementRule plain;
    plain.priority = rule.priority;
    plain.reschedule_after = rule.reschedule_after;
    plain.reconcile = rule.reconcile;
    return rule == plain;
}

bool is_plain(const Offer& offer) {
    return offer.pool == default_pool && offer.capacity == Capacity{};
}

}  // namespace

coordinator::Intent Cluster::intent_for(HostIndex host) const {
    const coordinator::StoredIntent* intent = intent_of(store(), agents_[raw(host)]->name());
    return intent == nullptr ? coordinator::Intent::active : intent->intent;
}

bool Cluster::is_open(HostIndex host) const {
    const AgentHost& agent = *agents_[raw(host)];
    const bool able = !agent.is_full() && (agent.is_ready() || !world_.options.readiness_checks);
    return in_reach(host) && is_admitted(host) && intent_for(host) == coordinator::Intent::active &&
           able && !world_.suspended.contains(agent.name());
}

std::string Cluster::pool_of(HostIndex host) const {
    const AgentHost& agent = *agents_[raw(host)];
    return as_listed(store(), agent.name(), agent.offer()).pool;
}

bool Cluster::is_admitted(HostIndex host) const {
    const coordinator::StoredIntent* intent = intent_of(store(), agents_[raw(host)]->name());
    const coordinator::Admission admission =
        intent == nullptr ? coordinator::Admission::open : intent->admission;
    if (!is_key_admitted(host)) {
        return false;
    }
    const bool is_provided =
        std::ranges::find(store().pool_nodes, agents_[raw(host)]->name(),
                          &coordinator::StoredPoolNode::name) != store().pool_nodes.end();
    return world_.options.coordinator.listed_only
               ? admission == coordinator::Admission::listed || is_provided
               : admission != coordinator::Admission::removed;
}

bool Cluster::meets(HostIndex host, const PlacementRule& rule) const {
    const AgentHost& agent = *agents_[raw(host)];
    return sim::meets(rule, as_listed(store(), agent.name(), agent.offer()), agent.name());
}

// An ended or failed instance keeps its place until it is stopped.
bool Cluster::has_room(HostIndex host, const coordinator::StoredTask& task) const {
    coordinator::Use used;
    std::uint32_t copies = 0;
    for (const agent::LocalInstance& instance : agents_[raw(host)]->core()->instances()) {
        const coordinator::StoredTask* other = task_of(store(), instance.report.id.task);
        used.add(other == nullptr ? Resources{.slots = 1} : other->wanted.place.request);
        copies += std::uint32_t{instance.report.id.task == task.wanted.name};
    }
    used.add(task.wanted.place.request);
    const auto& [cpu, memory, slots] = agents_[raw(host)]->offer().capacity;
    const Resources& kept = agents_[raw(host)]->offer().reserved;
    return copies < task.wanted.spec.max_per_node &&
           !is_over(used.cpu_milli, kept.cpu_milli, cpu) &&
           !is_over(used.memory_bytes, kept.memory_bytes, memory) &&
           !is_over(used.slots, kept.slots, slots);
}

bool Cluster::may_take(HostIndex host, const coordinator::StoredTask& task) const {
    return is_open(host) && meets(host, task.wanted.place) && has_room(host, task);
}

std::vector<HostIndex> Cluster::hosts() const {
    std::vector<HostIndex> all;
    for (std::uint32_t host = 0; host < agents_.size(); ++host) {
        all.push_back(HostIndex{host});
    }
    return all;
}

bool Cluster::is_uniform() const {
    return std::ranges::all_of(
               store().tasks,
               [](const coordinator::StoredTask& task) { return is_plain(task.wanted.place); }) &&
           std::ranges::all_of(agents_, [&](const auto& agent) {
               return is_plain(as_listed(store(), agent->name(), agent->offer()));
           });
}

}  // namespace muster::sim
