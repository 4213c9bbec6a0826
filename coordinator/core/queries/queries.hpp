#pragma once

#include <string>
#include <vector>

#include "common/messages/operator.hpp"
#include "coordinator/core/planning/histogram.hpp"
#include "coordinator/core/queries/facts.hpp"

/// What operators ask and what answers it, but for lists and for what would be if.
namespace muster::coordinator {

/// How the cluster is. The planner's totals are as of their last refresh.
[[nodiscard]] StatusReply status(const Facts& facts);
/// The same without the reasons why instances are unplaced, of which each node has to be asked.
[[nodiscard]] StatusReply counts(const Facts& facts);
/// The nodes that know a later or another store.
[[nodiscard]] std::vector<AheadNode> ahead_nodes(const Facts& facts);

/// The coordinator in numbers. What is so now is that of counts(), so the two agree.
[[nodiscard]] StatsReply stats(const Facts& facts);
/// A histogram as it is told to clients.
[[nodiscard]] Durations durations_of(std::string name, MetricLabels labels,
                                     const Histogram& histogram);

/// As a list of nodes shows it.
[[nodiscard]] NodeView view_of(const Facts& facts, NodeIndex index);
[[nodiscard]] Result<ReplyBody> show_node(const Facts& facts, const std::string& name);
/// What the nodes reported in the last round that closed, or since.
[[nodiscard]] Result<ReplyBody> reported(const Facts& facts, const std::string& pattern);
/// The drain of a node, with what is still there and what keeps it.
[[nodiscard]] DrainView drain_of(const Facts& facts, NodeIndex index);
/// `not empty by its deadline: web.3 max_surge`.
[[nodiscard]] std::string why_overdue(const Facts& facts, NodeIndex index);

/// Adds the trouble of its node to an instance. The state of an instance on a lost node is unknown.
void add_node_note(const Facts& facts, InstanceView& instance);
[[nodiscard]] Result<ReplyBody> show_task(const Facts& facts, const std::string& name);

/// The groups that tasks name, and the nodes that are warm for them.
[[nodiscard]] Result<ReplyBody> list_groups(const Facts& facts, const std::string& pattern);
[[nodiscard]] Result<ReplyBody> show_group(const Facts& facts, const std::string& name);

/// Why an instance, a task or a node is as it is.
[[nodiscard]] Result<ExplainReply> explain(const Facts& facts, const ExplainRequest& request);

}  // namespace muster::coordinator
