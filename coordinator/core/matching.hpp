#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/ids.hpp"
#include "common/result.hpp"
#include "coordinator/core/workload.hpp"

namespace muster {

/// The names that a wish, a name or a pattern, means, in the given order. The error says what is
/// wrong with it.
[[nodiscard]] Result<std::vector<std::string>> names_matching(std::string_view wish,
                                                              std::vector<std::string> names);

/// The wanted tasks that it means, in the order of their names.
[[nodiscard]] Result<std::vector<std::string>> wanted_names_matching(std::string_view wish,
                                                                     const Workload& workload);

}  // namespace muster
