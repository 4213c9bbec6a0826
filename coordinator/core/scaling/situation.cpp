#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "coordinator/core/scaling/capacity.hpp"
#include "coordinator/core/scaling/scaling.hpp"

/// What a decision about a pool depends on, and what is asked outside because of it.
namespace muster::coordinator {

std::vector<PoolNode> Scaling::gather(const StoredPool& pool) const {
    std::vector<PoolNode> nodes;
    std::set<NodeIndex> provided;
    const auto rows = rows_.find(pool.name);
    if (rows != rows_.end()) {
        for (const std::string& name : rows->second) {
            PoolNode& node = nodes.emplace_back();
            node.row = *in_.ledger.pool_nodes().rows().find(name);
            node.is_provided = true;
            if (const auto index = in_.nodes.find(name)) {
                provided.insert(*index);
                add_facts(pool, *index, node);
            }
        }
    }
    for (const NodeIndex index : nodes_.of(pool.name)) {
        if (!provided.contains(index)) {
            PoolNode& node = nodes.emplace_back();
            node.row = {.name = in_.nodes[index].name,
                        .pool = pool.name,
                        .provider = {},
                        .state = PoolNodeState::active,
                        .since = in_.nodes[index].since};
            add_facts(pool, index, node);
        }
    }
    return nodes;
}

void Scaling::add_facts(const StoredPool& pool, NodeIndex index, PoolNode& node) const {
    const Node& known = in_.nodes[index];
    const Placements& placements = in_.copies.placements;
    const Offer& offer = placements.nodes().offer(index);
    node.has_record = true;
    node.answers = known.session || !is_lost(known);
    // A name that an operator listed, and that never joined, was never lost.
    const bool has_joined = known.incarnation != Incarnation{};
    if (is_lost(known) && has_joined) {  // It may have been lost before this leadership.
        node.lost_since = known.since == CivilMs{} ? time_known_since_ : known.since;
    }
    if (offer.pool != pool.name) {
        node.elsewhere = known.session ? offer.pool : std::string{};
        return;  // Its agent says that it is of another pool. Its record stays while it answers.
    }
    node.is_known = true;
    node.serves = may_serve(known);
    node.is_silent = is_silent(known);
    // What an operator decided counts before it is durable: no other node goes meanwhile.
    const StoredIntent soon = in_.ledger.intents().proposed(known.name);
    const bool leaves =
        soon.intent != Intent::active || is_removed(in_.ledger.intents(), known.name);
    node.is_active = known.intent == Intent::active && !leaves;
    node.is_own_drain =
        soon.intent == Intent::draining && soon.author == author_of_drains(pool.name);
    node.is_idle = known.reported && !is_lost(known) && !placements.is_busy(index);
    // A node of an earlier leadership that is awaited, and one whose agent has just started again,
    // are as good as there. One that was never ready is not.
    const bool is_new = node.is_provided && node.row.state == PoolNodeState::requested;
    node.counts =
        is_new ? node.serves : node.is_active && !is_lost(known) && !known.suspended_until;
    node.amount = amount_of(offer, pool.spec);
    const auto address = offer.labels.find("address");
    node.address = address == offer.labels.end() ? "" : address->second;
    node.instances = placements.reported().count(index);
}

// A node of no pool whose agent came before the first listing of it is the pool's, if one is
// awaited. An operator's decision, or a pool that its agent names, is not overruled.
std::set<std::string> Scaling::foreign_of(const PoolSituation& at) const {
    std::set<std::string> foreign;
    const auto is_slot = [](const PoolNode& node) { return node.is_slot(); };
    const auto first_slot = std::ranges::find_if(at.nodes, is_slot);
    for (const auto& [name, listed] : at.listing.nodes) {
        if (listed.pool != at.pool.name) {
            continue;  // First, because one provider may list the nodes of many pools.
        }
        const StoredPoolNode* const row = in_.ledger.pool_nodes().rows().find(name);
        const auto index = in_.nodes.find(name);
        if (row != nullptr) {
            if (row->pool != at.pool.name) {
                foreign.insert(name);
            }
        } else if (index && in_.copies.placements.nodes().offer(*index).pool != at.pool.name) {
            const bool has_just_come =
                first_slot != at.nodes.end() &&
                raw(in_.nodes[*index].since) >= raw(first_slot->row.since) &&
                in_.copies.placements.nodes().offer(*index).pool == default_pool &&
                is_default(in_.ledger.intents().proposed(name));
            if (!has_just_come) {
                foreign.insert(name);
            }
        }
    }
    return foreign;
}

void Scaling::hold(Instant now, const OfPool& of_pool, PoolSituation& at) const {
    const PoolSpec& spec = at.pool.spec;
    const auto set = [&](const char* code, std::string why, bool is_alarm = false) {
        if (at.hold_code.empty()) {
            at.hold_code = code;
            at.hold = std::move(why);
            at.is_hold_alarm = is_alarm;
        }
    };
    if (at.pool.paused) {
        set("paused",
            "paused by " + at.pool.author + "; 'muster pool resume " + at.pool.name + "' ends it");
    }
    if (in_.freeze.is_on()) {
        set("frozen",
            "the cluster is frozen, because many nodes are silent or an operator wants it");
    }
    if (in_.liveness.recovery().runs()) {
        set("recovering", "it is not known yet which nodes are there");
    }
    if (spec.provider != "none") {
        if (!providers_.is_known(spec.provider)) {
            set("unknown_provider",
                "this coordinator's configuration has no provider '" + spec.provider + "'", true);
        } else if (const auto why = providers_.listing_trouble(spec.provider); !why.empty()) {
            at.is_listing_current = false;
            set("listing_failed", "its provider cannot list its nodes: " + why, true);
        } else if (providers_.listing(spec.provider).number == 0) {
            set("unlisted", "its provider has not listed its nodes yet");
        }
    }
    const Duration ttl = std::chrono::milliseconds{static_cast<std::int64_t>(spec.demand_ttl_ms)};
    if (of_pool.is_inherited && now < began_ + ttl) {
        set("waiting_for_demand",
            "this coordinator has led for a short time, and waits until all reporters have "
            "repeated what they need");
    }
}

void Scaling::read_wanted() {
    for (const std::string& name : options_.providers) {
        wanted_[name].provider = name;
    }
    for (const auto& [name, of_pool] : pools_) {
        const StoredPool* const pool = in_.ledger.pools().rows().find(name);
        if (pool != nullptr && wanted_.contains(pool->spec.provider)) {
            wanted_[pool->spec.provider].is_used = true;
        }
    }
    for (const auto& [pool, names] : rows_) {
        for (const std::string& name : names) {
            const StoredPoolNode& row = *in_.ledger.pool_nodes().rows().find(name);
            const auto of = wanted_.find(row.provider);
            if (of == wanted_.end()) {
                continue;
            }
            of->second.is_used = true;
            of->second.is_waiting = of->second.is_waiting || row.state != PoolNodeState::active;
            if (row.state == PoolNodeState::requested && row.id.empty() && !row.granted) {
                of->second.requests[row.request] = {row.pool, row.request, row.of_request};
            } else if (row.state == PoolNodeState::removing) {
                of->second.removals[row.id] = {row.pool, row.id};
            }
        }
    }
}

// This runs after each message.
void Scaling::call(StepContext& step) {
    const auto deadline = providers_.next_deadline();
    if (!std::exchange(calls_are_due_, false) && (!deadline || step.now < *deadline)) {
        return;
    }
    if (wanted_.empty()) {
        read_wanted();
    }
    for (const auto& [name, one] : wanted_) {
        providers_.call(step.now, one, last_call_, step.output.calls);
    }
}

}  // namespace muster::coordinator
