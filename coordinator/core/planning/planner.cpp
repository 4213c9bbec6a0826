#include "coordinator/core/planning/planner.hpp"

#include <algorithm>
#include <utility>

#include "coordinator/core/planning/balance/balance.hpp"
#include "coordinator/core/planning/pass/planner_state.hpp"
#include "coordinator/core/planning/tasks/task_round.hpp"
#include "coordinator/core/workload/views.hpp"

namespace muster::coordinator {

std::string_view to_string(TaskPhase phase) {
    switch (phase) {
        case TaskPhase::converged: return "converged";
        case TaskPhase::rolling: return "rolling";
        case TaskPhase::backoff: return "backoff";
        case TaskPhase::recovering: return "recovering";
        case TaskPhase::placing: return "placing";
        case TaskPhase::unplaced: return "unplaced";
        case TaskPhase::failed: return "failed";
        case TaskPhase::stopping: return "stopping";
    }
    return "unknown";
}

Planner::Planner(Workload& workload, Placements& placements, std::optional<Generation> held_back)
    : state_{std::make_unique<PlannerState>(workload, placements)} {
    state_->held_back = held_back;
}

Planner::~Planner() = default;

Plan Planner::plan(const Scope& scope) {
    PlannerState& state = *state_;
    state.starts_left = scope.starts;
    std::vector<TaskIndex> due = state.take_due(scope);
    Plan plan{.orders = {}, .is_cut = !state.dirty.empty()};
    for (const TaskIndex task : due) {
        if (state.workload[task].is_everywhere()) {
            state.bind_every_node(task, scope);
        }
        state.refresh_homes(task);
    }
    state.add_short_of_room(due);
    for (const TaskIndex task : due) {
        TaskRound{state, task, scope, plan.orders}.plan();
    }
    if (!plan.is_cut) {
        state.stale.clear();  // All of them were due.
        state.held_back.reset();
    }
    if (!plan.is_cut && scope.balance && !scope.held_back && !scope.frozen) {
        const bool is_asked = scope.rebalance_now && scope.rebalance != Rebalance::off;
        if (is_asked || state.is_balance_due()) {
            Balance{state, plan.orders}.run(is_asked || scope.rebalance == Rebalance::automatic);
            state.balance_sought();  // Also if some loads could not be made even.
        }
        Scope paced = scope;
        paced.moves = std::min(scope.moves, state.starts_left.value_or(scope.moves));
        state.carry_out_moves(paced, plan.orders);
    }
    for (const TaskIndex task : due) {
        state.finish(task);
    }
    return plan;
}

void Planner::refused(Instant now, TaskIndex task, Ordinal ordinal, NodeIndex node,
                      std::string why) {
    const Task& wanted = state_->workload[task];
    if (wanted.wanted && ordinal < wanted.instances) {
        state_->troubles.refused(now, {task, ordinal}, wanted.generation, node, std::move(why));
    }
}

void Planner::vanished(Instant now, TaskIndex task, Ordinal ordinal, NodeIndex node,
                       std::string why) {
    const Task& wanted = state_->workload[task];
    if (wanted.wanted && ordinal < wanted.instances) {
        state_->troubles.vanished(now, {task, ordinal}, wanted.generation, node, std::move(why));
    }
}

void Planner::excuse(NodeIndex node) { state_->troubles.excuse(node); }

void Planner::learn_troubles(const Planner& other) { state_->troubles = other.state_->troubles; }

TaskStatus Planner::status(TaskIndex task) const {
    Reading reading;
    read(state_->workload, state_->placements, task, reading);
    return summarise(state_->workload, state_->placements, task, reading,
                     state_->shortages_of(task));
}

void Planner::refresh_totals() {
    state_->absorb();
    state_->record_stale();
}

Totals Planner::totals() const {
    Totals totals = state_->totals;
    totals.moves += state_->moves.size();
    return totals;
}

std::vector<TaskIndex> Planner::take_unplaced() {
    return state_->take(state_->unplaced, &PlannerState::PerTask::unplaced);
}

Effort Planner::effort() const { return state_->effort; }

std::vector<InstanceView> Planner::instances_of(TaskIndex task) const {
    Reading reading;
    read(state_->workload, state_->placements, task, reading);
    std::vector<InstanceView> views;
    views.reserve(reading.slots.size());
    std::uint32_t at = 0;
    const auto show_until = [&](Ordinal ordinal) {
        for (; at < reading.copies.size() && reading.copies[at].ordinal <= ordinal; ++at) {
            views.push_back(
                view_of(state_->workload, state_->placements, task, reading.copies[at]));
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
        const Copy* const stay = slot.stay;
        if (stay != nullptr && stay->reported && stay->state == state &&
            (state != InstanceState::exited || stay->faulty)) {
            return view_of(state_->workload, state_->placements, task, *stay);
        }
    }
    return std::nullopt;
}

namespace {

/// What keeps this copy of a wanted ordinal on its node, if the last round found no blocker.
std::string_view why_still_there(const Copy& copy, const Copy* stay, const Task& task) {
    const bool is_wanted = task.wanted && copy.ordinal < task.ordinals();
    if (is_leaving(copy) || !is_wanted || stay == nullptr) {
        return "stopping";
    }
    if (task.is_everywhere() && task.bound[copy.ordinal] == copy.node) {
        return "every_node";
    }
    if (stay == &copy) {
        return "planned";
    }
    if (has_come_up(*stay, task.generation)) {
        return "stopping";
    }
    const bool has_ended = stay->reported && (stay->state == InstanceState::backoff ||
                                              stay->state == InstanceState::failed);
    return has_ended ? "target_down" : "starting";
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
        const auto found = state_->blocked.find({index, ordinal});
        std::string_view code;
        if (placements.copies().is_foreign(*copy)) {
            code = "stray";
        } else if (found != state_->blocked.end()) {
            code = found->second;
        } else {
            code = why_still_there(*copy, find_stay(state_->workload, placements, index, ordinal),
                                   task);
        }
        blockers.push_back({{task.name, ordinal}, code});
    }
    return blockers;
}

std::string_view Planner::blocker_of(TaskIndex task, Ordinal ordinal) const {
    const auto found = state_->blocked.find({task, ordinal});
    return found == state_->blocked.end() ? std::string_view{} : found->second;
}

std::vector<Whereabouts> Planner::whereabouts(TaskIndex task) const {
    Reading reading;
    read(state_->workload, state_->placements, task, reading);
    std::vector<Whereabouts> all(reading.slots.size());
    for (Ordinal ordinal = 0; ordinal < all.size(); ++ordinal) {
        if (const Copy* const stay = reading.slots[ordinal].stay; stay != nullptr) {
            all[ordinal].at = stay->node;
            all[ordinal].runs = stay->reported && stay->state == InstanceState::running;
        }
        // A home outlives its node: where an instance was lost is remembered.
        if (const NodeIndex home = state_->homes.of(task, ordinal);
            home != Homes::none && state_->placements.nodes().is_known(home)) {
            all[ordinal].home = home;
        }
        all[ordinal].is_to_move = state_->is_to_move(task, ordinal);
        if (const auto rest = state_->resting.find({task, ordinal});
            rest != state_->resting.end()) {
            all[ordinal].rests_until = rest->second;
        }
    }
    return all;
}

InstanceView Planner::instance(TaskIndex task, Ordinal ordinal) const {
    const Copy* const stay = find_stay(state_->workload, state_->placements, task, ordinal);
    return stay != nullptr ? view_of(state_->workload, state_->placements, task, *stay)
                           : state_->view_of_missing(task, ordinal);
}

std::string_view Planner::why_missing(TaskIndex task, Ordinal ordinal) const {
    return state_->why_missing(task, ordinal);
}

bool Planner::is_given_up(TaskIndex task, Ordinal ordinal) const {
    const Trouble* const trouble = state_->troubles.find({task, ordinal});
    return trouble != nullptr && trouble->is_given_up();
}

std::uint32_t Planner::load(NodeIndex node) const { return state_->homes.loads().of(node); }

const Groups& Planner::groups() const { return state_->groups; }

Use Planner::used(NodeIndex node) const { return state_->reserved.used(node); }
bool Planner::adds_up() const { return state_->reserved.adds_up(); }

}  // namespace muster::coordinator
