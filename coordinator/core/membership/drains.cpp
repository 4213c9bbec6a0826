#include "coordinator/core/membership/drains.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace muster::coordinator {

void Drains::watch(const StepContext& step, NodeIndex index, const StoredIntent& row) {
    nodes_.deadlines().end(index, DueKind::drain);
    if (row.intent != Intent::draining) {
        draining_.erase(index);
        return;
    }
    draining_.insert(index);
    const auto civil = step.clock.known_at(step.now);
    if (row.deadline != CivilMs{} && civil) {
        const auto left = std::max<std::int64_t>(0, raw(row.deadline) - raw(*civil));
        nodes_.deadlines().set(index, DueKind::drain, step.now + std::chrono::milliseconds{left});
    }
}

void Drains::watch_all(const StepContext& step) {
    for (const NodeIndex index : draining_) {
        watch(step, index, ledger_.intents().durable(nodes_[index].name));
    }
}

void Drains::complete(StepContext& step, const FleetView& fleet) {
    Change change{.origin = ChangeOrigin::drains};
    auto& removed = change.of<StoredNode>().erased;
    for (const NodeIndex index : draining_) {
        const StoredIntent row = ledger_.intents().proposed(nodes_[index].name);
        if (row.intent != Intent::draining || !is_drained(index, fleet)) {
            continue;
        }
        StoredIntent after = row.remove ? removed_row(row, fleet.listed_only) : row;
        if (row.remove) {
            removed.push_back(row.name);
            change.why = {.reason = row.reason, .author = row.author};
        } else {
            after.intent = Intent::offline;
            after.since = fleet.now;
            after.deadline = CivilMs{};
            after.force = false;
        }
        change.of<StoredIntent>().put.emplace_back(std::move(after));
    }
    if (!change.empty()) {
        std::ranges::sort(removed);
        ledger_.submit(std::move(change), step.output);
    }
}

}  // namespace muster::coordinator
