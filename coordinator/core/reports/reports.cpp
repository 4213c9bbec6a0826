#include "coordinator/core/reports/reports.hpp"

#include <algorithm>

#include "common/base/limits.hpp"
#include "coordinator/core/nodes/readiness.hpp"

namespace muster::coordinator {

namespace {

/// An honest agent never sends a higher sequence. A higher one could make ours wrap.
constexpr Sequence sequence_max{std::uint64_t{1} << 62U};

/// True if there are vitals, and their times are in range.
bool is_sound(const HostVitals& vitals) {
    const auto is_time = [](CivilMs at) { return raw(at) >= 0 && at <= limits::civil_most; };
    return vitals.at != CivilMs{} && is_time(vitals.at) && is_time(vitals.spawned) &&
           is_time(vitals.written);
}

std::string describe_other_epoch(const Report& report, const Meta& ours, const Node& node) {
    if (report.epoch != ours.epoch) {
        return "it answers in epoch " + std::to_string(raw(report.epoch)) + ", and epoch " +
               std::to_string(raw(ours.epoch)) + " leads";
    }
    return "it answers for incarnation " + std::to_string(raw(report.incarnation)) +
           ", and incarnation " + std::to_string(raw(node.incarnation)) + " is connected";
}

/// True if an agent refused a whole batch: it is not from its leader, or not for its life.
bool is_of_whole_batch(Errc code) {
    return code == Errc::stale_epoch || code == Errc::foreign_cluster ||
           code == Errc::stale_incarnation;
}

}  // namespace

void Reports::on_report(StepContext& step, Session session, const Report& report,
                        Effects& effects) {
    const auto index = nodes_.find(session);
    if (!index) {
        nodes_.count_useless(Useless::unknown_sender);
        step.refuse(session, Errc::hello_required, "send hello first");
        return;
    }
    if (report.epoch != meta_.epoch || report.incarnation != nodes_[*index].incarnation) {
        nodes_.count_useless(Useless::other_epoch);
        // No event: a report sent before a leadership or a life began is not a fault.
        facts_of_answers(*index).bad_report = describe_other_epoch(report, meta_, nodes_[*index]);
        return;
    }
    if (report.round == Round{}) {
        if (report.kind == ReportKind::delta && apply(step, *index, report, effects)) {
            effects.wake_waits = true;
        }
        return;
    }
    if (liveness_.rounds().answered(*index, report)) {
        on_answer(step, *index, report, effects);
    }
}

void Reports::on_answer(StepContext& step, NodeIndex index, const Report& report,
                        Effects& effects) {
    membership_.conflicts().end(index);  // It answers, so no other life may take its name.
    if (copies_.take_vanished(index)) {
        suspension_.add(step, index, FlapCause::vanished_instance);
    }
    const bool is_current = apply(step, index, report, effects);
    if (!nodes_[index].reported) {
        // The node did not send the snapshot that the poll asked for. That counts as a miss,
        // because recovery would otherwise wait for ever.
        liveness_.rounds().miss(index);
        note_bad_report(step, index,
                        "it was asked for all that it runs, and its answer is no snapshot");
        return;
    }
    liveness_.on_answer(index);
    copies_.placements.set_answered(index, step.now);
    note_host(step, index, report);
    copies_.leases.on_stamp(step.now, index, report.stamp);
    suspension_.on_answer(step, index, report);
    if (report.obeyed < sequence_max) {
        nodes_.issue_above(index, report.obeyed);
    }
    if (is_current && copies_.has_unresolved_orders(index)) {
        resolve_orders(step, index, report.obeyed, effects);
    }
    // A lost node does not serve, and its copies do not count, until its instances are known again.
    if (nodes_[index].lost && is_current) {
        nodes_.transition(step, index, NodeChange::returned, "answered");
        copies_.leases.release(nodes_[index].life);
        liveness_.expect_return(step.now, index);
    }
    NodeReadiness{nodes_}.judge(step, index);
}

void Reports::note_host(const StepContext& step, NodeIndex index, const Report& report) {
    AnswerFacts& facts = facts_of_answers(index);
    facts.bad_report.clear();
    facts.last_answer = step.civil();
    facts.host = report.host;
    if (is_sound(report.vitals)) {
        facts.vitals = report.vitals;
        facts.clock_ahead = raw(report.vitals.at) - raw(step.civil());
    }
}

void Reports::on_ack(StepContext& step, Session session, const Ack& ack, Effects& effects) {
    const auto index = nodes_.find(session);
    if (!index) {
        nodes_.count_useless(Useless::unknown_sender);
        step.refuse(session, Errc::hello_required, "send hello first");
        return;
    }
    const Node& node = nodes_[*index];
    if (ack.incarnation != node.incarnation) {
        return;
    }
    if (ack.epoch < meta_.epoch) {
        // Another cluster counts its own epochs. The agent joined that cluster after its hello to
        // us.
        const bool is_foreign = std::ranges::any_of(ack.refusals, [&](const Refusal& refusal) {
            return refusal.code == Errc::foreign_cluster &&
                   copies_.placements.orders().is_ordered(*index, refusal.id, refusal.generation);
        });
        if (is_foreign) {
            step.refuse(session, Errc::hello_required, "send hello again: you obey another leader");
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
            // The refusal may be late: the answer to the next poll decides the orders in flight.
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
        // An older agent is not at fault if it does not support a new spec.
        is_at_fault = is_at_fault || !(is_late || refusal.code == Errc::spec_unsupported);
        if (was_start && is_late) {
            effects.plan_at_least(PlanReason::touched);
        } else if (was_start) {
            effects.failed.push_back({*task, refusal.id.ordinal, *index, why});
            effects.plan_at_least(PlanReason::touched);  // Another node may run it.
        }
        step.events.add_of_instance(step.civil(), "instance.refused", refusal.id, why);
    }
    copies_.placements.orders().obeyed(*index, ack.obeyed);
    if (is_at_fault) {
        suspension_.add(step, *index, FlapCause::refused_commands);
    }
    if (obeys_another) {  // The agent obeyed another leader after its hello.
        step.refuse(session, Errc::hello_required, "send hello again: you obey another leader");
    }
}

void Reports::on_undecodable(StepContext& step, const Undecodable& input) {
    if (const auto index = nodes_.find(input.session)) {
        note_bad_report(step, *index, "its message makes no sense: " + input.why);
        suspension_.add(step, *index, FlapCause::bad_report);
    }
}

// An agent may send many invalid messages, each with another error: at most one event a round.
void Reports::note_bad_report(StepContext& step, NodeIndex index, std::string why) {
    AnswerFacts& facts = facts_of_answers(index);
    why.resize(std::min(why.size(), limits::detail_bytes));
    const Round now = liveness_.rounds().current();
    if (facts.bad_report != why && (facts.bad_report_event_round != now || now == Round{})) {
        facts.bad_report_event_round = now;
        step.emit("node.bad_report", nodes_[index].name, why);
    }
    facts.bad_report = std::move(why);
}

AnswerFacts& Reports::facts_of_answers(NodeIndex index) {
    return nodes_.edit(index, WriteKey<AnswerFacts>{});
}

}  // namespace muster::coordinator
