#include "coordinator/core/queries/read_scope.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/limits.hpp"
#include "common/text/pattern.hpp"
#include "coordinator/core/queries/matching.hpp"

namespace muster::coordinator {

namespace {

/// The task of `web.3`, or the name itself.
std::string task_of_name(const std::string& name) {
    const auto id = parse_instance(name);
    return id ? id->task : name;
}

template <class T, class... Kinds>
inline constexpr bool is_any_of = (std::is_same_v<T, Kinds> || ...);

/// These replies name no task, or only those that the request may name or change.
template <class Reply>
inline constexpr bool is_open =
    is_any_of<Reply, HelpReply, PingReply, StatsReply, NodeListReply, ChangeReply, RoundReply,
              StoreAcceptReply, LogLevelReply, RebalanceReply, NodesChangeReply, LimitsReply,
              FreezeReply, LogsReply, TaskSignalReply, KeysReply, TokensReply, EnrolReply,
              AuditReply, AuditVerifyReply, SecretsReply, CoordinatorsReply, UpgradeReply,
              DemandReply, PoolChangeReply>;

/// Whoever has no key any more sees no task: this pattern matches no name.
const StoredKey& nobody() {
    static const StoredKey row{.name = "this key", .keys = {}, .tasks = {"-"}};
    return row;
}

const StoredKey* or_nobody(const StoredKey* key) { return key == nullptr ? &nobody() : key; }

}  // namespace

ReadScope::ReadScope(const Facts& facts, const Caller& by)
    : facts_{facts},
      key_{by.is_local || by.is_enrolling ? nullptr
                                          : or_nobody(owner_of(facts.ledger.keys(), by.key))} {}

ReadScope::ReadScope(const Facts& facts, std::string_view name)
    : facts_{facts}, key_{or_nobody(facts.ledger.keys().rows().find(name))} {}

void ReadScope::remove_hidden(auto& list, auto task_of) const {
    std::erase_if(list, [&](const auto& one) { return !sees_task(task_of(one)); });
}

/// Takes out of each kind of reply what is outside of the scope.
struct ReadLimiter {
    const ReadScope& scope;

