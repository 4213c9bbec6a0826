#pragma once

#include <algorithm>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

/// Scenes for the tests of explanations.
namespace muster::coordinator::testing {

inline ExplainReply explain(CoordinatorHarness& bench, Subject subject, const std::string& name) {
    return bench.read<ExplainReply>(ExplainRequest{subject, name});
}

inline ExplainReply explain_instance(CoordinatorHarness& bench, const std::string& instance) {
    return explain(bench, Subject::instance, instance);
}

inline const VerdictView& verdict_on(const ExplainReply& reply, const std::string& node) {
    const auto found = std::ranges::find(reply.verdicts, node, &VerdictView::node);
    REQUIRE(found != reply.verdicts.end());
    return *found;
}

/// Applies the task and waits until it is placed.
inline void place(CoordinatorHarness& bench, const WantedTask& task) {
    REQUIRE(bench.ask(ApplyRequest{.tasks = {task}, .force = true}, bench.fresh_id())->result);
    bench.pass(3s);
}

}  // namespace muster::coordinator::testing
