#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

[[nodiscard]] Result<ReplyBody> show_task(const Facts& facts, const std::string& name);

}  // namespace muster::coordinator
