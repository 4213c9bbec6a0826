#include "coordinator/core/planning/tasks/steps.hpp"

namespace muster::coordinator {

bool plan_task(PlannerState& state, TaskIndex index, const Scope& scope, PassOrders& pass) {
    Scratch& scratch = state.scratch;
    read(state.workload, state.placements, index, scratch.reading);
    if (scope.held_back) {
        state.due.wait_for_recovery(index);
    }
    erase_task(state.notes.blocked, index);
    const TaskAtHand at{index, scope, state};
    TargetSearch search{at, state};
    TaskOrders orders{at, state, search, pass};
    Shortfall shortfall{at, search};
    TaskStep step{at, orders, search, shortfall, state.failures};
    if (!at.task.wanted) {
        state.failures.forget(index);
        stop_unwanted(at, orders);
        orders.sort_by_name();
    } else if (at.task.is_everywhere()) {
        state.failures.on_read(scope.now, index, at.task, at.reading);
        step.hold = hold_of(at, state.failures);
        stop_unbound(at, orders);
        orders.sort_by_name();
        start_on_every_node(step);
        roll_out(step, scratch.kept_nodes);
        if (!at.has_all_rights()) {
            shortfall.add_unknown();
        }
    } else {
        state.failures.on_read(scope.now, index, at.task, at.reading);
        step.hold = hold_of(at, state.failures);
        stop_surplus(at, orders);
        stop_duplicates(at, orders);
        orders.sort_by_name();
        place_missing(step, state.notes.on_lost_nodes);
        evacuate(step, state.notes.blocked);
        retry_failed(step);
        roll_out(step, scratch.kept_nodes);
        if (state.places.is_any_to_move(index)) {
            state.moves.revoke_crowded(index, scratch.at_home);
        }
    }
    state.record(index, shortfall.all());
    return !orders.empty();
}

}  // namespace muster::coordinator
