#include "coordinator/core/planning/planner.hpp"

#include <algorithm>
#include <utility>

#include "coordinator/core/planning/balance/balance.hpp"
#include "coordinator/core/planning/tasks/steps.hpp"
#include "coordinator/core/workload/views.hpp"

namespace muster::coordinator {

Planner::Planner(Workload& workload, Placements& placements, std::optional<Generation> held_back)
    : state_{std::make_unique<PlannerState>(workload, placements, held_back)} {}

Planner::~Planner() = default;

Plan Planner::plan(const Scope& scope) {
    PlannerState& state = *state_;
    state.apply_changes();
    state.apply_node_changes();
    if (state.counts_homes(scope)) {
        return {.orders = {}, .is_cut = true};
    }
    std::vector<TaskIndex> due = state.due.take(scope);
    const bool is_cut = state.due.is_cut();
    std::size_t missing = 0;
    for (const TaskIndex task : due) {
        const Task& wanted = state.workload[task];
        if (wanted.is_everywhere()) {
            const bool is_held_back = scope.held_back && wanted.created <= *scope.held_back;
            state.workload.bind(task, bind_every_node(state, task, !is_held_back));
        }
        if (const auto healthy_at = state.placements.note_health(scope.now, task)) {
            state.due.wake_at(*healthy_at, task);
        }
        missing += state.refresh_homes(task);
    }
    state.add_short_of_room(due);
    PassOrders orders{.all = {}, .starts_left = scope.starts};
    orders.all.reserve(missing);
    TaskList ordered;
    for (const TaskIndex task : due) {
        if (plan_task(state, task, scope, orders)) {
            ordered.add(task);
        }
    }
    if (!is_cut) {
        state.statuses.on_pass_over();
    }
    if (!is_cut && scope.balance && !scope.held_back && !scope.frozen) {
        const bool is_asked = scope.rebalance_now && scope.rebalance != Rebalance::off;
        const bool moves = is_asked || scope.rebalance == Rebalance::automatic;
        if (is_asked || state.moves.is_balance_due(moves)) {
            seek_balance(state, moves, orders.all);
            state.moves.on_balanced(moves);  // Also if some loads are still uneven.
        }
        const auto budget = std::min(scope.moves, orders.starts_left.value_or(scope.moves));
        begin_moves(state, scope, budget, ordered, orders.all);
    }
    for (const TaskIndex task : due) {
        if (ordered.contains(task)) {
            state.due.add(task);  // The next pass checks the effect of its orders.
        }
        state.release_if_over(task);
    }
    return {.orders = std::move(orders.all), .is_cut = is_cut};
}

void Planner::failed(Instant now, const FailedInstance& what) {
    const Task& wanted = state_->workload[what.task];
    if (wanted.wanted && what.ordinal < wanted.instances) {
        state_->failures.on_start_failed(now, wanted.generation, what);
    }
}

void Planner::clear_failures(NodeIndex node) { state_->failures.clear_failures(node); }

void Planner::learn_failures(const Planner& other) { state_->failures = other.state_->failures; }

TaskStatus Planner::status(TaskIndex task) const {
    Reading reading;
    read(state_->workload, state_->placements, task, reading);
    return summarise(state_->workload, state_->placements, task, reading,
                     state_->statuses.shortages_of(task), state_->statuses.is_new(task),
                     state_->failures.unproven(task, state_->workload[task], reading));
}

bool Planner::are_totals_behind() const { return state_->statuses.is_behind(); }

void Planner::refresh_totals() {
    state_->apply_changes();
    state_->record_stale();
}

Totals Planner::totals() const {
    Totals totals = state_->statuses.totals();
    totals.moves += state_->places.moves().size();
    return totals;
}

std::span<const Shortage> Planner::shortages() const { return state_->statuses.shortages(); }

void Planner::on_round_closed() { state_->statuses.on_round_closed(); }

std::vector<TaskIndex> Planner::take_unplaced(std::size_t most) {
    return state_->statuses.take_unplaced(most);
}

bool Planner::has_unplaced_due() const { return state_->statuses.has_unplaced_due(); }

Effort Planner::effort() const {
    return {.balances = state_->moves.balances(), .move_checks = state_->move_queue.checks()};
}

std::vector<InstanceView> Planner::instances_of(TaskIndex task) const {
    Reading reading;
    read(state_->workload, state_->placements, task, reading);
    std::vector<InstanceView> views;
    views.reserve(reading.slots.size());
    std::uint32_t at = 0;
    const auto show_until = [&](Ordinal ordinal) {
        for (; at < reading.copies.size() && reading.copies[at].ordinal <= ordinal; ++at) {
            views.push_back(state_->view_of_copy(task, reading.copies[at]));
        }
    };
    for (Ordinal ordinal = 0; ordinal < reading.slots.size(); ++ordinal) {
        if (reading.slots[ordinal].last == 0 && reading.slots[ordinal].is_wanted) {
            views.push_back(state_->view_of_missing(task, ordinal));
        }
        show_until(ordinal);
    }
    show_until(~Ordinal{0});
    return views;
}

std::optional<InstanceView> Planner::first_in(TaskIndex task, InstanceState state) const {
    Reading reading;
    read(state_->workload, state_->placements, task, reading);
    for (const Slot& slot : reading.slots) {
        const Copy* const kept = slot.kept;
        if (kept != nullptr && kept->reported && kept->state == state &&
            (state != InstanceState::exited || kept->faulty)) {
            return view_of(state_->workload, state_->placements, task, *kept);
        }
    }
    return std::nullopt;
}

namespace {

/// What keeps this copy on its node if the last pass found no blocker.
Obstacle why_still_there(const Copy& copy, const Copy* kept, const Task& task) {
    const bool is_wanted = task.wanted && copy.ordinal < task.ordinals();
    if (is_leaving(copy) || !is_wanted || kept == nullptr) {
        return Obstacle::stopping;
    }
    if (task.is_everywhere() && task.bound[copy.ordinal] == copy.node) {
        return Obstacle::every_node;
    }
    if (kept == &copy) {
        return Obstacle::planned;
    }
    if (has_come_up(*kept, task.generation)) {
        const bool waits = copy.generation < kept->generation && !is_healthy(*kept, task);
        return waits ? Obstacle::min_healthy : Obstacle::stopping;
    }
    const bool has_ended = kept->reported && (kept->state == InstanceState::backoff ||
                                              kept->state == InstanceState::failed);
    return has_ended ? Obstacle::target_down : Obstacle::starting;
}

}  // namespace

std::vector<Blocker> Planner::blocked_on(NodeIndex node) const {
    const Placements& placements = state_->placements;
    std::vector<Blocker> blockers;
    if (!placements.nodes().evacuation(node)) {
        return blockers;
    }
    for (const auto [index, ordinal] : placements.all_on(node)) {
        const auto copies = copies_of(placements.copies().of(index), ordinal);
        const auto copy = std::ranges::find(copies, node, &Copy::node);
        if (copy == copies.end() || !may_run(*copy)) {
            continue;
        }
        const Task& task = state_->workload[index];
        Obstacle code = blocker_of(index, ordinal);
        if (placements.copies().is_foreign(*copy)) {
            code = Obstacle::stray;
        } else if (code == Obstacle::none) {
            code = why_still_there(*copy, find_kept(state_->workload, placements, index, ordinal),
                                   task);
        }
        blockers.push_back({{task.name, ordinal}, code});
    }
    return blockers;
}

Obstacle Planner::blocker_of(TaskIndex task, Ordinal ordinal) const {
    const auto found = state_->notes.blocked.find({task, ordinal});
    return found == state_->notes.blocked.end() ? Obstacle::none : found->second;
}

std::vector<InstanceLocation> Planner::locations(TaskIndex task) const {
    Reading reading;
    read(state_->workload, state_->placements, task, reading);
    std::vector<InstanceLocation> all(reading.slots.size());
    for (Ordinal ordinal = 0; ordinal < all.size(); ++ordinal) {
        if (const Copy* const kept = reading.slots[ordinal].kept; kept != nullptr) {
            all[ordinal].at = kept->node;
            all[ordinal].runs = kept->reported && kept->state == InstanceState::running;
        }
        // A home may be a lost node, and may outlive the record of the node.
        if (const NodeIndex home = state_->places.home(task, ordinal);
            home != Homes::none && state_->placements.nodes().is_known(home)) {
            all[ordinal].home = home;
        }
        all[ordinal].is_to_move = state_->places.is_to_move(task, ordinal);
        all[ordinal].rests_until = state_->move_queue.rests_until(task, ordinal);
    }
    return all;
}

InstanceView Planner::instance(TaskIndex task, Ordinal ordinal) const {
    const Copy* const kept = find_kept(state_->workload, state_->placements, task, ordinal);
    return kept != nullptr ? state_->view_of_copy(task, *kept)
                           : state_->view_of_missing(task, ordinal);
}

Obstacle Planner::why_missing(TaskIndex task, Ordinal ordinal) const {
    return state_->why_missing(task, ordinal);
}

bool Planner::is_given_up(TaskIndex task, Ordinal ordinal) const {
    const FailureRecord* const failed = state_->failures.find({task, ordinal});
    return failed != nullptr && failed->is_given_up();
}

std::uint32_t Planner::load(NodeIndex node) const { return state_->places.loads().of(node); }

const Groups& Planner::groups() const { return state_->places.groups(); }

Use Planner::used(NodeIndex node) const { return state_->places.ledger().used(node); }
bool Planner::is_consistent() const { return state_->places.ledger().is_consistent(); }

}  // namespace muster::coordinator
