#pragma once

#include <algorithm>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

/// Scenes for the tests of explanations.
namespace muster::coordinator::testing {

inline ExplainReply explain(CoordinatorHarness& harness, Subject subject, const std::string& name) {
    return harness.read<ExplainReply>(ExplainRequest{subject, name});
}

inline ExplainReply explain_instance(CoordinatorHarness& harness, const std::string& instance) {
    return explain(harness, Subject::instance, instance);
}

inline const VerdictView& verdict_on(const ExplainReply& reply, const std::string& node) {
    const auto found = std::ranges::find(reply.verdicts, node, &VerdictView::node);
    REQUIRE(found != reply.verdicts.end());
    return *found;
}

/// Applies the task and waits until it is placed.
inline void place(CoordinatorHarness& harness, const WantedTask& task) {
    REQUIRE(harness.ask(ApplyRequest{.tasks = {task}, .force = true}, harness.fresh_id())->result);
    harness.pass(3s);
}

}  // namespace muster::coordinator::testing
