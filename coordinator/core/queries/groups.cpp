#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "coordinator/core/queries/matching.hpp"
#include "coordinator/core/queries/queries.hpp"

namespace muster::coordinator {

namespace {

using GroupViews = std::map<std::string, GroupView>;

GroupViews group_views(const Workload& workload, const Groups& groups) {
    GroupViews views;
    for (const TaskIndex index : workload.wanted()) {
        const Task& task = workload[index];
        if (!task.place.group.empty()) {
            GroupView& view = views[task.place.group];
            view.tasks += 1;
            view.instances += task.instances;
        }
    }
    for (const std::string& name : groups.names()) {
        GroupView& view = views[name];
        for (const NodeIndex node : groups.warm(name)) {
            view.warm += 1;
            view.idle += groups.is_idle(node) ? 1U : 0U;
        }
    }
    for (auto& [name, view] : views) {
        view.name = name;
    }
    return views;
}

}  // namespace

Result<ReplyBody> list_groups(const Facts& facts, const std::string& pattern) {
    const GroupViews views = group_views(facts.copies.workload, facts.planner().groups());
    const auto matching = keys_matching(pattern, views);
    if (!matching) {
        return tl::unexpected{matching.error()};
    }
    GroupListReply reply;
    for (const std::string& name : *matching) {
        reply.groups.push_back(views.at(name));
    }
    return ReplyBody{std::move(reply)};
}

Result<ReplyBody> show_group(const Facts& facts, const std::string& name) {
    const GroupViews views = group_views(facts.copies.workload, facts.planner().groups());
    const auto view = views.find(name);
    if (view == views.end()) {
        return fail(Errc::not_found, "no task names the group '" + name +
                                         "' and no node ran it last; see 'muster "
                                         "group list'");
    }
    GroupShowReply reply{view->second, {}, {}};
    for (const TaskIndex index : facts.copies.workload.wanted()) {
        if (facts.copies.workload[index].place.group == name) {
            reply.tasks.push_back(facts.copies.workload.name(index));
        }
    }
    for (const NodeIndex node : facts.planner().groups().warm(name)) {
        reply.nodes.push_back({facts.nodes[node].name, facts.planner().groups().is_idle(node),
                               facts.planner().groups().since(node)});
    }
    std::ranges::sort(reply.nodes, {}, &WarmNodeView::node);
    return ReplyBody{std::move(reply)};
}

}  // namespace muster::coordinator
