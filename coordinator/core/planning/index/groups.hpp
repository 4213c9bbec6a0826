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

/// Which nodes are warm for which affinity group: the group of the instance of its that started
/// last. And which of them run an instance of any group now.
///
/// It is learned from reports and repeats with them, so in whatever order they come, and under
/// whatever leader, the same is known. Starts are compared by the clock of their own node.
///
/// Bounded: of the groups the one that ran nowhere for the longest is forgotten first. A group that
/// no node is warm for is none.
///
/// Pure. Owned by the planner.
class Groups {
public:
    /// The node ran, or runs, an instance of the group that started then.
    void ran(NodeIndex node, std::string_view group, CivilMs started);
    /// The node is gone.
    void forget(NodeIndex node);
    /// Instances of this task run, or are to run, on these nodes; each instance once.
    void restate(TaskIndex task, std::vector<NodeIndex> nodes);
    /// One more is to run there.
    void add(TaskIndex task, NodeIndex node);
    /// One is to run elsewhere instead; a node that does not count has none.
    void remove(TaskIndex task, NodeIndex node);

    /// Runs no instance of a task that names a group.
    [[nodiscard]] bool is_idle(NodeIndex node) const {
        return raw(node) >= nodes_.size() || nodes_[raw(node)].instances == 0;
    }
    /// Runs one instance of such a task, which is one of this.
    [[nodiscard]] bool runs_one_only(NodeIndex node, TaskIndex task) const;
    /// Empty: none.
    [[nodiscard]] std::string_view warm_for(NodeIndex node) const;
    /// When what made it warm started there.
    [[nodiscard]] CivilMs since(NodeIndex node) const;
    /// In the order of indices, which must not reach a plan.
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
        std::uint64_t used = 0;  // The number of the start seen last.
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
