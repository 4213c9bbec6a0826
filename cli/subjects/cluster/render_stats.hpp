#pragma once

#include <string>

#include "cli/screen/table.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator.hpp"

namespace muster::cli {

[[nodiscard]] std::string render_stats(const StatsReply& stats, const Style& style);
[[nodiscard]] std::string render_reported(const ReportedReply& reported, CivilMs now,
                                          const Style& style);

}  // namespace muster::cli
