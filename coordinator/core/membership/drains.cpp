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

void Drains::complete(StepContext& step, const Fleet& fleet) {
    IntentsWritten written{.rows = {}, .removed = {}, .drained = true, .changes = {}};
    for (const NodeIndex index : draining_) {
        const StoredIntent row = ledger_.intents().proposed(nodes_[index].name);
        if (row.intent != Intent::draining || !is_drained(index, fleet)) {
            continue;
        }
        StoredIntent after = row.remove ? removed_row(row, fleet.listed_only) : row;
        if (row.remove) {
            written.removed.push_back(row.name);
            written.why = {.reason = row.reason, .author = row.author};
        } else {
            after.intent = Intent::offline;
            after.since = fleet.now;
            after.deadline = CivilMs{};
            after.force = false;
        }
        written.rows.emplace_back(std::move(after));
    }
    if (!written.rows.empty()) {
        std::ranges::sort(written.removed);
        ledger_.put_intents(std::move(written), step.output);
    }
}

}  // namespace muster::coordinator
