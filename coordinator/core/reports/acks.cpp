#include <algorithm>

#include "coordinator/core/reports/reports.hpp"

/// What agents say of the orders in a batch.
namespace muster::coordinator {

namespace {

/// Said by an agent of all that a batch orders: it is not from its leader, or not for its life.
bool is_of_whole_batch(Errc code) {
    return code == Errc::stale_epoch || code == Errc::foreign_cluster ||
           code == Errc::stale_incarnation;
}

}  // namespace

void Reports::on_ack(StepContext& step, Session session, const Ack& ack, Effects& effects) {
    const auto index = nodes_.find(session);
    if (!index) {
        nodes_.count_unknown_sender();
        step.refuse(session, Errc::hello_required, "say hello first");
        return;
    }
    const Node& node = nodes_[*index];
    if (ack.incarnation != node.incarnation) {
        return;
    }
    if (ack.epoch < meta_.epoch) {
        // In another cluster epochs are counted otherwise. What it said of itself came late.
        const bool is_foreign = std::ranges::any_of(ack.refusals, [&](const Refusal& refusal) {
            return refusal.code == Errc::foreign_cluster &&
                   copies_.placements.orders().is_ordered(*index, refusal.id, refusal.generation);
        });
        if (is_foreign) {
            step.refuse(session, Errc::hello_required, "say hello again, for you obey another");
        }
        return;
    }
    bool obeys_another = ack.epoch > meta_.epoch;
    bool is_at_fault = false;
    for (const Refusal& refusal : ack.refusals) {
        const std::string why =
            "by " + node.name + ": " +
            (refusal.detail.empty() ? std::string{to_string(refusal.code)} : refusal.detail);
        if (is_of_whole_batch(refusal.code)) {
            // Perhaps a late one: what is in flight is settled by the answer to the next poll.
            obeys_another = obeys_another || (refusal.code != Errc::stale_incarnation &&
                                              copies_.placements.orders().is_ordered(
                                                  *index, refusal.id, refusal.generation));
            step.events.add_of_instance(step.civil(), "instance.refused", refusal.id, why);
            continue;
        }
        const bool was_start =
            copies_.placements.orders().refused(*index, refusal.id, refusal.generation, ack.obeyed);
        const auto task = copies_.workload.find(refusal.id.task);
        if (task && refusal.code == Errc::spec_unknown) {
            effects.specs_lacking.emplace_back(*index, *task);
            effects.plan_at_least(PlanReason::touched);
            continue;
        }
        // The lease had expired on arrival, perhaps because the network was slow. The next start
        // carries a later lease, so it does not count against the node.
        const bool is_late = refusal.code == Errc::lease_over;
        is_at_fault = is_at_fault || !is_late;
        if (was_start && is_late) {
            effects.plan_at_least(PlanReason::touched);
        } else if (was_start) {
            effects.refused.push_back({*task, refusal.id.ordinal, *index, why});
            effects.plan_at_least(PlanReason::touched);  // Some other node may take it.
        }
        step.events.add_of_instance(step.civil(), "instance.refused", refusal.id, why);
    }
    copies_.placements.orders().obeyed(*index, ack.obeyed);
    if (is_at_fault) {
        suspension_.add(step, *index, FlapCause::refused_commands);
    }
    if (obeys_another) {  // Since its hello, by a message that came late.
        step.refuse(session, Errc::hello_required, "say hello again, for you obey another leader");
    }
}

}  // namespace muster::coordinator
