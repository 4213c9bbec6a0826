#include "coordinator/core/queries/headcount.hpp"

#include <iterator>

namespace muster::coordinator {

void SomeNames::add(std::string_view name) {
    ++count_;
    if (first_.size() < named_at_most) {
        first_.insert(name);
    } else if (name < *first_.rbegin()) {
        first_.erase(std::prev(first_.end()));
        first_.insert(name);
    }
}

std::string SomeNames::text() const {
    return joined(first_, ", ") + (count_ > named_at_most
                                       ? " and " + std::to_string(count_ - named_at_most) + " more"
                                       : "");
}

namespace {

std::uint32_t& count_of(Health health, HealthCounts& counts) {
    switch (health) {
        case Health::healthy: return counts.healthy;
        case Health::unready: return counts.unready;
        case Health::flaky: return counts.flaky;
        case Health::lost: return counts.lost;
    }
    return counts.lost;
}

std::uint32_t& count_of(Intent intent, IntentCounts& counts) {
    switch (intent) {
        case Intent::active: return counts.active;
        case Intent::draining: return counts.draining;
        case Intent::offline: return counts.offline;
    }
    return counts.active;
}

}  // namespace

Headcount headcount_of(const Facts& facts) {
    Headcount all;
    facts.nodes.each([&](NodeIndex index, const Node& node) {
        const bool is_overdue = is_unconfirmed(node);
        ++(is_overdue ? all.overdue : count_of(health_of(node), all.health));
        ++count_of(node.intent, all.intent);
        if (is_serving(node)) {
            ++all.serving;
            ++(facts.copies.placements.reported().count(index) == 0 ? all.free : all.busy);
        }
        facts.freeze.count_in(index, all.census);
        const auto note = [&](bool is_so, SomeNames& names) {
            if (is_so) {
                names.add(node.name);
            }
        };
        all.ahead += node.ahead ? 1U : 0U;
        note(node.ahead, all.names.ahead);
        const bool has_left = node.lost && node.gone;
        note(has_left, all.names.left);
        note(node.lost && !has_left && node.incarnation != Incarnation{}, all.names.silent);
        note(may_return(node), all.names.leaving);
        if (is_overdue || may_return(node)) {
            all.unconfirmed +=
                static_cast<std::uint32_t>(facts.copies.placements.reported().count(index));
        }
        note(node.awaited, all.names.awaited);
        const HostFacts& host = facts_of(node).host;
        note(host.unable, all.names.unable);
        note(host.spawn_failing, all.names.cannot_spawn);
        note(host.journal_failing, all.names.cannot_write);
    });
    for (const NodeIndex index : facts.membership.drains().draining()) {
        const std::string& name = facts.nodes[index].name;
        if (is_past(facts.ledger.intents().durable(name), facts.civil())) {
            all.names.overdue_drains.add(name);
        }
    }
    return all;
}

}  // namespace muster::coordinator
