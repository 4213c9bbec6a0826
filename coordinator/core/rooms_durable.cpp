#include <utility>

#include "common/base/ensure.hpp"
#include "coordinator/core/rooms.hpp"

/// What follows from a write once it is durable, and not before.
namespace muster::coordinator {

namespace {

std::string topic_of(const TaskChange& change) {
    if (change.action == "add") {
        return "task.added";
    }
    if (change.action == "remove") {
        return "task.removed";
    }
    if (change.action == "scale") {
        return "task.scaled";
    }
    return change.action == "restart" ? "task.restarted" : "task.changed";
}

std::string describe(const TaskChange& change) {
    const auto before = std::to_string(change.instances_before);
    const auto after = std::to_string(change.instances_after);
    std::string sentence = change.every_node && change.instances_after > 0
                               ? "one instance on every node"
                               : "instances " + (before == after ? after : before + " -> " + after);
    for (const std::string& field : change.fields) {
        sentence += (&field == &change.fields.front() ? "; differs in " : ", ") + field;
    }
    return sentence;
}

}  // namespace

void Rooms::on(StepContext& step, const Persisted& input, Effects& effects) {
    while (auto write = in_.ledger.take_durable(input.number)) {
        effects.wake_waits = true;
        in_.copies.workload.raise_counter(in_.ledger.meta().counter);
        std::visit([&](const auto& effect) { on_durable(step, effect, effects); }, write->effect);
        in_.ledger.acknowledge(*write, step.output);
    }
    in_.ledger.forget_confirmed();
}

void Rooms::on(StepContext& step, const StoreFailed& input, Effects& /*effects*/) {
    const Error error{Errc::store_failed,
                      "the store failed, and nothing was changed: " + input.detail};
    in_.ledger.fail_all(error, step.output);
    operators_.fail_all(error, step.output);
    step.output.resign = "the store failed: " + input.detail;
    is_over_ = true;
}

void Rooms::on_durable(StepContext& /*step*/, const std::monostate& /*nothing*/,
                       Effects& /*effects*/) {}

void Rooms::on_durable(StepContext& step, const TasksWritten& written, Effects& effects) {
    for (const StoredTask& task : written.put) {
        in_.copies.workload.put(task);
        in_.planning.watch(task.wanted.name);
    }
    for (const std::string& name : written.erased) {
        const auto task = in_.copies.workload.find(name);
        ensure(task.has_value(), "a task is removed once");
        in_.copies.workload.unwant(*task);
    }
    for (const TaskChange& change : written.changes.changes) {
        if (change.action != "unchanged") {
            step.emit(topic_of(change), change.task, describe(change));
        }
    }
    effects.plan_at_least(PlanReason::touched);
}

void Rooms::on_durable(StepContext& step, const NodesWritten& written, Effects& effects) {
    in_.membership.on_durable(step, written, effects);
}

void Rooms::on_durable(StepContext& step, const IntentsWritten& written, Effects& effects) {
    in_.membership.on_durable(step, written, effects);
}

void Rooms::on_durable(StepContext& step, const SettingsWritten& written, Effects& effects) {
    for (const StoredSetting& row : written.rows) {
        in_.ledger.apply(row);
        step.emit("setting.changed", row.name, row.value);
    }
    effects.plan_at_least(PlanReason::all);  // More may be allowed now.
}

void Rooms::on_durable(StepContext& step, const FreezeSet& written, Effects& effects) {
    for (const StoredSetting& row : written.rows) {
        in_.ledger.apply(row);
    }
    in_.freeze.on_durable(step, written, effects);
}

void Rooms::on_durable(StepContext& step, const StoreAccepted& accepted, Effects& /*effects*/) {
    const Meta& meta = in_.ledger.meta();
    // Coordinators whose place this one takes may have granted leases until now.
    in_.copies.leases.expect_earlier(step.now);
    in_.events.set_epoch(meta.epoch);
    step.emit("store.accepted", "",
              "cluster " + to_string(meta.cluster) + ", epoch " + std::to_string(raw(meta.epoch)) +
                  ", change " + std::to_string(raw(meta.counter)));
    for (const StoredTask& task : accepted.tasks) {
        in_.copies.workload.put(task);
        in_.planning.watch(task.wanted.name);
    }
    in_.membership.on_store_accepted(step, accepted.nodes);
    in_.liveness.rounds().cut_short(step.now);
}

}  // namespace muster::coordinator
