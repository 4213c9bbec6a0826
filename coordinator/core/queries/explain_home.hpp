#pragma once

#include <vector>

#include "common/messages/operator/explain.hpp"
#include "coordinator/core/planning/pass/types.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// What decided the home of an instance, in a code and in words. `all`: the verdicts without the
/// instance.
void explain_home(const Facts& facts, TaskIndex task, Ordinal ordinal, const InstanceLocation& of,
                  const std::vector<NodeVerdict>& all, ExplainReply& reply);

}  // namespace muster::coordinator
