#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coordinator/core/rows.hpp"

/// Rows that no program of ours ever wrote: such a row shows that the file is damaged. Each
/// function returns the fault, or nothing.
namespace muster::coordinator::rows {

[[nodiscard]] std::optional<std::string> fault_of(const Meta& row);
/// `counter` is the store's counter.
[[nodiscard]] std::optional<std::string> fault_of(const StoredTask& row, Generation counter);
[[nodiscard]] std::optional<std::string> fault_of(const StoredNode& row);
[[nodiscard]] std::optional<std::string> fault_of(const StoredIntent& row);
[[nodiscard]] std::optional<std::string> fault_of(const StoredSetting& row);
[[nodiscard]] std::optional<std::string> fault_of(const StoredFreeze& row);

/// The fault of each impossible row, with its table and key.
[[nodiscard]] std::vector<std::string> find_faults(const StoreImage& image);

}  // namespace muster::coordinator::rows
