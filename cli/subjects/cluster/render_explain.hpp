#pragma once

#include <string>

#include "cli/screen/table.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator.hpp"

/// Why something is so, and what would be if.
namespace muster::cli {

[[nodiscard]] std::string render_explanation(const ExplainReply& reply, CivilMs now,
                                             const Style& style);
[[nodiscard]] std::string render_plan(const PlanReply& reply, const Style& style);
/// Something would move, fall short or be down.
[[nodiscard]] bool changes_anything(const PlanReply& reply);

}  // namespace muster::cli
