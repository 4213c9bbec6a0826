#include "cli/subjects/render.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "cli/screen/text.hpp"
#include "cli/subjects/cluster/render_explain.hpp"
#include "cli/subjects/cluster/render_fleet.hpp"
#include "cli/subjects/cluster/render_stats.hpp"
#include "cli/subjects/nodes/render_nodes.hpp"
#include "cli/subjects/tasks/render_change.hpp"
#include "cli/subjects/tasks/render_usage.hpp"

namespace muster::cli {

namespace {

std::string text_of(const HelpReply& reply, CivilMs /*now*/, const Style& style) {
    Table table{{"USAGE", "WHAT IT DOES", "EXAMPLE"}};
    for (const VerbHelp& verb : reply.verbs) {
        table.add({verb.usage, verb.summary, verb.example});
    }
    return table.to_text(style);
}

std::string text_of(const PingReply& reply, CivilMs /*now*/, const Style& /*style*/) {
    return fmt::format("muster-coordinator {} leads cluster {}, epoch {}\n",
                       printable(reply.version), to_string(reply.cluster), raw(reply.epoch));
}

std::string text_of(const StatusReply& reply, CivilMs /*now*/, const Style& style) {
    return render_status(reply, style);
}

std::string text_of(const StatsReply& reply, CivilMs /*now*/, const Style& style) {
    return render_stats(reply, style);
}

std::string text_of(const ReportedReply& reply, CivilMs now, const Style& style) {
    return render_reported(reply, now, style);
}

std::string text_of(const NodeListReply& reply, CivilMs now, const Style& style) {
    return render_node_list(reply, now, style);
}

std::string text_of(const NodeShowReply& reply, CivilMs now, const Style& style) {
    return render_node(reply, now, style);
}

std::string text_of(const TaskListReply& reply, CivilMs /*now*/, const Style& style) {
    return reply.tasks.empty() ? "no tasks\n" : render_tasks(reply.tasks, style);
}

std::string text_of(const TaskShowReply& reply, CivilMs now, const Style& style) {
    return render_task(reply, now, style);
}

std::string text_of(const GroupListReply& reply, CivilMs /*now*/, const Style& style) {
    return reply.groups.empty() ? "no groups\n" : render_groups(reply.groups, style);
}

std::string text_of(const GroupShowReply& reply, CivilMs now, const Style& style) {
    return render_group(reply, now, style);
}

std::string text_of(const EventsReply& reply, CivilMs /*now*/, const Style& style) {
    EventLines lines{style};
    for (const Event& event : reply.events) {
        lines.make_room_for(event);
    }
    std::string text;
    for (const Event& event : reply.events) {
        text += lines.text_of(event);
    }
    return text;
}

std::string text_of(const WaitReply& reply, CivilMs /*now*/, const Style& style) {
    return render_tasks(reply.tasks, style);
}

std::string text_of(const ChangeReply& reply, CivilMs /*now*/, const Style& style) {
    return render_change(reply, style);
}

std::string text_of(const TermReply& reply, CivilMs /*now*/, const Style& /*style*/) {
    return fmt::format("term {} is open\n", raw(reply.term));
}

std::string text_of(const StoreAcceptReply& reply, CivilMs /*now*/, const Style& style) {
    return render_accepted(reply, style);
}

std::string text_of(const NodesChangeReply& reply, CivilMs /*now*/, const Style& style) {
    return render_nodes_change(reply, style);
}

std::string text_of(const LimitsReply& reply, CivilMs /*now*/, const Style& style) {
    return render_limits(reply, style);
}

std::string text_of(const FreezeReply& reply, CivilMs now, const Style& style) {
    return render_freeze(reply, now, style);
}

std::string text_of(const LogLevelReply& reply, CivilMs /*now*/, const Style& /*style*/) {
    return fmt::format("the coordinator logs from level {} on\n", printable(reply.level));
}

std::string text_of(const ExplainReply& reply, CivilMs now, const Style& style) {
    return render_explanation(reply, now, style);
}

std::string text_of(const PlanReply& reply, CivilMs /*now*/, const Style& style) {
    return render_plan(reply, style);
}

std::string text_of(const RebalanceReply& reply, CivilMs /*now*/, const Style& /*style*/) {
    return fmt::format("the moves are decided when term {} closes\n", raw(reply.term));
}

// What it says is written as it is by the verb, which alone asks for it.
std::string text_of(const LogsReply& reply, CivilMs /*now*/, const Style& /*style*/) {
    return fmt::format("{} of {} on {}\n", bytes_for_people(reply.data.size()),
                       printable(to_string(reply.id)), printable(reply.node));
}

std::string text_of(const TaskSignalReply& reply, CivilMs /*now*/, const Style& style) {
    Table table{{"INSTANCE", "NODE", "SIGNAL", "DETAIL"}};
    for (const SignalView& view : reply.instances) {
        table.add({to_string(view.id), view.node,
                   view.detail.empty() ? Cell{"SIG" + reply.signal, Tone::good}
                                       : Cell{"-", Tone::attention},
                   view.detail});
    }
    return table.to_text(style);
}

std::string text_of(const UsageReply& reply, CivilMs /*now*/, const Style& style) {
    return render_usage(reply, style);
}

}  // namespace

std::string render(const ReplyBody& reply, CivilMs now, const Style& style) {
    return std::visit([&](const auto& body) { return text_of(body, now, style); }, reply);
}

void EventLines::make_room_for(const Event& event) {
    topic_ = std::max(topic_, width_of(printable(event.topic)));
    name_ = std::max(name_, width_of(printable(event.name)));
}

std::string EventLines::text_of(const Event& event) {
    make_room_for(event);
    const auto head = fmt::format("{:>6}  {}  {:<{}}  {:<{}}", event.sequence, civil_time(event.at),
                                  printable(event.topic), topic_, printable(event.name), name_);
    const auto at = width_of(head) + 2;
    std::string text;
    for (const auto& line :
         wrapped(printable(event.detail), style_.columns > at ? style_.columns - at : 0)) {
        const auto whole = (text.empty() ? head : std::string(at - 2, ' ')) + "  " + line;
        text += whole.substr(0, whole.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
}

}  // namespace muster::cli
