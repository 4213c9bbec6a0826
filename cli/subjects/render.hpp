#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cli/screen/table.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator.hpp"

/// Answers in the form for people. Everything from the cluster is made printable.
namespace muster::cli {

/// Whole lines. `now` turns times into ages.
[[nodiscard]] std::string render(const ReplyBody& reply, CivilMs now, const Style& style);

class Facts;
/// The fields that every task shows of its process, and those that differ from the defaults.
void add_spec(Facts& facts, const TaskSpec& spec);

// One function for each kind of answer, in the files of their subjects.
[[nodiscard]] std::string text_of(const StatusReply& status, const Style& style);
[[nodiscard]] std::string text_of(const CoordinatorsReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const UpgradeReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const StatsReply& stats, const Style& style);
[[nodiscard]] std::string text_of(const ReportedReply& reported, CivilMs now, const Style& style);
[[nodiscard]] std::string text_of(const ExplainReply& reply, CivilMs now, const Style& style);
[[nodiscard]] std::string text_of(const PlanReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const NodeListReply& reply, CivilMs now, const Style& style);
[[nodiscard]] std::string text_of(const NodeShowReply& reply, CivilMs now, const Style& style);
[[nodiscard]] std::string text_of(const TaskListReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const TaskShowReply& reply, CivilMs now, const Style& style);
[[nodiscard]] std::string text_of(const WaitReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const GroupListReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const GroupShowReply& reply, CivilMs now, const Style& style);
[[nodiscard]] std::string text_of(const DemandReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const DemandListReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const PoolListReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const PoolForecastReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const PoolChangeReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const PoolShowReply& reply, CivilMs now, const Style& style);
[[nodiscard]] std::string text_of(const PoolMembersReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const FreezeReply& reply, CivilMs now, const Style& style);
[[nodiscard]] std::string text_of(const ChangeReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const NodesChangeReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const LimitsReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const StoreAcceptReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const UsageReply& usage, const Style& style);
[[nodiscard]] std::string text_of(const KeysReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const TokensReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const EnrolReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const SecretsReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const AuditReply& reply, const Style& style);
[[nodiscard]] std::string text_of(const AuditVerifyReply& reply, const Style& style);

/// The use of each node and instance between two measurements, the largest first. `rows`: the most
/// in both tables together; 0: no limit.
[[nodiscard]] std::string render_usage(const UsageReply& before, const UsageReply& after,
                                       std::size_t rows, const Style& style);
[[nodiscard]] std::string render_instances(std::span<const InstanceView> instances, CivilMs now,
                                           const Style& style);

/// True if a plan would change anything: something would move, fall short or be down.
[[nodiscard]] bool changes_anything(const ChangeReply& reply);
[[nodiscard]] bool changes_anything(const PlanReply& reply);

/// Events in lines: sequence, time, topic, name and detail. Columns are aligned with the widths
/// known so far.
class EventLines {
public:
    explicit EventLines(const Style& style) : style_{style} {}

    void make_room_for(const Event& event);
    [[nodiscard]] std::string text_of(const Event& event);

private:
    Style style_;
    std::size_t topic_ = 16;
    std::size_t name_ = 0;
};

}  // namespace muster::cli
