#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/messages/operator/agent_calls.hpp"
#include "common/messages/operator/audit.hpp"
#include "common/messages/operator/cluster.hpp"
#include "common/messages/operator/explain.hpp"
#include "common/messages/operator/intents.hpp"
#include "common/messages/operator/keys.hpp"
#include "common/messages/operator/nodes.hpp"
#include "common/messages/operator/pool_definitions.hpp"
#include "common/messages/operator/pools.hpp"
#include "common/messages/operator/secrets.hpp"
#include "common/messages/operator/tasks.hpp"

/// The requests of operators (the CLI, probes by hand) to a coordinator, and its answers. Names may
/// be patterns: a glob (`web-*`) or a host range (`n[1-40,52]`). Each subject has a header of its
/// own.
namespace muster {

/// A variant of very many alternatives. Its copies, moves and destructor are compiled once, in
/// operator.cpp: otherwise each unit takes ten seconds longer to compile.
template <class Variant>
struct OutOfLine : Variant {
    using Base = Variant;
    using Variant::Variant;
    using Variant::operator=;

    OutOfLine() = default;
    OutOfLine(const OutOfLine&);
    OutOfLine(OutOfLine&&) noexcept;
    OutOfLine& operator=(const OutOfLine& it) { return *this = OutOfLine{it}; }  // NOLINT(misc-*)
    OutOfLine& operator=(OutOfLine&&) noexcept;
    ~OutOfLine();
};

/// The coordinator's process answers these by itself, because they are about the process, or about
/// rows that only its store has.
using ShellRequest = std::variant<HelpRequest, LogLevelRequest, AuditShowRequest,
                                  AuditVerifyRequest, CoordinatorListRequest>;
/// These are about the cluster: its core answers them.
using CoreRequestBody = OutOfLine<std::variant<
    PingRequest, StatusRequest, NodeListRequest, NodeShowRequest, TaskListRequest, TaskShowRequest,
    EventsRequest, WaitRequest, ApplyRequest, TaskAddRequest, TaskRemoveRequest, TaskScaleRequest,
    TaskRestartRequest, RoundNowRequest, StoreAcceptRequest, StatsRequest, ReportedRequest,
    ExplainRequest, PlanRequest, RebalanceRequest, NodeOfflineRequest, NodeOnlineRequest,
    NodeDrainRequest, NodeAddRequest, NodeRemoveRequest, NodeApplyRequest, LimitListRequest,
    LimitSetRequest, GroupListRequest, GroupShowRequest, NodeForgiveRequest, FreezeShowRequest,
    FreezeOnRequest, FreezeOffRequest, LogsRequest, TaskSignalRequest, UsageRequest, KeyListRequest,
    KeyAddRequest, KeyRevokeRequest, KeyRemoveRequest, KeyRotateRequest, KeyRenewRequest,
    NodeAcceptRequest, EnrolRequest, TokenListRequest, TokenCreateRequest, TokenRevokeRequest,
    SecretListRequest, SecretSetRequest, SecretRemoveRequest, UpgradeFinishRequest,
    CoordinatorResignRequest, DemandSetRequest, DemandListRequest, PoolListRequest,
    PoolForecastRequest, PoolCreateRequest, PoolSetRequest, PoolRemoveRequest, PoolPauseRequest,
    PoolResumeRequest, PoolShowRequest, PoolMembersRequest>>;

template <class... Shell, class... Core>
std::variant<Shell..., Core...> all_of_both(std::variant<Shell...>, std::variant<Core...>);
using RequestBody =
    OutOfLine<decltype(all_of_both(std::declval<ShellRequest>(), std::declval<CoreRequestBody>()))>;

/// A request with the id that makes its retry safe. Reads ignore the id; for a change without an id
/// the coordinator makes one, and a retry is not safe.
template <class Body>
struct RequestOf {
    RequestId id;
    Body body;

    friend bool operator==(const RequestOf&, const RequestOf&) = default;
};
using Request = RequestOf<RequestBody>;
using CoreRequest = RequestOf<CoreRequestBody>;

/// The request for the core, or the one that the process answers.
[[nodiscard]] tl::expected<CoreRequest, ShellRequest> for_core(Request request);

using ReplyBody = OutOfLine<std::variant<
    HelpReply, PingReply, StatusReply, NodeListReply, NodeShowReply, TaskListReply, TaskShowReply,
    EventsReply, WaitReply, ChangeReply, RoundReply, StoreAcceptReply, LogLevelReply, StatsReply,
    ReportedReply, ExplainReply, PlanReply, RebalanceReply, NodesChangeReply, LimitsReply,
    GroupListReply, GroupShowReply, FreezeReply, LogsReply, TaskSignalReply, UsageReply, KeysReply,
    TokensReply, EnrolReply, AuditReply, AuditVerifyReply, SecretsReply, CoordinatorsReply,
    UpgradeReply, DemandReply, DemandListReply, PoolListReply, PoolForecastReply, PoolChangeReply,
    PoolShowReply, PoolMembersReply>>;

/// Says that a coordinator answered which does not lead: it knows what is wanted, not what runs,
/// and takes no changes.
struct Standby {
    std::string leader;     ///< The host of who leads; empty: nobody, or it is not known.
    std::string leader_at;  ///< Its endpoint for operators.

    friend bool operator==(const Standby&, const Standby&) = default;
};

/// Exactly one per request.
struct Reply {
    RequestId id;
    Result<ReplyBody> result;
    std::optional<Standby> standby{};

    friend bool operator==(const Reply&, const Reply&) = default;
};

}  // namespace muster
