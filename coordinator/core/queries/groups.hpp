#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// The groups that tasks name, and the nodes that are warm for them.
[[nodiscard]] Result<ReplyBody> list_groups(const Facts& facts, const std::string& pattern);
[[nodiscard]] Result<ReplyBody> show_group(const Facts& facts, const std::string& name);

}  // namespace muster::coordinator
