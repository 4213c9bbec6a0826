#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/screen/facts.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"
#include "common/spec/duration.hpp"
#include "common/spec/quantity.hpp"

namespace muster::cli {

namespace {

std::string how_it_ended(const InstanceView& instance) {
    if (instance.exit_signal != 0) {
        return fmt::format("signal {}", instance.exit_signal);
    }
    return instance.exit_code >= 0 ? fmt::format("exit {}", instance.exit_code) : std::string{};
}

void add_reasons(Facts& facts, std::span<const UnplacedReason> reasons) {
    for (const UnplacedReason& reason : reasons) {
        const bool is_held_up = reason.code == "max_unavailable";
        facts.add(is_held_up ? "held up" : "unplaced",
                  fmt::format("{}: {}", reason.count, reason.detail), Tone::bad);
        const auto nodes = joined(reason.nodes, ", ", [](const NodeReason& of) {
            return fmt::format("{} {}{}{}", of.count, of.code, of.detail.empty() ? "" : " ",
                               of.detail);
        });
        facts.add_if(!nodes.empty(), "",
                     fmt::format("no eligible node for {}: {}", reason.task, nodes));
    }
}

struct Count {
    std::uint32_t count = 0;
    std::string_view what;
};

/// `, 2 lost, 1 ahead`: the counts that are not 0.
std::string listed(std::initializer_list<Count> counts) {
    std::string text;
    for (const Count& one : counts) {
        text += one.count == 0 ? "" : fmt::format(", {} {}", one.count, one.what);
    }
    return text;
}

/// The fields of a rule of placement that differ from the default.
void add_placement(Facts& facts, const PlacementRule& rule) {
    const PlacementRule plain;
    facts.add_if(rule.pool != plain.pool, "pool", rule.pool);
    for (const Constraint& constraint : rule.constraints) {
        facts.add("constraint", to_string(constraint));
    }
    facts.add_if(
        rule.request != plain.request, "resources",
        fmt::format("{}, {} memory, {}", cores_text(rule.request.cpu_milli),
                    size_text(rule.request.memory_bytes), counted(rule.request.slots, "slot")));
    facts.add_unless_empty("spread", rule.spread);
    facts.add_unless_empty("group", rule.group);
    facts.add_if(rule.every_node || rule.pinned, "runs",
                 rule.every_node ? "one instance on each node that fits"
                                 : "pinned: it is never moved to balance the load");
    facts.add_if(rule.priority != plain.priority, "priority", std::to_string(rule.priority));
    facts.add_if(rule.reschedule_after != plain.reschedule_after, "if lost",
                 "rescheduled after " + to_string(rule.reschedule_after));
    facts.add_if(rule.reconcile != plain.reconcile, "reconcile", to_string(rule.reconcile));
}

std::string tasks_table(std::span<const TaskView> tasks, const Style& style) {
    Table table{{"TASK", "STATE", "RUNNING", "GENERATION", "DETAIL"}};
    for (const TaskView& task :
         in_natural_order(std::vector(tasks.begin(), tasks.end()), &TaskView::name)) {
        table.add({task.name, Cell{task.state, tone_of(task.state)},
                   fmt::format("{}/{}", task.running, task.instances),
                   std::to_string(raw(task.generation)), task.detail});
    }
    return table.to_text(style);
}

/// `api, web2, web10 and 7 more`.
std::string unconverged_tasks(const StatusReply& status) {
    const auto named = in_natural_order(status.unconverged_tasks, std::identity{});
    const auto more =
        status.unconverged - std::min<std::uint64_t>(status.unconverged, named.size());
    return fmt::format("{}{}", fmt::join(named, ", "),
                       more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace

namespace {

/// A coordinator that stands by knows what is wanted, not what runs.
std::string text_of_standby(const StatusReply& status, const Style& style) {
    Facts facts{style};
    facts.add("cluster", to_string(status.cluster));
    facts.add(
        "standby",
        fmt::format("{}epoch {}", status.host.empty() ? "" : status.host + ", ", raw(status.epoch)),
        tone_of(status.phase));
    facts.add("nodes", fmt::format("{}{}", status.nodes,
                                   listed({{status.intent.draining, "draining"},
                                           {status.intent.offline, "offline"}})));
    facts.add("tasks", std::to_string(status.tasks));
    facts.add("instances", fmt::format("{} wanted", status.wanted));
    facts.add("state", "what runs is not known here", Tone::attention);
    return facts.text();
}

}  // namespace

std::string text_of(const StatusReply& status, const Style& style) {
    if (status.phase == "standby") {
        return text_of_standby(status, style);
    }
    const bool is_recovering = status.awaited > 0;
    Facts facts{style};
    facts.add("cluster", to_string(status.cluster));
    facts.add("leader",
              fmt::format("{}{}{}, epoch {}, round {}",
                          status.host.empty() ? "" : status.host + ", ", status.phase,
                          is_recovering && status.phase != "recovering" ? " and recovering" : "",
                          raw(status.epoch), raw(status.round)),
              tone_of(status.phase));
    facts.add("nodes",
              fmt::format("{} of {} serving{}", status.serving, status.nodes,
                          listed({{status.intent.draining, "draining"},
                                  {status.intent.offline, "offline"},
                                  {status.health.unready, "unready"},
                                  {status.health.flaky, "flaky"},
                                  {status.silent, "silent"},
                                  {status.lost, "lost"},
                                  {status.ahead, "ahead"}})),
              status.lost + status.ahead + status.silent > 0 ? Tone::attention : Tone::plain);
    facts.add_if(status.mode == "listed", "joining", "only listed names may join");
    facts.add_if(!status.refused_names.empty(), "refused",
                 fmt::format("{}: they may not join; 'muster node add' allows it",
                             fmt::join(status.refused_names, ", ")),
                 Tone::attention);
    facts.add("tasks", std::to_string(status.tasks));
    facts.add("instances", fmt::format("{} of {} running{}", status.running, status.wanted,
                                       listed({{status.starting, "starting"},
                                               {status.backoff, "in back-off"},
                                               {status.exited, "exited"},
                                               {status.failed, "failed"},
                                               {status.unplaced, "unplaced"},
                                               {status.unseen, "not reported yet"}})));
    facts.add_if(status.unconfirmed > 0, "unconfirmed",
                 fmt::format("{} on nodes that are silent or left; their last known state counts",
                             status.unconfirmed),
                 Tone::attention);
    add_reasons(facts, status.unplaced_reasons);
    for (const std::string& alarm : status.alarms) {
        facts.add("alarm", alarm, Tone::bad);
    }
    facts.add_if(status.undecodable > 0, "ignored",
                 counted(status.undecodable, "message") + " that the coordinator could not decode");
    const std::string_view verdict = status.converged ? "converged"
                                     : is_recovering  ? "recovering"
                                                      : "not converged";
    // With a halted roll-out it is not known how many of these are being replaced.
    const std::string_view outdated = status.halted > 0 ? "not updated" : "rolling";
    const std::string halted =
        status.halted == 0
            ? ""
            : fmt::format(", {} halted ('muster task list' shows why)", status.halted);
    facts.add("state",
              fmt::format("{}{}{}", verdict, halted,
                          listed({{status.rolling, outdated},
                                  {status.stopping, "stopping"},
                                  {status.moving, "moving"},
                                  {status.strays, "stray"}})),
              status.converged ? Tone::good : Tone::attention);
    facts.add_unless_empty("unconverged", unconverged_tasks(status), Tone::attention);
    return facts.text();
}

std::string render_instances(std::span<const InstanceView> instances, CivilMs now,
                             const Style& style) {
    if (instances.empty()) {
        return "no instances\n";
    }
    Table table{
        {"INSTANCE", "NODE", "STATE", "UP", "RESTARTS", "LAST END", "GENERATION", "DETAIL"}};
    for (const InstanceView& instance : instances) {
        const bool up = instance.state == "running";
        const auto detail = instance.stray
                                ? "stray: this store never ordered it there; " + instance.detail
                                : instance.detail;
        table.add({to_string(instance.id), instance.node.empty() ? "-" : instance.node,
                   Cell{instance.state, tone_of(instance.state)},
                   up ? age(instance.started, now) : "-", std::to_string(instance.restarts),
                   how_it_ended(instance), std::to_string(raw(instance.generation)), detail});
    }
    return table.to_text(style);
}

std::string text_of(const TaskListReply& reply, const Style& style) {
    return reply.tasks.empty() ? "no tasks\n" : tasks_table(reply.tasks, style);
}

std::string text_of(const WaitReply& reply, const Style& style) {
    return tasks_table(reply.tasks, style);
}

std::string text_of(const TaskShowReply& reply, CivilMs now, const Style& style) {
    const TaskSpec& spec = reply.wanted.spec;
    Facts facts{style};
    facts.add("task", reply.task.name);
    facts.add("state", reply.task.state, tone_of(reply.task.state));
    add_reasons(facts, reply.unplaced_reasons);  // Other reasons are with the instances.
    facts.add("instances", fmt::format("{} of {} running, at most {} on a node", reply.task.running,
                                       reply.task.instances, spec.max_per_node));
    facts.add("generation", std::to_string(raw(reply.task.generation)));
    add_spec(facts, spec);
    add_placement(facts, reply.wanted.place);
    return facts.text() + '\n' + render_instances(reply.instances, now, style);
}

std::string text_of(const GroupListReply& reply, const Style& style) {
    if (reply.groups.empty()) {
        return "no groups\n";
    }
    Table table{{"GROUP", "TASKS", "INSTANCES", "WARM NODES", "IDLE"}};
    for (const GroupView& group : in_natural_order(reply.groups, &GroupView::name)) {
        table.add({group.name, std::to_string(group.tasks), std::to_string(group.instances),
                   std::to_string(group.warm), std::to_string(group.idle)});
    }
    return table.to_text(style);
}

std::string text_of(const GroupShowReply& reply, CivilMs now, const Style& style) {
    Facts facts{style};
    facts.add("group", reply.group.name);
    for (const std::string& task : in_natural_order(reply.tasks, std::identity{})) {
        facts.add("task", task);
    }
    Table table{{"WARM NODE", "NOW", "STARTED"}};
    for (const WarmNodeView& node : reply.nodes) {
        table.add({node.node, node.idle ? "idle" : "busy", age(node.started, now)});
    }
    return facts.text() + (reply.nodes.empty() ? "" : '\n' + table.to_text(style));
}

std::string text_of(const FreezeReply& reply, CivilMs now, const Style& style) {
    const FreezeView& freeze = reply.freeze;
    Facts facts{style};
    facts.add("freeze", freeze.on ? "on: no node becomes lost, and nothing is rescheduled" : "off",
              freeze.on ? Tone::bad : Tone::good);
    facts.add_if(freeze.on, "since", age(freeze.since, now) + " ago");
    if (freeze.manual) {
        facts.add("by", fmt::format("{}{}{}", freeze.author.empty() ? "?" : freeze.author,
                                    freeze.reason.empty() ? "" : ": ", freeze.reason));
    } else if (freeze.on) {
        facts.add("by", "silent nodes");
    }
    facts.add("silent", fmt::format("{} of {}", freeze.silent, counted(freeze.counted, "node")));
    facts.add("then", freeze.detail);
    return facts.text();
}

}  // namespace muster::cli
