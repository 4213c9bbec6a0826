#pragma once

#include <optional>
#include <string>

#include "common/messages/operator.hpp"
#include "coordinator/http/text.hpp"

/// The pages that HTTP serves.
namespace muster::coordinator {

/// `/healthz`: 200 while the process answers; 503 once leadership is over.
[[nodiscard]] HttpAnswer health_page(const std::optional<std::string>& resigned);

/// `/readyz`: 200 while it leads and its recovery is over; 503 with the reason before and after.
[[nodiscard]] HttpAnswer readiness_page(const Result<ReplyBody>& status);

/// `/metrics`: every number, in the text form of Prometheus.
[[nodiscard]] HttpAnswer metrics_page(const Result<ReplyBody>& stats);

[[nodiscard]] HttpAnswer no_such_page();

}  // namespace muster::coordinator
