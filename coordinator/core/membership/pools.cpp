#include "coordinator/core/membership/pools.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace muster::coordinator {

void Pools::take_offer(NodeIndex index, const std::string& name, Offer offer) {
    std::string pool = ledger_.intents().durable(name).pool;
    if (pool.empty()) {
        pool = matching(name, offer);
    }
    if (pool == offer.pool) {
        reported_.erase(index);
    } else {
        std::swap(pool, offer.pool);
        reported_.insert_or_assign(index, std::move(pool));
    }
    placements_.set_offer(index, offer);
}

bool Pools::update(NodeIndex index, const std::string& name) {
    const std::string before = placements_.nodes().offer(index).pool;
    take_offer(index, name, reported(index));
    return placements_.nodes().offer(index).pool != before;
}

std::vector<NodeIndex> Pools::on_defined(const NodeRegistry& nodes) {
    std::vector<NodeIndex> moved;
    if (auto now = stored_rules(); now != rules_) {
        rules_ = std::move(now);
    } else {
        return moved;
    }
    for (const NodeIndex index : nodes.by_name()) {
        if (update(index, nodes[index].name)) {
            moved.push_back(index);
        }
    }
    return moved;
}

std::string Pools::without_list(NodeIndex index) const {
    return matching(placements_.nodes().name(index), reported(index));
}

std::vector<Pools::Rule> Pools::stored_rules() const {
    std::vector<Rule> rules;
    ledger_.pools().rows().each([&](std::string_view name, const StoredPool& pool) {
        Rule rule{.pool = std::string{name}, .constraints = {}};
        for (const std::string& line : pool.spec.match) {
            // Each was valid when it was set.
            if (auto constraint = parse_constraint(line)) {
                rule.constraints.push_back(std::move(*constraint));
            }
        }
        if (!rule.constraints.empty()) {
            rules.push_back(std::move(rule));
        }
    });
    std::ranges::sort(rules, {}, &Rule::pool);
    return rules;
}

Offer Pools::reported(NodeIndex index) const {
    Offer offer = placements_.nodes().offer(index);
    if (const auto own = reported_.find(index); own != reported_.end()) {
        offer.pool = own->second;
    }
    return offer;
}

std::string Pools::matching(const std::string& name, const Offer& reported) const {
    if (reported.pool != default_pool) {
        return reported.pool;
    }
    if (const StoredPoolNode* const provided = ledger_.pool_nodes().rows().find(name)) {
        return provided->pool;
    }
    const auto fits = [&](const Constraint& constraint) {
        if (constraint.key == node_key) {
            return is_met(constraint, &name);
        }
        const auto label = reported.labels.find(constraint.key);
        return is_met(constraint, label == reported.labels.end() ? nullptr : &label->second);
    };
    const auto rule = std::ranges::find_if(
        rules_, [&](const Rule& one) { return std::ranges::all_of(one.constraints, fits); });
    return rule == rules_.end() ? reported.pool : rule->pool;
}

}  // namespace muster::coordinator
