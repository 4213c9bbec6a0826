#include "coordinator/core/rooms.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "coordinator/core/nodes/node_rows.hpp"

namespace muster::coordinator {

namespace {

/// One step publishes at most this many nodes, in about 3 ms. A fleet with more is large: all its
/// nodes change at once when a freeze begins or ends.
constexpr std::size_t nodes_of_step = 2'000;

/// The leadership is over, but operators still get an answer.
Output reject_not_leader(const Input& input) {
    Output output;
    if (const auto* from_operator = std::get_if<FromOperator>(&input)) {
        output.replies.push_back(
            {from_operator->ticket,
             Reply{from_operator->request->id,
                   fail(Errc::not_leader, "this coordinator does not lead any more")}});
    }
    return output;
}

}  // namespace

Rooms::Rooms(Instant now, CoordinatorOptions options, const StoreImage& image)
    : in_{now, std::move(options), image},
      reports_{in_.nodes,      in_.copies,   in_.ledger.meta(),
               in_.suspension, in_.liveness, in_.membership},
      operators_{in_.facts(now), in_.ledger,     in_.liveness,
                 in_.planning,   in_.enrolments, in_.demand} {
    in_.membership.restore({now, in_.clock, in_.events});
}

Output Rooms::step(Instant now, const Input& input) {
    if (is_over_) {
        return reject_not_leader(input);
    }
    StepContext step{now, in_.clock, in_.events};
    Effects effects;
    in_.liveness.on_step(now);
    std::visit([&](const auto& event) { on(step, event, effects); }, input);
    if (is_over_) {
        return std::move(step.output);
    }
    keep_proof_rule(step);
    keep_ends(step, effects);
    end_recovery(step, effects);
    const bool is_woken = std::holds_alternative<Wake>(input);
    const bool is_long = is_woken && is_large_round_due(now);
    const auto closed = in_.liveness.close_due(now, is_woken);
    if (closed) {
        close(step, *closed, effects);
    }
    // If many nodes are touched, only wakes publish them: there is one wake in a turn.
    if (in_.nodes.touched() <= nodes_of_step || (is_woken && !is_long)) {
        publish_changed_nodes(step);
    }
    in_.planning.on_effects(now, effects);
    if (is_long) {
        in_.planning.put_off();
    } else if (in_.nodes.touched() == 0) {
        plan(step, is_woken, effects);
    }
    if (closed) {
        in_.planning.announce(step, *closed);
    } else if (is_woken) {
        in_.planning.announce_more(step);
    }
    if (!is_long || !closed) {
        in_.liveness.open_due(now, in_.ledger.meta().epoch, step.output.polls);
    }
    in_.scaling.run(step);
    in_.planning.grant_leases(step, in_.ledger.meta().epoch);
    in_.liveness.own().note_pending_write(now, in_.ledger.oldest_unconfirmed());
    operators_.flush(step, in_.facts(now), effects);
    step.output.closed_round = closed.has_value();
    step.output.proof_checks = in_.copies.proofs.take_checks();
    step.output.events = in_.events.take_new();
    return std::move(step.output);
}

bool Rooms::has_incomplete_change() const {
    return operators_.is_busy() || in_.ledger.has_incomplete_change();
}

Instant Rooms::next_deadline() const {
    if (in_.ledger.has_durable() || in_.nodes.touched() > 0) {
        return Instant{};
    }
    Instant first = in_.liveness.rounds().next_deadline();
    for (const auto deadline :
         {in_.planning.next_deadline(), in_.membership.conflicts().next_deadline(),
          in_.nodes.deadlines().next(), operators_.next_deadline(), in_.demand.next_deadline(),
          in_.scaling.next_deadline()}) {
        first = std::min(first, deadline.value_or(first));
    }
    return first;
}

// ---- after the input of a step ----

// The plan treats the instance as finished at once. If we die before the row is durable, its agent
// reports the end again.
void Rooms::keep_ends(StepContext& step, const Effects& effects) {
    std::set<TaskIndex> changed;
    for (const auto& [task, ordinal] : effects.ended_well) {
        if (in_.copies.workload.note_end(task, ordinal)) {
            changed.insert(task);
        }
    }
    Change change{.origin = ChangeOrigin::records};
    for (const TaskIndex index : changed) {
        const Task& task = in_.copies.workload[index];
        const auto proposed = in_.ledger.tasks().find(task.name);
        if (proposed && proposed->generation == task.generation) {
            change.of<StoredEnds>().put.emplace_back(
                StoredEnds{task.name, task.generation, task.ended_well});
        }
    }
    if (!change.empty()) {
        in_.ledger.submit(std::move(change), step.output);
    }
}

void Rooms::end_recovery(StepContext& step, Effects& effects) {
    if (in_.liveness.recovery().end_if_due()) {
        effects.plan_at_least(PlanReason::all);
        effects.wake_waits = true;
        step.emit("recovery.ended", "", "every known node has reported or is lost");
    }
}

void Rooms::close(StepContext& step, const ClosedRound& closed, Effects& effects) {
    in_.liveness.own().round_closed(step.now);
    in_.liveness.note_silence(closed.away);
    in_.suspension.on_silence(step, closed.silent, in_.liveness.silent_limit());
    in_.freeze.judge(step, closed, effects);
    in_.liveness.on_round_closed(step.now);
    if (!in_.freeze.is_on()) {
        in_.liveness.decide_losses(step, closed.away);
    }
    if (in_.room.take_became_full()) {
        in_.liveness.make_room(step.now);
    }
    in_.membership.drains().complete(step, in_.membership.fleet(step.civil()));
    in_.copies.leases.drop_ended(step.now);
    require_proofs(step);
    in_.scaling.on_round_closed();
    in_.planning.on_round_closed(closed);
}

void Rooms::plan(StepContext& step, bool is_woken, Effects& effects) {
    const auto scope = in_.planning.due(step.now, in_.liveness, in_.freeze.is_on(), is_woken);
    if (scope) {
        in_.planning.pass(step, *scope, in_.ledger.meta());
        effects.wake_waits = true;
    }
}

std::optional<Evacuation> Rooms::evacuation_of(const Node& node) const {
    if (node.intent == Intent::draining) {
        return Evacuation{.cause = Cause::drain,
                          .force = in_.ledger.intents().durable(node.name).force};
    }
    const bool is_left =
        node.suspended_until && in_.options.flaky_tasks == FlakyTasks::move && !in_.freeze.is_on();
    return is_left ? std::optional{Evacuation{.cause = Cause::flaky}} : std::nullopt;
}

bool Rooms::is_large_round_due(Instant now) const {
    return now >= in_.liveness.rounds().next_deadline() && in_.nodes.count() > nodes_of_step;
}

void Rooms::publish_changed_nodes(StepContext& step) {
    Change change{.origin = ChangeOrigin::records};
    auto& written = change.of<StoredNode>().put;
    NodeRows rows{in_.nodes};
    for (const NodeIndex index : in_.nodes.take_touched(nodes_of_step)) {
        in_.scaling.on_changed_node(index);
        const Node& node = in_.nodes[index];
        if (node.name.empty()) {
            continue;
        }
        if (auto row = rows.take_changed(index)) {
            written.emplace_back(std::move(*row));
        }
        in_.freeze.serves(index, may_serve(node) || node.awaited);
        in_.copies.on_changed_node(index, evacuation_of(node));
        if (node.suspended_until && !node.ahead && in_.suspension.has_claimed(index)) {
            in_.copies.placements.distrust(index);
        }
    }
    if (!written.empty()) {
        in_.ledger.submit(std::move(change), step.output);
    }
}

}  // namespace muster::coordinator
