#include "coordinator/core/planning/planning.hpp"

#include <algorithm>
#include <utility>

#include "coordinator/core/ledger/cluster_limits.hpp"
#include "coordinator/core/planning/reasons.hpp"

namespace muster::coordinator {

namespace {

/// Of the tasks that became unplaced in one round, at most this many get an event with the reasons
/// of the nodes.
constexpr int most_reasons = 8;
constexpr int nodes_looked_at = 10'000;

/// Tasks plus ordinals of a pass, and tasks checked for events: about 3 ms, with the shell's work
/// to send them.
constexpr std::size_t most_of_pass = 500;
constexpr std::size_t most_events = 250;

}  // namespace

Planning::Planning(Instant now, const CoordinatorOptions& options, const StoreImage& image,
                   NodeRegistry& nodes, Copies& copies, const Ledger& ledger)
    : options_{options},
      nodes_{nodes},
      copies_{copies},
      settings_{ledger.settings()},
      planner_{copies.workload, copies.placements, image.meta.counter},
      commands_{nodes, copies, ledger.secrets()} {
    trigger_.moves_from = now + options.move_cooldown;
}

void Planning::on_round_closed(const ClosedRound& closed) {
    begun_ = {};
    counters_.closed(closed);
    trigger_.may_plan = true;
    trigger_.due = PlanReason::all;
}

void Planning::on_effects(Instant now, const Effects& effects) {
    for (const NodeIndex node : effects.resets) {
        commands_.forget(node);
    }
    for (const auto& [node, task] : effects.specs_lacking) {
        commands_.forget(node, task);
    }
    for (const FailedInstance& what : effects.failed) {
        planner_.failed(now, what);
    }
    for (const NodeIndex node : effects.departed) {
        planner_.clear_failures(node);
    }
    plan_at_least(effects.plan);
}

std::optional<Scope> Planning::due(Instant now, const Liveness& liveness, bool is_frozen,
                                   bool is_woken) {
    if (!trigger_.may_plan || trigger_.due == PlanReason::none || (trigger_.is_cut && !is_woken)) {
        return std::nullopt;
    }
    const bool round_closed = std::exchange(trigger_.due, PlanReason::none) == PlanReason::all;
    Scope scope;
    scope.now = now;
    scope.held_back = liveness.recovery().held_back();
    scope.balance = round_closed;
    scope.rebalance = rebalance_at(now);
    scope.frozen = is_frozen;
    scope.rebalance_now =
        round_closed && !scope.held_back && !scope.frozen && trigger_.balance_asked;
    if (const auto most = limit_from(settings_.durable(starts_per_round.name).value)) {
        scope.starts = *most - std::min(*most, begun_.starts);
    }
    const auto moves =
        limit_from(settings_.durable(moves_per_round.name).value).value_or(usual_moves());
    scope.moves = moves - std::min(moves, begun_.moves);
    scope.move_cooldown = options_.move_cooldown;
    scope.stop_strays = options_.stop_strays;
    scope.leases = &copies_.leases;
    scope.most = most_of_pass;
    return scope;
}

void Planning::pass(StepContext& step, const Scope& scope, const Meta& meta) {
    const Plan plan = planner_.plan(scope);
    dispatch(step, plan, meta);
    trigger_.is_cut = plan.is_cut;
    if (trigger_.is_cut) {
        plan_at_least(scope.balance ? PlanReason::all : PlanReason::touched);
    } else if (scope.rebalance_now) {
        trigger_.balance_asked = false;
    }
    note_what_is_left(step.now);
}

void Planning::note_what_is_left(Instant now) {
    const bool is_left = trigger_.is_cut || !tracker_.is_through() || planner_.has_unplaced_due();
    trigger_.continues_at = is_left ? std::optional{now} : std::nullopt;
}

void Planning::dispatch(StepContext& step, const Plan& plan, const Meta& meta) {
    commands_.launch(plan, meta, step.output.messages);
    for (const Order& order : plan.orders) {
        counters_.ordered(order);
        nodes_.count_toward_freeze(order.node);
        const bool starts = order.action == Order::Action::start;
        begun_.starts += starts ? 1U : 0U;
        begun_.moves += starts && order.cause == Cause::balance ? 1U : 0U;
        const InstanceId id{copies_.workload.name(order.task), order.ordinal};
        if (!is_move(order.cause)) {  // A move does not end convergence.
            tracker_.add(id.task);
        }
        const std::string& node = nodes_[order.node].name;
        log_.history.add(step.civil(), id, node, order);
        log_.instants.on_order(order.task, copies_.workload[order.task], order.ordinal,
                               step.civil());
        step.events.add_of_instance(
            step.civil(), order.action == Order::Action::start ? "instance.start" : "instance.stop",
            id, "ordered on " + node + ": " + std::string{to_string(order.cause)});
    }
}

void Planning::emit_changes(StepContext& step) {
    const Reasons reasons{nodes_, copies_.workload, planner_};
    // Each reason needs a check of every node.
    int asked_left = std::clamp(nodes_looked_at / std::max(1, static_cast<int>(nodes_.count())), 1,
                                most_reasons);
    const auto note = [&](TaskIndex task, TaskPhase phase, bool is_reported) {
        log_.instants.on_phase(task, copies_.workload[task], phase, is_reported, step.civil());
    };
    for (const PhaseChange& change :
         tracker_.take_changes(copies_.workload, planner_, most_events, note)) {
        const auto task = copies_.workload.find(change.task);
        // Only the first few events get the reasons of the nodes, because one change can leave a
        // whole workload unplaced.
        const bool asks = change.phase == TaskPhase::unplaced && task && asked_left-- > 0;
        const std::string why = asks ? reasons.why_unplaced(*task)
                                : task && change.phase == TaskPhase::halted
                                    ? describe_halt(copies_.workload, planner_, *task)
                                    : std::string{};
        step.emit("task." + std::string{to_string(change.phase)}, change.task, why);
    }
}

void Planning::watch_unplaced() {
    for (const TaskIndex task : planner_.take_unplaced(most_events)) {
        tracker_.add(copies_.workload.name(task));
    }
}

void Planning::announce_more(StepContext& step) {
    if (planner_.are_totals_behind()) {
        planner_.refresh_totals();
    }
    if (!tracker_.is_through()) {
        emit_changes(step);
    }
    watch_unplaced();
    note_what_is_left(step.now);
}

void Planning::announce(StepContext& step, const ClosedRound& closed) {
    emit_changes(step);
    planner_.refresh_totals();
    const Totals totals = planner_.totals();
    const std::uint32_t left_out = step.events.round_closed();
    planner_.on_round_closed();
    watch_unplaced();
    note_what_is_left(step.now);
    std::string detail = "answered " + std::to_string(closed.answered) + ", missed " +
                         std::to_string(closed.missed) + ", moves " + std::to_string(begun_.moves) +
                         ", unplaced " + std::to_string(totals.unplaced);
    if (left_out > 0) {
        detail += "; " + std::to_string(left_out) + " events of instances left out";
    }
    const bool quiet = begun_.moves == 0 && left_out == 0 && detail == round_summary_;
    round_summary_ = detail;
    step.events.add_round(step.civil(), std::to_string(raw(closed.round)), std::move(detail),
                          quiet);
}

// A lost node may answer without a snapshot. It gets no lease until its instances are known,
// because they are held for its old lease.
void Planning::grant_leases(StepContext& step, Epoch epoch) {
    Leases& leases = copies_.leases;
    const auto lease_for = [&](Session session) {
        const auto index = nodes_.find(session);
        const bool gets_one = index && nodes_[*index].reported && !nodes_[*index].lost;
        return gets_one ? leases.grant(step.now, *index) : BootMs{};
    };
    for (PollTo& poll : step.output.polls) {
        poll.poll.lease = lease_for(poll.session);
    }
    for (ToAgent& message : step.output.messages) {
        auto* const batch = std::get_if<Batch>(&message.message);
        if (batch == nullptr) {
            continue;
        }
        for (Start& start : batch->starts) {
            if (copies_.workload[*copies_.workload.find(start.id.task)].spec.exclusive) {
                start.lease = lease_for(message.session);
                start.token = leases.next_token(epoch);
            }
        }
    }
}

Rebalance Planning::rebalance_at(Instant now) const {
    const bool is_early = now < trigger_.moves_from;
    return is_early && options_.rebalance == Rebalance::automatic ? Rebalance::on_demand
                                                                  : options_.rebalance;
}

std::uint32_t Planning::usual_moves() const {
    constexpr std::size_t nodes_per_move = 100;
    return static_cast<std::uint32_t>(std::max<std::size_t>(1, nodes_.count() / nodes_per_move));
}

}  // namespace muster::coordinator
