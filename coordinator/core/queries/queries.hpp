#pragma once

#include <string>
#include <vector>

#include "common/messages/operator.hpp"
#include "coordinator/core/planning/histogram.hpp"
#include "coordinator/core/queries/facts.hpp"

/// Answers to operators' queries, except lists and what-if plans.
namespace muster::coordinator {

/// The state of the cluster. The planner's totals are as of their last refresh.
[[nodiscard]] StatusReply status(const Facts& facts);
/// The same without the reasons for unplaced instances, which need a check of each node.
[[nodiscard]] StatusReply counts(const Facts& facts);
/// The nodes that know a later or another store.
[[nodiscard]] std::vector<AheadNode> ahead_nodes(const Facts& facts);

/// The metrics of the coordinator. Present values come from counts(), so both agree.
[[nodiscard]] StatsReply stats(const Facts& facts);
/// A histogram in the form for clients.
[[nodiscard]] Durations durations_of(std::string name, MetricLabels labels,
                                     const Histogram& histogram);

/// A node as a list of nodes shows it.
[[nodiscard]] NodeView view_of(const Facts& facts, NodeIndex index);
[[nodiscard]] Result<ReplyBody> show_node(const Facts& facts, const std::string& name);
/// The nodes' reports from the last closed round or later.
[[nodiscard]] Result<ReplyBody> reported(const Facts& facts, const std::string& pattern);
/// The drain of a node, with its remaining instances and what blocks them.
[[nodiscard]] DrainView drain_of(const Facts& facts, NodeIndex index);
/// `not empty by its deadline: web.3 max_surge`.
[[nodiscard]] std::string why_overdue(const Facts& facts, NodeIndex index);

/// Adds the trouble of its node to an instance. On a lost node its state is `unknown`.
void add_node_note(const Facts& facts, InstanceView& instance);
[[nodiscard]] Result<ReplyBody> show_task(const Facts& facts, const std::string& name);

/// The groups that tasks name, and the nodes that are warm for them.
[[nodiscard]] Result<ReplyBody> list_groups(const Facts& facts, const std::string& pattern);
[[nodiscard]] Result<ReplyBody> show_group(const Facts& facts, const std::string& name);

/// Why an instance, a task or a node is as it is.
[[nodiscard]] Result<ExplainReply> explain(const Facts& facts, const ExplainRequest& request);

[[nodiscard]] Result<ReplyBody> list_demand(const Facts& facts, const std::string& pattern);
[[nodiscard]] Result<ReplyBody> list_pools(const Facts& facts, const std::string& pattern);
/// The definition of a pool, its nodes, and the last decision about its size.
[[nodiscard]] Result<ReplyBody> show_pool(const Facts& facts, const std::string& name);
/// The nodes that serve. Refused while it is not known yet which do.
[[nodiscard]] Result<ReplyBody> list_members(const Facts& facts, const PoolMembersRequest& request);
[[nodiscard]] Result<ExplainReply> explain_pool(const Facts& facts, const std::string& name);
/// A sentence for each pool whose membership is not to be trusted, or whose provider fails.
[[nodiscard]] std::vector<std::string> pool_alarms(const Facts& facts);
/// What each predictor expects of a pool's need, and how far it was off.
[[nodiscard]] Result<ReplyBody> show_forecast(const Facts& facts, const std::string& name);

}  // namespace muster::coordinator
