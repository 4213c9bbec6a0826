#pragma once

#include <string>

#include "cli/table.hpp"
#include "common/operator.hpp"
#include "common/time.hpp"

namespace muster::cli {

[[nodiscard]] std::string render_stats(const StatsReply& stats, const Style& style);
[[nodiscard]] std::string render_reported(const ReportedReply& reported, CivilMs now,
                                          const Style& style);

}  // namespace muster::cli
