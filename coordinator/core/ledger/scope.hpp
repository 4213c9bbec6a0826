#pragma once

#include <string_view>

#include "common/base/result.hpp"
#include "coordinator/core/ledger/change.hpp"
#include "coordinator/core/ledger/task_table.hpp"
#include "coordinator/core/rows.hpp"

/// What the holder of a key may change: all, or the tasks and nodes of some pools and patterns.
namespace muster::coordinator {

/// True if some pools or tasks are named: then the holder may change nothing else.
[[nodiscard]] inline bool is_limited(const StoredKey& key) {
    return !key.pools.empty() || !key.tasks.empty();
}
/// A task of this name in this pool.
[[nodiscard]] bool may_change_task(const StoredKey& key, std::string_view name,
                                   std::string_view pool);
/// A node of this pool.
[[nodiscard]] bool may_change_node(const StoredKey& key, std::string_view pool);
/// `denied` if the change has a task, before or after it, that the holder may not change, or a new
/// spec with a secret whose name matches no pattern of the holder.
[[nodiscard]] Result<void> check_tasks(const StoredKey& key, const Change& change,
                                       const TaskTable& tasks);
/// The error for what the holder may not change.
[[nodiscard]] tl::unexpected<Error> out_of_scope(const StoredKey& key, std::string_view kind,
                                                 std::string_view name);

}  // namespace muster::coordinator
