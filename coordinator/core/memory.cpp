#include "coordinator/core/memory.hpp"

#include <utility>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

Memory::Memory(Instant now, CoordinatorOptions given, const StoreImage& image)
    : options{std::move(given)},
      events{image.meta.epoch},
      nodes{image.nodes},
      copies{now, options, image, nodes},
      ledger{options, image, copies.workload},
      access{options, ledger.keys()},
      enrolments{options, ledger},
      renewals{nodes, ledger},
      room{nodes, ledger},
      suspension{options, nodes},
      liveness{now, options, image.meta.counter, nodes, copies.placements, room},
      freeze{nodes, liveness, ledger.freeze()},
      membership{options,
                 {nodes, copies, ledger, access, renewals, room, suspension, liveness, freeze}},
      planning{now, options, image, nodes, copies, ledger},
      predictors{options, demand, forecasts},
      scaling{now, options, {nodes, copies, ledger, liveness, freeze, demand, predictors}} {
    ensure(options.loss.silent_after >= 2, "one missed answer is no silence");
    ensure(options.loss.after > options.loss.silent_after, "a node is silent before it is lost");
}

Facts Memory::facts(Instant now) const {
    return {.now = now,
            .clock = clock,
            .options = options,
            .nodes = nodes,
            .copies = copies,
            .ledger = ledger,
            .suspension = suspension,
            .liveness = liveness,
            .freeze = freeze,
            .membership = membership,
            .planning = planning,
            .events = events,
            .demand = demand,
            .forecasts = forecasts,
            .predictors = predictors,
            .scaling = scaling};
}

}  // namespace muster::coordinator
