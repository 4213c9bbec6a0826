#include <algorithm>
#include <utility>

#include "common/ensure.hpp"
#include "common/limits.hpp"
#include "coordinator/core/state.hpp"

/// Terms, losses and plans: what happens without being asked for.
namespace muster {

namespace {
/// A closed term that differs in nothing from the one told last is told again after this many.
constexpr std::uint64_t terms_untold = 60;
}  // namespace

void Coordinator::State::apply(Instant now, const Wake& /*input*/, Output& /*output*/) {
    contests.close_overdue(now, nodes);
}

void Coordinator::State::apply(Instant now, const CivilTime& input, Output& /*output*/) {
    const bool is_first = !civil_time;
    civil_time = input;
    civil_told = now;
    if (is_first) {
        tell(now, "leader.elected", "", "epoch " + std::to_string(raw(meta.epoch)));
    }
}

void Coordinator::State::end_recovery(Instant now) {
    if (recovery.end_if_due()) {
        round = Round::term;
        tell(now, "recovery.ended", "", "every known node has reported or is lost");
    }
}

// While we slept, agents gave up links that brought no sign of life, and waited longer and longer
// between their attempts at a new one. They get as long as we slept to come back.
void Coordinator::State::note_own_pause(Instant now) {
    const Duration late = now - terms.next_deadline();
    if (late >= options.term / 2) {
        links_return_until =
            std::max(links_return_until, now + std::min(late, options.recovery_grace));
    }
}

void Coordinator::State::close_term(Instant now, const ClosedTerm& term, Output& output) {
    losses.term_closed(nodes.count());
    if (term.missed > 0 || recovery.runs()) {  // Who is lost or gone misses every term.
        decide_losses(now);
        forget_nodes(now, output);
    }
    may_plan = true;
    round = Round::term;
}

void Coordinator::State::decide_losses(Instant now) {
    std::vector<NodeIndex> silent;
    std::uint32_t slot = 0;
    for (Node& node : nodes.slots()) {
        const auto index = static_cast<NodeIndex>(slot++);
        if (node.name.empty() || node.lost || !recovery.may_be_lost(now, node)) {
            continue;
        }
        if (node.ahead) {
            recovery.settled(node);
        }
        const bool was_asked =
            node.session ? node.route_misses >= options.lost_after : now >= links_return_until;
        if (node.gone && now >= node.away_since + options.goodbye_grace) {
            lose(now, index, "said goodbye and did not return");
        } else if (!node.gone && node.misses >= options.lost_after && was_asked) {
            silent.push_back(index);
        }
    }
    // The rate is for what has to run elsewhere; who bears nothing uses none of it up. Whoever has
    // been silent longest comes first: no stream of new names delays the loss of a real node.
    std::stable_sort(silent.begin(), silent.end(), [this](NodeIndex left, NodeIndex right) {
        return nodes[left].misses > nodes[right].misses;
    });
    for (const NodeIndex index : silent) {
        if (!may_bear_work(index) || losses.take()) {
            lose(now, index, "silent for " + std::to_string(nodes[index].misses) + " polls");
        }
    }
}

bool Coordinator::State::may_bear_work(NodeIndex index) const {
    const Node& node = nodes[index];
    const bool is_unknown = node.from_store && !node.reported;  // In this leadership.
    return is_unknown || placements.bears_wanted(index);
}

void Coordinator::State::lose(Instant now, NodeIndex index, std::string why) {
    Node& node = nodes[index];
    node.lost = true;
    node.away_since = now;
    nodes.touch(index);
    tell(now, "node.lost", node.name, std::move(why));
}

void Coordinator::State::forget_nodes(Instant now, Output& output) {
    // A full table has no room for those that come: there, who is lost makes it at once.
    const bool is_full = nodes.count() >= limits::nodes;
    NodesWritten written;
    for (const auto& [name, index] : nodes.by_name()) {
        Node& node = nodes[index];
        const bool is_empty = placements.held(index) == 0 && placements.in_flight(index) == 0;
        const bool is_due = is_empty && now >= node.away_since + options.forget_after;
        if (node.lost && !node.row_pending && (is_due || is_full)) {
            node.forgetting = true;
            node.row_pending = true;
            written.erased.push_back(name);
        }
    }
    if (!written.erased.empty()) {
        persist_nodes(std::move(written), output);
    }
}

void Coordinator::State::bring_up_to_date(Output& output) {
    NodesWritten written;
    for (const NodeIndex index : nodes.take_touched()) {
        Node& node = nodes[index];
        if (node.name.empty()) {
            continue;
        }
        StoredNode row = row_of(node);
        if (row != node.durable && !node.row_pending) {
            node.row_pending = true;
            written.put.push_back(std::move(row));
        }
        placements.set_counted(index, is_counted(node));
        placements.set_serving(index, is_serving(node));
        placements.set_commandable(index, is_commandable(node));
    }
    if (!written.put.empty()) {
        persist_nodes(std::move(written), output);
    }
}

std::optional<Scope> Coordinator::State::planning_due() {
    if (!may_plan || round == Round::none) {
        return std::nullopt;
    }
    const bool term_closed = std::exchange(round, Round::none) == Round::term;
    return Scope{.held_back = recovery.held_back(), .balance = term_closed};
}

void Coordinator::State::order(Instant now, const Plan& plan, Output& output) {
    news = true;
    commands.launch(plan, meta, output.messages);
    for (const Order& order : plan.orders) {
        const InstanceId id{workload.name(order.task), order.ordinal};
        if (!is_move(order.cause)) {  // A move takes nothing away from what was reached.
            watch.add(id.task);
        }
        events.add_of_instance(
            civil(now), order.action == Order::Action::start ? "instance.start" : "instance.stop",
            id,
            "ordered on " + nodes[order.node].name + ": " + std::string{to_string(order.cause)});
    }
}

void Coordinator::State::announce(Instant now, const ClosedTerm& term, std::size_t moves) {
    for (const PhaseChange& change : watch.take_changes(workload, planner)) {
        tell(now, "task." + std::string{to_string(change.phase)}, change.task);
    }
    const Totals totals = planner.totals();
    const std::uint32_t left_out = events.term_closed();
    const bool is_alike = announced && announced->answered == term.answered &&
                          announced->missed == term.missed && moves == 0 && left_out == 0 &&
                          announced_unplaced == totals.unplaced;
    for (const TaskIndex task : planner.take_unplaced()) {
        watch.add(workload.name(task));
    }
    if (is_alike && raw(term.term) - raw(announced->term) < terms_untold) {
        return;
    }
    announced = term;
    announced_unplaced = totals.unplaced;
    std::string detail = "answered " + std::to_string(term.answered) + ", missed " +
                         std::to_string(term.missed) + ", moves " + std::to_string(moves) +
                         ", unplaced " + std::to_string(totals.unplaced);
    if (left_out > 0) {
        detail += "; " + std::to_string(left_out) + " events of instances left out";
    }
    tell(now, "term.closed", std::to_string(raw(term.term)), std::move(detail));
}

}  // namespace muster
