#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/messages/operator/explain.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/planning/notes.hpp"
#include "coordinator/core/planning/planner.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// Why instances are unplaced, node by node.
class Reasons {
public:
    Reasons(const NodeRegistry& nodes, const Workload& workload, const Planner& planner)
        : nodes_{nodes}, workload_{workload}, planner_{planner} {}

    /// The verdict of each node on an instance of the task, for people. At the `home` of the
    /// instance: why it would not be chosen.
    [[nodiscard]] std::vector<VerdictView> views_of(TaskIndex task,
                                                    const std::vector<NodeVerdict>& all,
                                                    std::optional<NodeIndex> home) const;
    /// The verdicts of the nodes on one more instance of the task.
    [[nodiscard]] CountedVerdicts of_one_more(TaskIndex task) const;
    /// Includes the verdicts of the nodes if a task is given and the nodes are the reason.
    [[nodiscard]] UnplacedReason reason_of(const Shortage& shortage, std::optional<TaskIndex> task,
                                           const CountedVerdicts& counted) const;
    /// `2: no eligible node: 3 full, 1 label rack != r7`.
    [[nodiscard]] std::string why_unplaced(TaskIndex task) const;

private:
    const NodeRegistry& nodes_;
    const Workload& workload_;
    const Planner& planner_;
};

/// `ended with exit code 1`, or the text from its agent.
[[nodiscard]] std::string describe_end(const InstanceView& instance);
/// Why no further copy of an older generation is replaced, and what to do: `the roll-out is halted:
/// web.3 on n4 did not run for 10s (ended with exit code 1); ...`. Empty: it is not halted.
[[nodiscard]] std::string describe_halt(const Workload& workload, const Planner& planner,
                                        TaskIndex task);
/// The same for a copy that is known to halt it.
[[nodiscard]] std::string describe_halt(const Workload& workload, const Planner& planner,
                                        TaskIndex task, Ordinal ordinal);

/// The verdicts of the nodes if they are the reason, otherwise what the task waits for.
[[nodiscard]] std::string why_short(Obstacle code, const CountedVerdicts& counted);
/// Why the home would not be chosen today, if a filter on the node alone excludes it: `lost: was
/// silent for 3 polls`, `label: rack = r7`.
[[nodiscard]] std::string why_left(const NodeVerdict& home, const Node& node);

}  // namespace muster::coordinator
