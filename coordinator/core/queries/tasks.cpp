#include <algorithm>
#include <utility>

#include "coordinator/core/nodes/notes.hpp"
#include "coordinator/core/planning/notes.hpp"
#include "coordinator/core/planning/pass/reading.hpp"
#include "coordinator/core/queries/queries.hpp"
#include "coordinator/core/queries/task_reader.hpp"
#include "coordinator/core/queries/unconfirmed.hpp"

namespace muster::coordinator {

namespace {

/// For one task: nobody reads more.
constexpr std::size_t verdicts_shown = 1'000;

}  // namespace

void add_node_note(const Facts& facts, InstanceView& instance) {
    const auto index = facts.nodes.find(instance.node);
    if (!index || instance.state == "unknown") {
        return;
    }
    const Node& node = facts.nodes[*index];
    if (node.lost) {
        instance.state = "unknown";
        instance.started = {};  // How long it ran is not known.
        instance.detail = "its node " + describe_node(node);
    } else if (instance.state == "ordered") {  // Only its node can show what delays it.
        instance.detail = describe_node(node);
    } else {
        note_unconfirmed(facts, *index, instance);
    }
}

Result<ReplyBody> show_task(const Facts& facts, const std::string& name) {
    const auto index = facts.copies.workload.find(name);
    if (!index) {
        return fail(Errc::not_found, "no task is called '" + name + "'; see 'muster task list'");
    }
    const Task& task = facts.copies.workload[*index];
    TaskReader view{facts.copies.workload, facts.planner()};
    const TaskStatus& status = view.status(*index);
    TaskShowReply reply{.task = view.shown(*index),
                        .wanted = WantedTask{task.name, task.instances, task.spec, task.place},
                        .instances = facts.planner().instances_of(*index),
                        .unplaced_reasons = {}};
    for (InstanceView& instance : reply.instances) {
        add_node_note(facts, instance);
        const auto hold = facts.copies.leases.hold_of(facts.now, instance.id);
        if (hold && facts.planner().why_missing(*index, instance.id.ordinal) == Obstacle::lease) {
            instance.detail = describe_hold(*hold, hold->until - facts.now);
        }
        const Obstacle blocker = facts.planner().blocker_of(*index, instance.id.ordinal);
        if (blocker != Obstacle::none && instance.state == "running" && instance.detail.empty()) {
            instance.detail = "has to leave its node: " + std::string{describe_blocker(blocker)};
        }
    }
    if (status.shortage().count > 0) {
        if (std::ranges::any_of(status.shortages, is_of_nodes, &Shortage::code)) {
            reply.verdicts = facts.reasons().views_of(
                *index, facts.planner().verdicts(*index, task.instances), std::nullopt);
        }
        const CountedVerdicts counted = count_verdicts(reply.verdicts);
        for (const Shortage& shortage : status.shortages) {
            reply.unplaced_reasons.push_back(facts.reasons().reason_of(shortage, *index, counted));
        }
        reply.verdicts.resize(std::min(reply.verdicts.size(), verdicts_shown));
    }
    return ReplyBody{std::move(reply)};
}

}  // namespace muster::coordinator
