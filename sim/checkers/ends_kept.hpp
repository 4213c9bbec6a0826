#pragma once

#include <algorithm>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// S26: if the store has the successful end of an instance, it does not start again in that
/// generation. With every_node no ends are stored, and those from before do not count.
class EndsKept : public Checker {
public:
    void on(Instant, const BatchIssued& issued) {
        for (const Start& start : issued.batch.starts) {
            const coordinator::StoredTask* const task = task_of(issued.store, start.id.task);
            if (task != nullptr && task->wanted.place.every_node) {
                continue;
            }
            const auto& rows = issued.store.ends;
            const auto row =
                std::ranges::lower_bound(rows, start.id.task, {}, &coordinator::StoredEnds::name);
            const bool is_over = row != rows.end() && row->name == start.id.task &&
                                 row->generation == start.generation &&
                                 row->ordinals.contains(start.id.ordinal);
            if (is_over) {
                violated("S26", "{} is started again, though it ended well in generation {}",
                         to_string(start.id), raw(start.generation));
            }
        }
    }
};

}  // namespace muster::sim
