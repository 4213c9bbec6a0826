#pragma once

#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/queries/facts.hpp"

/// The requests that change nothing, each answered at once from the facts.
namespace muster::coordinator {

/// The request is one of these: whoever asks the same at the same time may get the same answer.
[[nodiscard]] bool is_query(const CoreRequestBody& request);

[[nodiscard]] Result<ReplyBody> answer(const Facts& facts, const PingRequest& request);
[[nodiscard]] Result<ReplyBody> answer(const Facts& facts, const StatusRequest& request);
[[nodiscard]] Result<ReplyBody> answer(const Facts& facts, const StatsRequest& request);
[[nodiscard]] Result<ReplyBody> answer(const Facts& facts, const ReportedRequest& request);
[[nodiscard]] Result<ReplyBody> answer(const Facts& facts, const NodeListRequest& request);
[[nodiscard]] Result<ReplyBody> answer(const Facts& facts, const NodeShowRequest& request);
[[nodiscard]] Result<ReplyBody> answer(const Facts& facts, const TaskListRequest& request);
[[nodiscard]] Result<ReplyBody> answer(const Facts& facts, const TaskShowRequest& request);
[[nodiscard]] Result<ReplyBody> answer(const Facts& facts, const GroupListRequest& request);
[[nodiscard]] Result<ReplyBody> answer(const Facts& facts, const GroupShowRequest& request);
[[nodiscard]] Result<ReplyBody> answer(const Facts& facts, const EventsRequest& request);
[[nodiscard]] Result<ReplyBody> answer(const Facts& facts, const ExplainRequest& request);
[[nodiscard]] Result<ReplyBody> answer(const Facts& facts, const PlanRequest& request);

}  // namespace muster::coordinator
