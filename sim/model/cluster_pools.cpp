#include <algorithm>
#include <bit>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/model/cluster.hpp"

// Pools of nodes that the provider makes, and whether they have the size that they should have.
namespace muster::sim {

namespace {

constexpr Duration settled_within = 240s;
constexpr Duration settled_for = 30s;
constexpr int rounds_settled = 12;  // Longer than the pause between two listings at rest.

/// The instances of the task's present generation that have ended for good.
std::uint64_t ended_of(const coordinator::StoredTask& task, const coordinator::StoreImage& store) {
    std::uint64_t ended = 0;
    for (const coordinator::StoredEnds& ends : store.ends) {
        if (ends.name != task.wanted.name || ends.generation != task.generation) {
            continue;
        }
        for (const std::uint64_t word : ends.ordinals.words) {
            ended += static_cast<std::uint64_t>(std::popcount(word));
        }
    }
    return ended;
}

}  // namespace

void Cluster::apply(const ProviderDue& due) {
    auto arrival = world_.provider.apply(now_, due);
    end_gone_nodes();
    if (arrival) {
        ControlHost& control = *controls_[arrival->control];
        world_.trace.line(now_, "{} > {} call {}: {}", provider_name, control.name(),
                          arrival->answer.number, describe(arrival->answer.result));
        control.on_outside(now_, *std::move(arrival));
    }
}

void Cluster::apply(const ProvidedNodeDue& due) {
    const MadeNode* const node = world_.provider.apply(now_, due);
    if (node == nullptr) {
        return;
    }
    const auto offer = pool_offers_.find(node->listed.pool);
    Offer own = offer == pool_offers_.end() ? Offer{} : offer->second;
    own.pool = node->listed.pool;
    note(node->listed.node, "is made");
    add_host(node->listed.node, std::move(own));
}

void Cluster::set_pool_offer(const std::string& pool, Offer offer) {
    pool_offers_.insert_or_assign(pool, std::move(offer));
}

void Cluster::vanish(const std::string& node) {
    note(node, "vanishes");
    world_.provider.vanish(node);
    end_gone_nodes();
}

void Cluster::end_gone_nodes() {
    for (const std::string& node : world_.provider.take_gone()) {
        world_.checkers.on(now_, ProvidedNodeGone{node});
        const auto at = std::ranges::find(agents_, node, &AgentHost::label);
        if (at != agents_.end() && !(*at)->is_scrapped()) {
            scrap_host(node);
        }
    }
}

std::optional<PoolShowReply> Cluster::pool(const std::string& name) {
    auto reply = leader().read(now_, PoolShowRequest{name});
    collect_violations();
    return reply ? std::optional{std::get<PoolShowReply>(*std::move(reply))} : std::nullopt;
}

std::optional<PoolMembersReply> Cluster::members(const std::string& pool) {
    auto reply = leader().read(now_, PoolMembersRequest{pool});
    collect_violations();
    return reply ? std::optional{std::get<PoolMembersReply>(*std::move(reply))} : std::nullopt;
}

std::vector<std::string> Cluster::serving_in(const std::string& pool) const {
    std::vector<std::string> names;
    for (const HostIndex host : hosts()) {
        if (is_open(host) && pool_of(host) == pool) {
            names.push_back(agents_[raw(host)]->name());
        }
    }
    return names;
}

// ---- the verdict ----

std::uint64_t Cluster::amount_of(HostIndex host, const PoolSpec& spec) const {
    return agents_[raw(host)]->offer().capacity.slots.value_or(spec.node_amount);
}

// A second implementation of what the core derives from tasks, in slots only.
std::uint64_t Cluster::wanted_of(const coordinator::StoredPool& pool) const {
    std::uint64_t derived = 0;
    for (const coordinator::StoredTask& task : store().tasks) {
        if (task.wanted.place.pool != pool.name || task.wanted.place.every_node) {
            continue;
        }
        const std::uint64_t ended = ended_of(task, store());
        derived += (task.wanted.instances - std::min<std::uint64_t>(ended, task.wanted.instances)) *
                   task.wanted.place.request.slots;
    }
    return std::max(derived, reporters_.total(pool.name));
}

std::string Cluster::fault_of(const coordinator::StoredPool& pool) const {
    std::uint64_t nodes = 0;
    std::uint64_t capacity = 0;
    std::uint64_t most = 1;
    for (const HostIndex host : hosts()) {
        if (is_open(host) && pool_of(host) == pool.name) {
            ++nodes;
            const std::uint64_t amount = amount_of(host, pool.spec);
            capacity += amount;
            most = std::max(most, amount);
        }
    }
    const std::uint64_t wanted = wanted_of(pool);
    const auto says = [&](const char* what) {
        return fmt::format("{} {}: {} wanted, {} nodes with {}, from {} to {} nodes", pool.name,
                           what, wanted, nodes, capacity, pool.spec.min, pool.spec.max);
    };
    if (nodes < pool.spec.min) {
        return says("has too few nodes");
    }
    if (nodes > pool.spec.max) {
        return says("has too many nodes");
    }
    if (capacity < wanted && nodes < pool.spec.max) {
        return says("is too small");
    }
    if (nodes > pool.spec.min && capacity >= wanted + 2 * most) {
        return says("is too large");
    }
    return {};
}

// An operator reads the alarm of a pool whose provider has truly lost most of its nodes.
void Cluster::accept_listings() {
    constexpr std::int64_t seconds_until_read = 20;
    if (to_ms(now_ - origin) / 1000 % seconds_until_read != 0) {
        return;
    }
    for (const coordinator::StoredPool& pool : std::vector{store().pools}) {
        const auto shown = this->pool(pool.name);
        if (shown && shown->decision.reason == "listing_doubtful") {
            ask(PoolResumeRequest{pool.name, {}});
        }
    }
}

std::string Cluster::unsettled_pool() const {
    std::string wrong = leading().is_up() ? std::string{} : "no coordinator leads";
    for (const coordinator::StoredPool& pool : store().pools) {
        const std::string fault = fault_of(pool);
        wrong = fault.empty() ? wrong : fault;
    }
    for (const coordinator::StoredPoolNode& row : store().pool_nodes) {
        if (row.state != coordinator::PoolNodeState::active) {
            wrong = "node " + row.name + " comes or goes";
        }
    }
    return wrong;
}

std::string Cluster::decisions_of_pools() {
    std::string decisions;
    for (const coordinator::StoredPool& pool : std::vector{store().pools}) {
        if (const auto shown = this->pool(pool.name)) {
            decisions += fmt::format("; {} says {}: {}; {}", pool.name, shown->decision.reason,
                                     shown->decision.detail, shown->alarm);
        }
    }
    return decisions;
}

bool Cluster::pools_settle() {
    const Instant began = now_;
    for (int calm = 0; calm < rounds_settled;) {
        run(world_.options.coordinator.round);
        end_freeze();
        std::string wrong = unsettled_pool();
        accept_listings();
        const bool is_recovering = now_ < leading().awake_since() +
                                              world_.options.coordinator.recovery_grace +
                                              rounds_settled * world_.options.coordinator.round;
        const bool is_busy = world_.frozen || !world_.suspended.empty() || is_recovering ||
                             world_.provider.is_making();
        calm = wrong.empty() && !is_busy ? calm + 1 : 0;
        if (now_ - began > settled_within) {
            wrong = wrong.empty() ? "nodes are suspended, or it is frozen" : wrong;
            violated(Violation{
                "P2", fmt::format("{} s after all faults ended: {}{}", to_ms(now_ - began) / 1000,
                                  wrong, decisions_of_pools())});
            return false;
        }
    }
    world_.checkers.on(now_, PoolsSettled{true});
    run(settled_for);
    world_.checkers.on(now_, PoolsSettled{false});
    collect_violations();
    return true;
}

}  // namespace muster::sim
