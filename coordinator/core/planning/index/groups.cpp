#include "coordinator/core/planning/index/groups.hpp"

#include <algorithm>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

void Groups::ran(NodeIndex node, std::string_view group, CivilMs started) {
    Node& of = at(node);
    if (of.is_warm && (started < of.since || (started == of.since && of.warm->first == group))) {
        return;
    }
    of.since = started;
    if (of.is_warm && of.warm->first == group) {
        use(of.warm);
        return;
    }
    leave(node);
    const auto [found, is_new] = groups_.try_emplace(std::string{group});
    use(found);
    found->second.nodes.insert(node);
    of.warm = found;
    of.is_warm = true;
    if (is_new && groups_.size() > limits::groups) {
        erase(by_use_.begin()->second);
    }
}

void Groups::forget(NodeIndex node) {
    if (raw(node) < nodes_.size()) {
        leave(node);
        nodes_[raw(node)].since = {};
    }
}

void Groups::leave(NodeIndex node) {
    Node& of = at(node);
    if (!of.is_warm) {
        return;
    }
    of.is_warm = false;
    of.warm->second.nodes.erase(node);
    if (of.warm->second.nodes.empty()) {
        erase(of.warm);
    }
}

void Groups::erase(ByName::iterator group) {
    for (const NodeIndex node : group->second.nodes) {
        nodes_[raw(node)].is_warm = false;
    }
    by_use_.erase(group->second.used);
    groups_.erase(group);
}

void Groups::use(ByName::iterator group) {
    by_use_.erase(group->second.used);
    group->second.used = ++uses_;
    by_use_.emplace(uses_, group);
}

void Groups::set_claims(TaskIndex task, std::vector<NodeIndex> nodes) {
    std::vector<NodeIndex>& of_task = made_at(tasks_, task);
    for (const NodeIndex node : of_task) {
        ensure(at(node).instances > 0, "each instance of a group is counted");
        at(node).instances -= 1;
    }
    of_task = std::move(nodes);
    for (const NodeIndex node : of_task) {
        at(node).instances += 1;
    }
}

void Groups::remove(TaskIndex task, NodeIndex node) {
    if (raw(task) >= tasks_.size()) {
        return;
    }
    std::vector<NodeIndex>& nodes = tasks_[raw(task)];
    const auto found = std::find(nodes.rbegin(), nodes.rend(), node);
    if (found != nodes.rend()) {
        std::swap(*found, nodes.back());
        nodes.pop_back();
        at(node).instances -= 1;
    }
}

void Groups::add(TaskIndex task, NodeIndex node) {
    made_at(tasks_, task).push_back(node);
    at(node).instances += 1;
}

bool Groups::runs_one_only(NodeIndex node, TaskIndex task) const {
    return tracks(task) && raw(node) < nodes_.size() && nodes_[raw(node)].instances == 1 &&
           std::ranges::find(tasks_[raw(task)], node) != tasks_[raw(task)].end();
}

std::string_view Groups::warm_for(NodeIndex node) const {
    return raw(node) < nodes_.size() && nodes_[raw(node)].is_warm
               ? std::string_view{nodes_[raw(node)].warm->first}
               : std::string_view{};
}

CivilMs Groups::since(NodeIndex node) const {
    return raw(node) < nodes_.size() ? nodes_[raw(node)].since : CivilMs{};
}

std::vector<NodeIndex> Groups::warm(std::string_view group) const {
    const auto found = groups_.find(group);
    return found == groups_.end()
               ? std::vector<NodeIndex>{}
               : std::vector<NodeIndex>(found->second.nodes.begin(), found->second.nodes.end());
}

std::vector<std::string> Groups::names() const {
    std::vector<std::string> names;
    names.reserve(groups_.size());
    for (const auto& [name, group] : groups_) {
        names.push_back(name);
    }
    return names;
}

}  // namespace muster::coordinator
