#pragma once

#include <cstddef>
#include <string>

#include "cli/screen/table.hpp"
#include "common/messages/operator/errands.hpp"

namespace muster::cli {

/// What is used between two measurements, by node and by instance: who uses most comes first.
/// `rows`: of both tables, at most; 0: no limit.
[[nodiscard]] std::string render_usage(const UsageReply& before, const UsageReply& after,
                                       std::size_t rows, const Style& style);

/// What was used in all, of one measurement.
[[nodiscard]] std::string render_usage(const UsageReply& usage, const Style& style);

}  // namespace muster::cli
