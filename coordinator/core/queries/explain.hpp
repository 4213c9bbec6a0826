#pragma once

#include "common/base/result.hpp"
#include "common/messages/operator/explain.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// Why an instance, a task or a node is as it is.
[[nodiscard]] Result<ExplainReply> explain(const Facts& facts, const ExplainRequest& request);

}  // namespace muster::coordinator
