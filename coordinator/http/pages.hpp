#pragma once

#include <optional>
#include <string>

#include "common/messages/operator.hpp"
#include "coordinator/http/text.hpp"

/// What is answered by HTTP.
namespace muster::coordinator {

/// `/healthz`: who can answer lives. 503 once leadership is over.
[[nodiscard]] HttpAnswer health_page(const std::optional<std::string>& resigned);

/// `/readyz`: 200 while it leads and has heard what runs; 503 with the reason before and after.
[[nodiscard]] HttpAnswer readiness_page(const Result<ReplyBody>& status);

/// `/metrics`: every number, in the text form of Prometheus.
[[nodiscard]] HttpAnswer metrics_page(const Result<ReplyBody>& stats);

[[nodiscard]] HttpAnswer no_such_page();

}  // namespace muster::coordinator
