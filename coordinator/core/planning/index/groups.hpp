#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/limits.hpp"
#include "coordinator/core/workload/by_index.hpp"

namespace muster::coordinator {

/// Which nodes are warm for which affinity group, that is, the group of the instance that started
/// last on the node. And which nodes run an instance of any group now.
///
/// All of it comes from reports, which repeat. So the order of reports and a change of the leader
/// make no difference. Starts are compared by the clock of their own node.
///
/// Bounded: the group that ran nowhere for the longest time is dropped first. A group without a
/// warm node is dropped too.
///
/// Owned by the planner.
class Groups {
public:
    /// The node ran, or runs, an instance of the group that started at this time.
    void ran(NodeIndex node, std::string_view group, CivilMs started);
    /// The node was removed.
    void forget(NodeIndex node);
    /// Instances of this task run, or will run, on these nodes; each instance once.
    void set_claims(TaskIndex task, std::vector<NodeIndex> nodes);
    /// One more instance will run there.
    void add(TaskIndex task, NodeIndex node);
    /// One instance will run elsewhere instead; a node that does not count has none.
    void remove(TaskIndex task, NodeIndex node);

    /// True if the node runs no instance of a task with a group.
    [[nodiscard]] bool is_idle(NodeIndex node) const {
        return raw(node) >= nodes_.size() || nodes_[raw(node)].instances == 0;
    }
    /// True if the node runs only one instance of tasks with a group, and it is of this task.
    [[nodiscard]] bool runs_one_only(NodeIndex node, TaskIndex task) const;
    /// The group for which the node is warm; empty: none.
    [[nodiscard]] std::string_view warm_for(NodeIndex node) const;
    /// When the instance that made the node warm started.
    [[nodiscard]] CivilMs since(NodeIndex node) const;
    /// In the order of indices, which must not affect a plan.
    [[nodiscard]] std::vector<NodeIndex> warm(std::string_view group) const;
    [[nodiscard]] std::size_t count() const { return groups_.size(); }
    /// In the order of names.
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] bool tracks(TaskIndex task) const {
        return raw(task) < tasks_.size() && !tasks_[raw(task)].empty();
    }

private:
    friend struct CoreFields;

    struct Group {
        std::set<NodeIndex> nodes;
        std::uint64_t used = 0;  // The number of the last start seen.
    };
    using ByName = std::map<std::string, Group, std::less<>>;
    struct Node {
        ByName::iterator warm;  // Only if `is_warm`.
        CivilMs since{};
        std::uint32_t instances = 0;
        bool is_warm = false;
    };

    Node& at(NodeIndex node) { return made_at(nodes_, node); }
    void leave(NodeIndex node);
    void erase(ByName::iterator group);
    void use(ByName::iterator group);

    ByName groups_;
    std::map<std::uint64_t, ByName::iterator> by_use_;
    std::vector<Node> nodes_;                    // By NodeIndex.
    std::vector<std::vector<NodeIndex>> tasks_;  // By TaskIndex.
    std::uint64_t uses_ = 0;
};

}  // namespace muster::coordinator
