#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/core/queries/matching.hpp"
#include "coordinator/core/state/state.hpp"

/// Affinity groups, as operators read them.
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

void State::ask(const Asked& asked, const GroupListRequest& request) const {
    const GroupViews views = group_views(workload, planner.groups());
    std::vector<std::string> names;
    for (const auto& [name, view] : views) {
        names.push_back(name);
    }
    const auto matching = names_matching(request.pattern, std::move(names));
    if (!matching) {
        return answer(asked, tl::unexpected{matching.error()});
    }
    GroupListReply reply;
    for (const std::string& name : *matching) {
        reply.groups.push_back(views.at(name));
    }
    answer(asked, ReplyBody{std::move(reply)});
}

void State::ask(const Asked& asked, const GroupShowRequest& request) {
    const GroupViews views = group_views(workload, planner.groups());
    const auto view = views.find(request.name);
    if (view == views.end()) {
        return answer(asked, fail(Errc::not_found, "no task names the group '" + request.name +
                                                       "' and no node ran it last; see 'muster "
                                                       "group list'"));
    }
    GroupShowReply reply{view->second, {}, {}};
    for (const TaskIndex index : workload.wanted()) {
        if (workload[index].place.group == request.name) {
            reply.tasks.push_back(workload.name(index));
        }
    }
    for (const NodeIndex node : planner.groups().warm(request.name)) {
        reply.nodes.push_back(
            {nodes[node].name, planner.groups().is_idle(node), planner.groups().since(node)});
    }
    std::ranges::sort(reply.nodes, {}, &WarmNodeView::node);
    answer(asked, ReplyBody{std::move(reply)});
}

}  // namespace muster::coordinator
