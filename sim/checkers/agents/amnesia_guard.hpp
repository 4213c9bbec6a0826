#pragma once

#include <algorithm>

#include "sim/checkers/fleet/leaving.hpp"

namespace muster::sim {

/// S13: a stop needs a recorded intent in a store of the agent's own cluster, and that store must
/// not be older than what the agent saw. S25: another store gives no start either.
///
/// What another cluster ordered there is a stray if proofs are required: its stop is intended.
class AmnesiaGuard : public Checker {
public:
    explicit AmnesiaGuard(const Copies& copies) : copies_{copies} {}

    void on(Instant, const BatchIssued& issued) {
        check_store(issued);
        for (const Stop& stop : issued.batch.stops) {
            check_intent(issued, stop);
        }
    }

private:
    void check_store(const BatchIssued& issued) {
        if (copies_.is_byzantine(issued.host)) {
            return;  // A byzantine host may have reported anything about what it saw.
        }
        const agent::AgentMemory& target = issued.target;
        const char* property = issued.batch.stops.empty() ? "S25" : "S13";
        if (!target.cluster.is_none() && target.cluster != issued.batch.cluster) {
            violated(property, "the store of another cluster gave an order");
        }
        const bool is_rival =
            target.epoch == issued.batch.epoch && target.leader != issued.batch.leader;
        if (is_rival || target.epoch > issued.batch.epoch ||
            target.counter > issued.store.meta.counter) {
            violated(property,
                     "a store of epoch {} and counter {} gave an order to an agent that "
                     "saw {} and {}",
                     raw(issued.batch.epoch), raw(issued.store.meta.counter), raw(target.epoch),
                     raw(target.counter));
        }
    }

    /// It is not to run again, even if its agent has lost that its process is gone.
    [[nodiscard]] static bool has_ended_well(const coordinator::StoreImage& store,
                                             const InstanceId& id, Generation generation) {
        const auto row = std::ranges::find(store.ends, id.task, &coordinator::StoredEnds::name);
        return row != store.ends.end() && row->generation == generation &&
               row->ordinals.contains(id.ordinal);
    }

    void check_intent(const BatchIssued& issued, const Stop& stop) {
        if (stop.generation > issued.store.meta.counter) {
            violated("S13", "{} was stopped, which this store never ordered", to_string(stop.id));
            return;
        }
        const coordinator::StoredTask* const task = task_of(issued.store, stop.id.task);
        const bool wanted = task != nullptr && task->generation == stop.generation &&
                            stop.id.ordinal < task->wanted.instances &&
                            !has_ended_well(issued.store, stop.id, stop.generation);
        const bool is_stray =
            requires_proof(issued.store, stop.generation) &&
            copies_.is_of_another_cluster(stop.id, issued.host, issued.store.meta.cluster);
        // The state of a copy on a byzantine host is not known.
        if (wanted && !is_stray && !copies_.is_byzantine(issued.host) &&
            !may_stop_first(issued, copies_.name_of(issued.host), *task) &&
            copies_.elsewhere(stop.id, issued.host).empty() &&
            !copies_.has_failed(stop.id, issued.host)) {
            violated("S13", "{} was stopped, which is wanted and the only copy",
                     to_string(stop.id));
        }
    }

    const Copies& copies_;
};

}  // namespace muster::sim
