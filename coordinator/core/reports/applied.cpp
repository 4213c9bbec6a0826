#include <utility>

#include "coordinator/core/reports/reports.hpp"

/// Effects of an applied report: on the flap score of its node, on the planner, and as events.
namespace muster::coordinator {

namespace {

std::string_view topic_of(InstanceState state) {
    switch (state) {
        case InstanceState::running: return "instance.started";
        case InstanceState::backoff: return "instance.backoff";
        case InstanceState::exited: return "instance.exited";
        case InstanceState::failed: return "instance.failed";
        case InstanceState::pending:
        case InstanceState::starting:
        case InstanceState::stopping: return "";
    }
    return "";
}

std::string describe_claims(const Applied& applied) {
    const InstanceReport& first = *applied.claimed;
    const std::size_t others = applied.claims - 1;
    return "it reports " + to_string(first.id) + " in generation " +
           std::to_string(raw(first.generation)) + ", which was never ordered there" +
           (others > 0 ? ", and " + std::to_string(others) + " more such instances" : "");
}

std::string describe_strays(const Applied& applied) {
    const InstanceReport& first = *applied.stray;
    const std::size_t others = applied.strays - 1;
    return "it reports " + to_string(first.id) + " in generation " +
           std::to_string(raw(first.generation)) + " without the proof of an order to it" +
           (others > 0 ? ", and " + std::to_string(others) + " more such instances" : "");
}

std::string ending_of(const InstanceReport& instance) {
    if (instance.state == InstanceState::running) {
        return {};
    }
    if (instance.exit_signal != 0) {
        return ": ended by signal " + std::to_string(instance.exit_signal);
    }
    return instance.detail.empty() ? ": exit code " + std::to_string(instance.exit_code)
                                   : ": " + instance.detail;
}

}  // namespace

bool Reports::apply(StepContext& step, NodeIndex index, const Report& report, Effects& effects) {
    AppliedReport applied = copies_.apply(index, report, liveness_.recovery().held_back());
    if (applied.found && applied.is_first) {
        // Instances ended with the last life or the host: they did not vanish.
        applied.found->vanished.clear();
        const Node& node = nodes_[index];
        const bool was_here = node.from_store || facts_of(node).claim.cluster == meta_.cluster;
        applied.found->claimed = was_here ? nullptr : applied.found->claimed;
    }
    if (applied.found) {
        on_applied(step, index, report, *applied.found, effects);
    }
    if (applied.is_first) {
        // Orders to an earlier life have no effect any more.
        copies_.placements.orders().resolve(index, OrdersInFlight::everything);
        liveness_.recovery().resolved(index);
        nodes_.touch(index);
    }
    return applied.is_current;
}

void Reports::on_applied(StepContext& step, NodeIndex index, const Report& report,
                         const Applied& applied, Effects& effects) {
    const Node& node = nodes_[index];
    if (copies_.placements.has_wanted_copies(index)) {
        nodes_.count_toward_freeze(index);
    }
    effects.wake_waits = effects.wake_waits || applied.changed;
    if (!applied.sound) {
        nodes_.transition(step, index, NodeChange::faulty,
                          "its report lists an instance twice or out of order");
        suspension_.add(step, index, FlapCause::bad_report);
    }
    if (applied.claimed != nullptr && !node.ahead) {
        blame_claims(step, index, describe_claims(applied));
    }
    if (applied.stray != nullptr) {
        step.events.add_of_instance(
            step.civil(), "instance.stray", applied.stray->id,
            "on " + node.name + ": its agent shows no proof that it was ordered there");
        blame_claims(step, index, describe_strays(applied));
    }
    note_vanished(step, index, applied.vanished,
                  "its report no longer has the instance, and does not say how it ended", effects);
    copies_.note_vanished(index, applied.vanished);
    for (const EndedWell& one : applied.ended_well) {
        effects.ended_well.emplace_back(one.task, one.ordinal);
    }
    if (applied.ended) {
        effects.plan_at_least(PlanReason::touched);
    }
    if (const InstanceReport* other = applied.foreign) {
        membership_.mark_ahead(step, index, other->generation,
                               "it runs " + to_string(other->id) + " in generation " +
                                   std::to_string(raw(other->generation)) +
                                   ", which this store never gave it");
    }
    for (const InstanceReport* instance : applied.accounted) {
        copies_.leases.on_reported(step.now, instance->id);
    }
    if (report.kind != ReportKind::delta) {
        return;  // Only deltas report news.
    }
    for (const InstanceReport* instance : applied.instances) {
        if (const auto topic = topic_of(instance->state); !topic.empty()) {
            step.events.add_of_instance(step.civil(), std::string{topic}, instance->id,
                                        "on " + node.name + ending_of(*instance));
        }
    }
    for (const InstanceId* id : applied.gone) {
        step.events.add_of_instance(step.civil(), "instance.stopped", *id, "on " + node.name);
    }
}

// The answer decides the orders that its poll covered.
void Reports::resolve_orders(StepContext& step, NodeIndex index, Sequence obeyed,
                             Effects& effects) {
    const ResolvedOrders orders = copies_.resolve_orders(index, obeyed);
    if (orders.unstopped) {
        const InstanceId id{std::string{copies_.workload.name(orders.unstopped->task)},
                            orders.unstopped->ordinal};
        blame_claims(step, index,
                     "it confirmed the stop of " + to_string(id) + " and still reports it");
    }
    note_vanished(step, index, orders.without_effect,
                  "it confirmed the start, and does not report the instance", effects);
    // An exclusive instance may be gone because its lease ended, and that report may be lost.
    if (copies_.has_unexclusive(orders.without_effect)) {
        suspension_.add(step, index, FlapCause::vanished_instance);
    }
    effects.wake_waits = true;
}

void Reports::blame_claims(StepContext& step, NodeIndex index, std::string why) {
    nodes_.transition(step, index, NodeChange::faulty, std::move(why));
    suspension_.add(step, index, FlapCause::claimed_instance);
}

void Reports::note_vanished(StepContext& step, NodeIndex index, std::span<const Vanished> all,
                            std::string_view how, Effects& effects) {
    for (const Vanished& one : all) {
        const std::string why = "by " + nodes_[index].name + ": " + std::string{how};
        step.events.add_of_instance(step.civil(), "instance.vanished",
                                    {std::string{copies_.workload.name(one.task)}, one.ordinal},
                                    why);
        effects.failed.push_back({.task = one.task,
                                  .ordinal = one.ordinal,
                                  .node = index,
                                  .why = why,
                                  .vanished = true});
        effects.plan_at_least(PlanReason::touched);
    }
}

}  // namespace muster::coordinator
