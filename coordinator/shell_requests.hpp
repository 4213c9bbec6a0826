#pragma once

#include <optional>

#include "common/base/result.hpp"
#include "common/messages/operator.hpp"

namespace muster::coordinator {

/// The answer to a request that is about this process, not about the cluster: help and the level of
/// the log. Nothing: the core answers it.
[[nodiscard]] std::optional<Result<ReplyBody>> answer_in_shell(const RequestBody& request);

}  // namespace muster::coordinator
