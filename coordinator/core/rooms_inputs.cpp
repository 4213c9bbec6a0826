#include <algorithm>
#include <string>
#include <utility>

#include "coordinator/core/queries/queries.hpp"
#include "coordinator/core/rooms.hpp"

/// Routes each input to its room.
namespace muster::coordinator {

namespace {

std::string describe(const Demand::Dropped& dropped) {
    constexpr std::size_t named = 5;
    std::string text = "it did not repeat what it needs:";
    for (std::size_t at = 0; at < std::min(named, dropped.needs.size()); ++at) {
        const PoolNeed& need = dropped.needs[at];
        text += (at == 0 ? " " : ", ") + std::to_string(need.amount) + " of " + need.pool;
    }
    return dropped.needs.size() <= named
               ? text
               : text + ", and of " + std::to_string(dropped.needs.size() - named) + " more pools";
}

}  // namespace

void Rooms::on(StepContext& step, const FromAgent& input, Effects& effects) {
    const Session session = input.session;
    in_.membership.check_key_of(step, session, effects);
    const auto to_its_room = [&](const auto& message) {
        using Kind = std::decay_t<decltype(message)>;
        if constexpr (std::is_same_v<Kind, Hello>) {
            in_.membership.on_hello(step, input, message, effects);
        } else if constexpr (std::is_same_v<Kind, Departure>) {
            in_.membership.on_departure(step, session, message, effects);
        } else if constexpr (std::is_same_v<Kind, NewKey>) {
            in_.renewals.on_new_key(step, session, message);
        } else if constexpr (std::is_same_v<Kind, Report>) {
            reports_.on_report(step, session, message, effects);
        } else if constexpr (std::is_same_v<Kind, Ack>) {
            reports_.on_ack(step, session, message, effects);
        } else {
            operators_.on_answer(session, message);
        }
    };
    std::visit(to_its_room, input.message);
}

void Rooms::on(StepContext& /*step*/, const SessionClosed& input, Effects& /*effects*/) {
    in_.membership.on_connection_closed(input.session);
}

void Rooms::on(StepContext& step, const Undecodable& input, Effects& /*effects*/) {
    reports_.on_undecodable(step, input);
}

void Rooms::on(StepContext& step, const FromOperator& input, Effects& effects) {
    const auto identity = in_.access.may_send(input.by, input.request->body, step.civil());
    if (!identity) {
        in_.ledger.note_refusal(step, input, identity.error());
        step.output.replies.push_back(
            {input.ticket, Reply{input.request->id, tl::unexpected{identity.error()}}});
        return;
    }
    operators_.on_request(step, signed_by(*identity, input), in_.facts(step.now), effects);
}

void Rooms::on(StepContext& step, const Denied& input, Effects& /*effects*/) {
    in_.ledger.note_refusal(step, input);
}

void Rooms::on(StepContext& /*step*/, const OwnSockets& input, Effects& /*effects*/) {
    in_.liveness.own().set_sockets_degraded(input.ill);
}

void Rooms::on(StepContext& step, const CivilTime& input, Effects& effects) {
    const bool is_first = !in_.clock.known_at(step.now);
    const CivilMs before = in_.clock.last();
    in_.clock.set(step.now, input.at);
    in_.predictors.on_zones(input.zones);
    in_.predictors.sample({step.now, input.at});
    for (const std::string& name : names_ending(in_.ledger.keys(), before, step.civil())) {
        in_.membership.check_key(step, name, effects);
    }
    if (is_first) {
        step.emit("leader.elected", "", "epoch " + std::to_string(raw(in_.ledger.meta().epoch)));
        if (in_.freeze.is_on()) {
            step.emit("freeze.began", "", "as it was in the leadership before");
        }
        in_.membership.drains().watch_all(step);
    }
}

void Rooms::on(StepContext& step, const OutsideAnswer& input, Effects& /*effects*/) {
    in_.scaling.on_answer(step, input);
}

void Rooms::on(StepContext& step, const Wake& /*input*/, Effects& effects) {
    in_.membership.conflicts().close_overdue(step.now);
    for (const Demand::Dropped& dropped : in_.demand.drop_overdue(step.now)) {
        step.emit("demand.dropped", dropped.reporter, describe(dropped));
    }
    Change change{.origin = ChangeOrigin::records};
    auto& erased = change.of<StoredNode>().erased;
    while (const auto due = in_.nodes.deadlines().take_due(step.now)) {
        if (on_due(step, *due)) {
            erased.push_back(in_.nodes[due->node].name);
        }
    }
    if (!erased.empty()) {
        in_.ledger.submit(std::move(change), step.output);
    }
    if (!is_large_round_due(step.now)) {
        operators_.go_on(step, in_.facts(step.now), in_.access, effects);
        apply_durable(step, effects);
    }
}

bool Rooms::on_due(StepContext& step, const Deadlines::Due& due) {
    switch (due.kind) {
        case DueKind::departure:
            in_.liveness.on_departure_grace_over(step, due.node, in_.freeze.is_on());
            return false;
        case DueKind::suspension: in_.suspension.on_suspension_over(step, due.node); return false;
        case DueKind::forgive: in_.suspension.on_quiet_period_over(step, due.node); return false;
        case DueKind::drain: on_drain_overdue(step, due.node); return false;
        case DueKind::forget: return in_.membership.on_forget_due(step, due.node);
    }
    return false;
}

void Rooms::on_drain_overdue(StepContext& step, NodeIndex index) {
    const FleetView fleet = in_.membership.fleet(step.civil());
    if (is_drained(index, fleet)) {
        // Whenever a round closed, an order may have been on its way to the node.
        in_.membership.drains().complete(step, fleet);
        in_.nodes.deadlines().set(index, DueKind::drain, step.now + in_.options.round);
        return;
    }
    in_.nodes.transition(step, index, NodeChange::drain_overdue,
                         why_overdue(in_.facts(step.now), index));
}

}  // namespace muster::coordinator
