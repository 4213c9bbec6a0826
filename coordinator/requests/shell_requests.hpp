#pragma once

#include "common/base/result.hpp"
#include "common/messages/operator.hpp"

namespace muster::coordinator {

/// Answers requests about this process, not about the cluster.
[[nodiscard]] Result<ReplyBody> answer_in_shell(const ShellRequest& request);

}  // namespace muster::coordinator
