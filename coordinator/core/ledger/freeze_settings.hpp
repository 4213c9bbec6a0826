#pragma once

#include <span>
#include <vector>

#include "coordinator/core/rows.hpp"

/// How the freeze of an operator is kept among the settings of a store.
namespace muster::coordinator {

/// None, or the one.
[[nodiscard]] std::vector<StoredFreeze> freezes_in(std::span<const StoredSetting> settings);
[[nodiscard]] std::vector<StoredSetting> settings_of(const StoredFreeze& freeze);

}  // namespace muster::coordinator
