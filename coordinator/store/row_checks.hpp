#pragma once

#include <optional>
#include <string>

#include "coordinator/core/rows.hpp"

/// What no program of ours ever wrote: such a row shows that the file is damaged. Each gives what
/// is wrong, or nothing.
namespace muster::coordinator::rows {

[[nodiscard]] std::optional<std::string> fault_of(const Meta& row);
/// `counter` is that of the store.
[[nodiscard]] std::optional<std::string> fault_of(const StoredTask& row, Generation counter);
[[nodiscard]] std::optional<std::string> fault_of(const StoredNode& row);
[[nodiscard]] std::optional<std::string> fault_of(const StoredIntent& row);
[[nodiscard]] std::optional<std::string> fault_of(const StoredSetting& row);
[[nodiscard]] std::optional<std::string> fault_of(const StoredFreeze& row);

/// The first row of the image that cannot be, by its table and its key.
[[nodiscard]] std::optional<std::string> find_fault(const StoreImage& image);

}  // namespace muster::coordinator::rows
