#include "coordinator/core/workload/copies.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"

namespace muster::coordinator {

namespace {

/// Bounds the instances of a node, which deltas could grow for ever. A snapshot has its own bound.
constexpr std::size_t held_max = 2 * limits::instances_per_node;

Workload workload_of(const StoreImage& image) {
    Workload workload{image.meta.counter};
    for (const StoredTask& task : image.tasks) {
        workload.put(task);
    }
    for (const StoredEnds& ends : image.ends) {
        workload.restore(ends);
    }
    return workload;
}

}  // namespace

Copies::Copies(Instant now, const CoordinatorOptions& options, const StoreImage& image,
               NodeRegistry& nodes)
    : workload{workload_of(image)},
      placements{workload},
      leases{now, options.lease, raw(image.meta.epoch) > 1},
      proofs{options.order_key, image},
      nodes_{nodes} {}

AppliedReport Copies::apply(NodeIndex index, const Report& report,
                            std::optional<Generation> held_back) {
    CopyFacts& facts = nodes_.edit(index, WriteKey<CopyFacts>{});
    const bool holds_something = facts.known_revision != Revision{};
    const Node& node = nodes_[index];
    const ProofJudge judge{proofs, node.name, node.incarnation, node.ahead};
    const auto trust = [&](bool is_first) {
        Trust limited = trust_in(index, is_first, held_back);
        limited.proofs = proofs.is_on() ? &judge : nullptr;
        return limited;
    };
    switch (report.kind) {
        case ReportKind::same:
            if (report.to == facts.known_revision && facts.reported) {
                return {.is_current = true};
            }
            break;
        case ReportKind::delta:
            if (placements.reported().count(index) + report.instances.size() > held_max) {
                break;
            }
            // The poll may be older than a delta without a poll, so this delta may begin earlier.
            if (holds_something && report.from <= facts.known_revision &&
                report.to > facts.known_revision) {
                facts.known_revision = report.to;
                return {
                    .is_current = true,
                    .found = placements.change(index, report.instances, report.gone, trust(false))};
            }
            if (holds_something && report.to == facts.known_revision) {
                // A delta without a poll crossed the poll and brought the same.
                return {.is_current = true};
            }
            if (holds_something && report.round == Round{} && report.to < facts.known_revision) {
                return {};  // A late repetition of an older delta.
            }
            break;
        case ReportKind::snapshot: {
            const bool is_first = !std::exchange(facts.reported, true);
            facts.known_revision = report.to;
            return {.is_current = true,
                    .is_first = is_first,
                    .found = placements.replace(index, report.instances, trust(is_first))};
        }
    }
    facts.known_revision = Revision{};
    return {};
}

// The first report of a life may list instances that an earlier leadership ordered. Nobody ordered
// unknown instances in later reports.
Trust Copies::trust_in(NodeIndex index, bool is_first, std::optional<Generation> held_back) const {
    const Node& node = nodes_[index];
    Trust trust{.origin = node.ahead || is_first ? Origin::perhaps_ordered : Origin::unordered};
    if (is_first && node.from_store) {
        trust.believed = held_back.value_or(Generation{});
    }
    trust.of_store = node.from_store;
    return trust;
}

ResolvedOrders Copies::resolve_orders(NodeIndex index, Sequence obeyed) {
    CopyFacts& facts = nodes_.edit(index, WriteKey<CopyFacts>{});
    facts.resolved_up_to = nodes_[index].polled_issued;
    ResolvedOrders orders{
        .unstopped = placements.orders().mark_unstopped(index, facts.resolved_up_to, obeyed),
        .without_effect =
            placements.orders().obeyed_without_effect(index, facts.resolved_up_to, obeyed)};
    placements.orders().resolve(index, facts.resolved_up_to);
    return orders;
}

void Copies::note_vanished(NodeIndex index, std::span<const Vanished> all) {
    if (has_unexclusive(all)) {
        nodes_.edit(index, WriteKey<CopyFacts>{}).vanished = true;
    }
}

bool Copies::take_vanished(NodeIndex index) {
    return std::exchange(nodes_.edit(index, WriteKey<CopyFacts>{}).vanished, false);
}

bool Copies::has_unexclusive(std::span<const Vanished> all) const {
    return std::ranges::any_of(
        all, [&](const Vanished& one) { return !workload[one.task].spec.exclusive; });
}

void Copies::begin_life(NodeIndex index) {
    hold_all_on(index);  // The new life may be on another host, or without its disk.
    leases.begin_life(index);
    CopyFacts& facts = nodes_.edit(index, WriteKey<CopyFacts>{});
    facts.known_revision = Revision{};
    facts.reported = false;
    facts.vanished = false;
}

void Copies::on_departure(NodeIndex index) {
    CopyFacts& facts = nodes_.edit(index, WriteKey<CopyFacts>{});
    facts.vanished = false;
    if (!nodes_[index].left_instances_running) {
        // The agent ended all its instances and obeys no more orders. Its last report may be lost.
        placements.orders().resolve(index, OrdersInFlight::everything);
        placements.replace(index, {});
        facts.known_revision = Revision{};
    }
}

void Copies::hold_all_on(NodeIndex index) {
    const Node& node = nodes_[index];
    // Holds all instances: one may be of an earlier generation that was exclusive.
    for (const auto& [task, ordinal] : placements.all_on(index)) {
        leases.hold(index, node.name, node.life, {workload.name(task), ordinal});
    }
}

void Copies::on_changed_node(NodeIndex index, std::optional<Evacuation> evacuation) {
    const Node& node = nodes_[index];
    if (placements.nodes().is_counted(index) && !is_counted(node)) {
        hold_all_on(index);
    }
    placements.set_counted(index, is_counted(node));
    placements.set_serving(index, is_serving(node));
    placements.set_evacuating(index, evacuation);
    placements.set_commandable(index, is_commandable(node));
}

void Copies::remove_node(NodeIndex index) {
    hold_all_on(index);
    leases.forget(index);
    placements.remove_node(index);
}

}  // namespace muster::coordinator
