#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/messages/operator/cluster.hpp"
#include "common/messages/operator/errands.hpp"
#include "common/messages/operator/explain.hpp"
#include "common/messages/operator/intents.hpp"
#include "common/messages/operator/nodes.hpp"
#include "common/messages/operator/tasks.hpp"

/// What operators (the CLI, probes by hand) ask of a coordinator, and its answers. Names may be
/// patterns: a glob (`web-*`) or a host range (`n[1-40,52]`). Each subject has a header of its own.
namespace muster {

/// The coordinator's process answers these by itself: they are about that process alone.
using ShellRequest = std::variant<HelpRequest, LogLevelRequest>;
/// These are about the cluster: its core answers them.
using CoreRequestBody = std::variant<
    PingRequest, StatusRequest, NodeListRequest, NodeShowRequest, TaskListRequest, TaskShowRequest,
    EventsRequest, WaitRequest, ApplyRequest, TaskAddRequest, TaskRemoveRequest, TaskScaleRequest,
    TaskRestartRequest, TermNowRequest, StoreAcceptRequest, StatsRequest, ReportedRequest,
    ExplainRequest, PlanRequest, RebalanceRequest, NodeOfflineRequest, NodeOnlineRequest,
    NodeDrainRequest, NodeAddRequest, NodeRemoveRequest, NodeApplyRequest, LimitListRequest,
    LimitSetRequest, GroupListRequest, GroupShowRequest, NodeForgiveRequest, FreezeShowRequest,
    FreezeOnRequest, FreezeOffRequest, LogsRequest, TaskSignalRequest, UsageRequest>;

template <class... Shell, class... Core>
std::variant<Shell..., Core...> all_of_both(std::variant<Shell...>, std::variant<Core...>);
using RequestBody = decltype(all_of_both(ShellRequest{}, CoreRequestBody{}));

/// A request with the id that makes its retry safe. Reads ignore the id; a change without one gets
/// one of the coordinator's and is not safe to retry.
template <class Body>
struct RequestOf {
    RequestId id;
    Body body;

    friend bool operator==(const RequestOf&, const RequestOf&) = default;
};
using Request = RequestOf<RequestBody>;
using CoreRequest = RequestOf<CoreRequestBody>;

/// The request for the core, or the one that its process answers.
[[nodiscard]] inline tl::expected<CoreRequest, ShellRequest> for_core(Request request) {
    using Split = tl::expected<CoreRequest, ShellRequest>;
    const auto split = [&]<class Body>(Body& body) -> Split {
        if constexpr (std::is_constructible_v<CoreRequestBody, Body>) {
            return CoreRequest{request.id, std::move(body)};
        } else {
            return tl::unexpected<ShellRequest>{std::move(body)};
        }
    };
    return std::visit(split, request.body);
}

using ReplyBody =
    std::variant<HelpReply, PingReply, StatusReply, NodeListReply, NodeShowReply, TaskListReply,
                 TaskShowReply, EventsReply, WaitReply, ChangeReply, TermReply, StoreAcceptReply,
                 LogLevelReply, StatsReply, ReportedReply, ExplainReply, PlanReply, RebalanceReply,
                 NodesChangeReply, LimitsReply, GroupListReply, GroupShowReply, FreezeReply,
                 LogsReply, TaskSignalReply, UsageReply>;

/// Exactly one per request.
struct Reply {
    RequestId id;
    Result<ReplyBody> result;

    friend bool operator==(const Reply&, const Reply&) = default;
};

}  // namespace muster
