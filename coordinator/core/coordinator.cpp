#include "coordinator/core/coordinator.hpp"

#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"
#include "coordinator/core/state/state.hpp"

namespace muster::coordinator {

Coordinator::Coordinator(Instant now, CoordinatorOptions options, const StoreImage& image)
    : state_{std::make_unique<State>(now, std::move(options), image)} {}

Coordinator::~Coordinator() = default;

Output Coordinator::step(Instant now, const Input& input) {
    State& state = *state_;
    Output output;
    if (state.is_over) {
        State::turn_away(input, output);
        return output;
    }
    state.note_own_pause(now);
    std::visit([&](const auto& event) { state.apply(now, event, output); }, input);
    if (state.is_over) {
        return output;
    }
    state.end_recovery(now);
    const auto closed = state.terms.close_if_due(now, std::holds_alternative<Wake>(input),
                                                 state.nodes, state.own.is_ill(now));
    if (closed) {
        state.close_term(now, *closed, output);
    }
    state.bring_up_to_date(output);
    Plan plan;
    if (const auto scope = state.planning_due(now)) {
        plan = state.planner.plan(*scope);
        state.order(now, plan, output);
    }
    if (closed) {
        state.announce(now, *closed, state.moves_this_term);
    }
    state.terms.open_if_due(now, state.nodes, state.meta.epoch, output.polls);
    state.grant_leases(now, output);
    state.counters.polls += output.polls.size();
    state.own.store_owes(now, state.pending.oldest());
    output.closed_term = closed.has_value();
    state.answer_waits(now, output);
    state.errands.settle(now, output.replies);
    output.events = state.events.take_new();
    return output;
}

Instant Coordinator::next_deadline() const {
    const State& state = *state_;
    Instant first = state.terms.next_deadline();
    for (const auto deadline : {state.contests.next_deadline(), state.deadlines.next(),
                                state.waits.next_deadline(), state.errands.next_deadline()}) {
        first = std::min(first, deadline.value_or(first));
    }
    return first;
}

namespace {

Workload workload_of(const StoreImage& image) {
    Workload workload{image.meta.counter};
    for (const StoredTask& task : image.tasks) {
        workload.put(task);
    }
    return workload;
}

}  // namespace

State::State(Instant now, CoordinatorOptions given, const StoreImage& image)
    : options{std::move(given)},
      meta{image.meta},
      nodes{image.nodes},
      workload{workload_of(image)},
      placements{workload},
      leases{now, options.lease, raw(image.meta.epoch) > 1},
      planner{workload, placements, image.meta.counter},
      commands{nodes, workload, placements},
      terms{now, options.term},
      own{options.term},
      losses{options.loss_rate_percent, options.loss_burst},
      recovery{now, options.recovery_grace, image.meta.counter, nodes},
      proposed{workload},
      intents{image.intents},
      settings{image.settings},
      requests{image.meta.request_horizon, image.requests},
      pending{image.meta},
      events{image.meta.epoch} {
    ensure(options.lost_after >= 2, "one missed answer is never a loss");
    for (const NodeIndex index : nodes.by_name()) {
        placements.add_node(index, nodes[index].name);
        load_intent(now, index);
        // Before this leadership they served, as far as the store knows.
        const Node& node = nodes[index];
        freeze.add(index, terms.current(), !node.lost && !node.gone && !node.ahead);
    }
    restore_freeze();
    for (const auto& [name, row] : intents.rows()) {
        if (row->admission == Admission::listed && !nodes.find(name)) {  // It never came.
            const NodeIndex index = add_record(name);
            enter(nodes[index], NodeChange::expected, {});
            load_intent(now, index);
        }
        adopt(now, *row, false);
    }
    for (const NodeIndex index : nodes.by_name()) {
        expect_return(now, index);
    }
    has_filled = is_full();
}

}  // namespace muster::coordinator
