#pragma once

#include <vector>

#include "common/messages/operator/explain.hpp"
#include "coordinator/core/planning/pass/types.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// Explains the choice of an instance's node, with a code and a text. `all`: the verdicts without
/// the instance.
void explain_home(const Facts& facts, TaskIndex task, Ordinal ordinal, const InstanceLocation& of,
                  const std::vector<NodeVerdict>& all, ExplainReply& reply);

}  // namespace muster::coordinator
