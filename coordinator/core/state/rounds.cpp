#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"
#include "coordinator/core/state/state.hpp"

/// Terms and plans: what happens without being asked for.
namespace muster::coordinator {

namespace {
/// Of the tasks that became unplaced in one term, so many are told with their nodes' reasons.
constexpr int reasons_told = 8;

bool begins_move(const Order& order) {
    return order.action == Order::Action::start && order.cause == Cause::balance;
}
}  // namespace

void State::apply(Instant now, const Wake& /*input*/, Output& output) {
    contests.close_overdue(now, nodes);
    meet_deadlines(now, output);
}

void State::apply(Instant now, const CivilTime& input, Output& /*output*/) {
    const bool is_first = !civil_time;
    civil_time = input;
    civil_told = now;
    if (is_first) {
        tell(now, "leader.elected", "", "epoch " + std::to_string(raw(meta.epoch)));
        if (freeze.is_on()) {
            tell(now, "freeze.began", "", "as it was in the leadership before");
        }
        for (const NodeIndex index : drains) {
            watch_drain(now, index, intents.durable(nodes[index].name));
        }
    }
}

void State::apply(Instant /*now*/, const OwnSockets& input, Output& /*output*/) {
    own.sockets_are(input.ill);
}

void State::end_recovery(Instant now) {
    if (recovery.end_if_due()) {
        round = Round::term;
        news = true;
        tell(now, "recovery.ended", "", "every known node has reported or is lost");
    }
}

// While we slept, agents gave up links that brought no sign of life, and waited longer and longer
// between their attempts at a new one. They get as long as we slept to come back.
void State::note_own_pause(Instant now) {
    const Duration late = now - terms.next_deadline();
    if (own.was_late(late)) {
        links_return_until =
            std::max(links_return_until, now + std::min(late, options.recovery_grace));
    }
}

void State::close_term(Instant now, const ClosedTerm& term, Output& output) {
    own.term_closed(now);
    count_silence(now, term);
    judge_freeze(now, term);
    losses.term_closed(nodes.count());
    starts_this_term = 0;
    moves_this_term = 0;
    if (recovery.runs()) {
        settle_ahead(now);
    }
    if (!freeze.is_on()) {
        decide_losses(now, term.away, miss_limit());
    }
    if (std::exchange(has_filled, false)) {
        make_room(now);
    }
    counters.closed(term);
    settle_drains(now, output);
    leases.drop_ended(now);
    may_plan = true;
    round = Round::term;
}

void State::bring_up_to_date(Output& output) {
    NodesWritten written;
    for (const NodeIndex index : nodes.take_touched()) {
        Node& node = nodes[index];
        if (node.name.empty()) {
            continue;
        }
        // Of a name that never came, its place on the list says all.
        const bool has_come = node.incarnation != Incarnation{};
        if (has_come && row_of(node) != node.durable && !node.row_pending) {
            node.row_pending = true;
            written.put.push_back(stored(node));
        }
        freeze.serves(index, terms.current(), may_serve(node) || node.awaited);
        if (placements.is_counted(index) && !is_counted(node)) {
            hold_all_on(index);
        }
        placements.set_counted(index, is_counted(node));
        placements.set_serving(index, is_serving(node));
        placements.set_evacuating(index, evacuation_of(node));
        placements.set_commandable(index, is_commandable(node));
    }
    if (!written.put.empty()) {
        persist_nodes(std::move(written), output);
    }
}

std::optional<Scope> State::planning_due(Instant now) {
    if (!may_plan || round == Round::none) {
        return std::nullopt;
    }
    const bool term_closed = std::exchange(round, Round::none) == Round::term;
    Scope scope;
    scope.now = now;
    scope.held_back = recovery.held_back();
    scope.balance = term_closed;
    scope.rebalance = options.rebalance;
    scope.frozen = freeze.is_on();
    scope.rebalance_now =
        term_closed && !scope.held_back && !scope.frozen && std::exchange(rebalance_asked, false);
    if (const auto most = limit_from(settings.durable(starts_per_term.name))) {
        scope.starts = *most - std::min(*most, starts_this_term);
    }
    const auto moves = limit_from(settings.durable(moves_per_term.name)).value_or(usual_moves());
    scope.moves = moves - std::min(moves, moves_this_term);
    scope.move_cooldown = options.move_cooldown;
    scope.stop_strays = options.stop_strays;
    scope.leases = &leases;
    return scope;
}

void State::order(Instant now, const Plan& plan, Output& output) {
    news = true;
    commands.launch(plan, meta, output.messages);
    for (const Order& order : plan.orders) {
        counters.ordered(order);
        nodes[order.node].at_stake = true;
        starts_this_term += order.action == Order::Action::start ? 1U : 0U;
        moves_this_term += begins_move(order) ? 1U : 0U;
        const InstanceId id{workload.name(order.task), order.ordinal};
        if (!is_move(order.cause)) {  // A move takes nothing away from what was reached.
            watch.add(id.task);
        }
        history.add(civil(now), id, nodes[order.node].name, order);
        events.add_of_instance(
            civil(now), order.action == Order::Action::start ? "instance.start" : "instance.stop",
            id,
            "ordered on " + nodes[order.node].name + ": " + std::string{to_string(order.cause)});
    }
}

// Who is lost may answer in part: until it is known what it runs, what it ran is being waited for.
void State::grant_leases(Instant now, Output& output) {
    const auto lease_for = [&](Session session) {
        const auto index = nodes.find(session);
        const bool gets_one = index && nodes[*index].reported && !nodes[*index].lost;
        return gets_one ? leases.grant(now, *index) : BootMs{};
    };
    for (PollTo& poll : output.polls) {
        poll.poll.lease = lease_for(poll.session);
    }
    for (ToAgent& message : output.messages) {
        auto* const batch = std::get_if<Batch>(&message.message);
        if (batch == nullptr) {
            continue;
        }
        for (Start& start : batch->starts) {
            if (workload[*workload.find(start.id.task)].spec.exclusive) {
                start.lease = lease_for(message.session);
                start.token = leases.next_token(meta.epoch);
            }
        }
    }
}

void State::hold_all_on(NodeIndex index) {
    const Node& node = nodes[index];
    // What runs there may be of a generation that was exclusive, whatever its task is now.
    for (const auto& [task, ordinal] : placements.all_on(index)) {
        leases.hold(index, node.name, node.life, {workload.name(task), ordinal});
    }
}

void State::announce(Instant now, const ClosedTerm& term, std::size_t moves) {
    int asked_left = reasons_told;
    for (const PhaseChange& change : watch.take_changes(workload, planner)) {
        const auto task = workload.find(change.task);
        // The nodes are asked for the first few: one change can leave a whole workload unplaced.
        const bool asks = change.phase == TaskPhase::unplaced && task && asked_left-- > 0;
        tell(now, "task." + std::string{to_string(change.phase)}, change.task,
             asks ? why_unplaced(*task) : std::string{});
    }
    const Totals totals = planner.totals();
    const std::uint32_t left_out = events.term_closed();
    for (const TaskIndex task : planner.take_unplaced()) {
        watch.add(workload.name(task));
    }
    std::string detail = "answered " + std::to_string(term.answered) + ", missed " +
                         std::to_string(term.missed) + ", moves " + std::to_string(moves) +
                         ", unplaced " + std::to_string(totals.unplaced);
    if (left_out > 0) {
        detail += "; " + std::to_string(left_out) + " events of instances left out";
    }
    const bool quiet = moves == 0 && left_out == 0 && detail == term_told;
    term_told = detail;
    events.add_term(civil(now), std::to_string(raw(term.term)), std::move(detail), quiet);
}

}  // namespace muster::coordinator