    template <class Reply>
        requires is_open<Reply> Result<void>
    operator()(Reply& /*reply*/) const { return {}; }
    Result<void> operator()(StatusReply& reply) const {
        if (const auto halted = scope.facts_.planner().first_halted()) {
            const std::string& name = scope.facts_.copies.workload.name(*halted);
            std::erase_if(reply.alarms, [&](const std::string& alarm) {
                return alarm.starts_with("task '") && !scope.sees_task(name);
            });
        }
        std::erase_if(reply.unconverged_tasks,
                      [&](const std::string& task) { return !scope.sees_task(task); });
        for (UnplacedReason& reason : reply.unplaced_reasons) {
            if (!scope.sees_task(reason.task)) {
                reason.task.clear();
                reason.nodes.clear();
            }
        }
        return {};
    }
    Result<void> operator()(NodeShowReply& reply) const {
        hide_instances(reply.instances);
        hide_blockers(reply.drain.blocked_by);
        hide_blockers(reply.flap_score.blocked_by);
        return {};
    }
    Result<void> operator()(ReportedReply& reply) const {
        for (ReportedNode& node : reply.nodes) {
            hide_instances(node.instances);
        }
        return {};
    }
    Result<void> operator()(TaskListReply& reply) const {
        scope.remove_hidden(reply.tasks, [](const auto& task) { return task.name; });
        return {};
    }
    Result<void> operator()(WaitReply& reply) const {
        scope.remove_hidden(reply.tasks, [](const auto& task) { return task.name; });
        return {};
    }
    Result<void> operator()(TaskShowReply& reply) const { return scope.may_name(reply.task.name); }
    Result<void> operator()(EventsReply& reply) const {
        std::erase_if(reply.events, [&](const Event& event) { return !scope.sees(event); });
        return {};
    }
    Result<void> operator()(ExplainReply& reply) const {
        std::erase_if(reply.decisions, [&](const DecisionView& decision) {
            return decision.name != reply.name && !scope.sees_task(task_of_name(decision.name));
        });
        if (reply.subject == Subject::pool) {
            return may_see_pool(reply.name);
        }
        return reply.subject == Subject::node ? Result<void>{}
                                              : scope.may_name(task_of_name(reply.name));
    }
    Result<void> operator()(PlanReply& reply) const {
        scope.remove_hidden(reply.moves, [](const auto& move) { return move.id.task; });
        scope.remove_hidden(reply.gaps, [](const auto& gap) { return gap.task; });
        scope.remove_hidden(reply.shortages, [](const auto& shortage) { return shortage.task; });
        return {};
    }
    Result<void> operator()(GroupListReply& reply) const {
        std::erase_if(reply.groups,
                      [&](const GroupView& group) { return !sees_group(group.name); });
        return {};
    }
    Result<void> operator()(GroupShowReply& reply) const {
        if (!sees_group(reply.group.name)) {
            return out_of_scope(*scope.key_, "group", reply.group.name);
        }
        std::erase_if(reply.tasks, [&](const std::string& task) { return !scope.sees_task(task); });
        return {};
    }
    Result<void> operator()(DemandListReply& reply) const {
        std::erase_if(reply.demand, [&](const DemandView& one) { return !sees_pool(one.pool); });
        return {};
    }
    Result<void> operator()(PoolListReply& reply) const {
        std::erase_if(reply.pools, [&](const PoolView& one) { return !sees_pool(one.name); });
        return {};
    }
    Result<void> operator()(PoolForecastReply& reply) const { return may_see_pool(reply.name); }
    Result<void> operator()(PoolShowReply& reply) const { return may_see_pool(reply.name); }
    Result<void> operator()(PoolMembersReply& reply) const { return may_see_pool(reply.name); }
    Result<void> operator()(UsageReply& reply) const {
        scope.remove_hidden(reply.instances, [](const auto& one) { return one.use.id.task; });
        return {};
    }

private:
    void hide_instances(std::vector<InstanceView>& instances) const {
        scope.remove_hidden(instances, [](const auto& instance) { return instance.id.task; });
    }
    void hide_blockers(std::vector<DrainBlocker>& blockers) const {
        std::erase_if(blockers, [&](const DrainBlocker& blocker) {
            return !blocker.instance.empty() && !scope.sees_task(task_of_name(blocker.instance));
        });
    }
    [[nodiscard]] bool sees_pool(const std::string& name) const {
        return may_change_node(*scope.key_, name);
    }
    [[nodiscard]] Result<void> may_see_pool(const std::string& name) const {
        return sees_pool(name) ? Result<void>{} : out_of_scope(*scope.key_, "pool", name);
    }
    [[nodiscard]] bool sees_group(const std::string& name) const {
        const Workload& workload = scope.facts_.copies.workload;
        return std::ranges::any_of(workload.wanted(), [&](TaskIndex task) {
            return workload[task].place.group == name && scope.sees_task(workload.name(task));
        });
    }
};

bool ReadScope::sees_task(std::string_view name) const {
    if (!is_limited()) {
        return true;
    }
    const auto task = facts_.copies.workload.find(name);
    return may_change_task(*key_, name, task ? facts_.copies.workload[*task].place.pool : "");
}

bool ReadScope::sees(const Event& event) const {
    if (!is_limited()) {
        return true;
    }
    if (event.topic.starts_with("task.") || event.topic.starts_with("instance.")) {
        return sees_task(task_of_name(event.name));
    }
    if (event.topic.starts_with("pool.")) {
        return may_change_node(*key_, event.name);
    }
    const auto node = facts_.nodes.find(event.name);
    return event.topic.starts_with("node.") && node &&
           may_change_node(*key_, facts_.copies.placements.nodes().offer(*node).pool);
}

Result<void> ReadScope::may_name(const std::string& task) const {
    return sees_task(task) ? Result<void>{} : out_of_scope(*key_, "task", task);
}

Result<void> ReadScope::may_match(std::string_view pattern) const {
    const auto names = wanted_names_matching(pattern, facts_.copies.workload);
    for (const std::string& name : names ? *names : std::vector<std::string>{}) {
        if (auto may = may_name(name); !may) {
            return may;
        }
    }
    return {};
}

// A node may have the name, too, and every node may be explained to everybody.
Result<void> ReadScope::may_ask_for(const ExplainRequest& request) const {
    if (request.subject == Subject::pool) {
        return may_change_node(*key_, request.name) ? Result<void>{}
                                                    : out_of_scope(*key_, "pool", request.name);
    }
    const bool is_node = request.subject == Subject::node ||
                         (request.subject == Subject::any && facts_.nodes.find(request.name));
    return is_node ? Result<void>{} : may_name(task_of_name(request.name));
}

Result<void> ReadScope::may_ask(const CoreRequestBody& request) const {
    if (!is_limited()) {
        return {};
    }
    return std::visit(
        [&]<class Request>(const Request& one) -> Result<void> {
            if constexpr (std::is_same_v<Request, TaskShowRequest>) {
                return may_name(one.name);
            } else if constexpr (std::is_same_v<Request, LogsRequest>) {
                return may_name(task_of_name(one.instance));
            } else if constexpr (std::is_same_v<Request, TaskSignalRequest>) {
                // As agent_call_handler.cpp reads it: an instance before a pattern of tasks.
                const auto id = parse_instance(one.pattern);
                return id && facts_.copies.workload.find(id->task) ? may_name(id->task)
                                                                   : may_match(one.pattern);
            } else if constexpr (std::is_same_v<Request, WaitRequest>) {
                return pattern::is_name(one.pattern) ? may_name(one.pattern)
                                                     : may_match(one.pattern);
            } else if constexpr (std::is_same_v<Request, ExplainRequest>) {
                return may_ask_for(one);
            } else if constexpr (is_any_of<Request, PoolShowRequest, PoolMembersRequest,
                                           PoolForecastRequest>) {
                // An error must not tell whether there is such a pool.
                return may_change_node(*key_, one.name) ? Result<void>{}
                                                        : out_of_scope(*key_, "pool", one.name);
            } else if constexpr (std::is_same_v<Request, PlanRequest>) {
                Result<void> may;
                for (const std::string& without : one.without_tasks) {
                    may = may ? may_match(without) : may;
                }
                return may;
            } else {
                return {};
            }
        },
        request);
}

EventsReply ReadScope::events(const EventsRequest& request) const {
    EventsReply reply = facts_.events.since(request.since, request.limit);
    if (!is_limited()) {
        return reply;
    }
    EventsReply page = facts_.events.since(request.since, limits::events_kept);
    reply.events.clear();
    for (Event& event : page.events) {
        if (reply.events.size() < request.limit && sees(event)) {
            reply.events.push_back(std::move(event));
        }
    }
    return reply;
}

Result<ReplyBody> ReadScope::limited(Result<ReplyBody> answer) const {
    if (answer && is_limited()) {
        if (auto may = std::visit(ReadLimiter{*this}, static_cast<ReplyBody::Base&>(*answer));
            !may) {
            return tl::unexpected{std::move(may.error())};
        }
    }
    return answer;
}

std::string event_prefix(std::string_view name) { return '@' + std::string{name} + '/'; }

}  // namespace muster::coordinator
