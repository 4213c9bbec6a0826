#include "cli/subjects/render.hpp"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "cli/screen/text.hpp"
#include "common/spec/quantity.hpp"

namespace muster::cli {

namespace {

std::string text_of(const HelpReply& reply, const Style& style) {
    Table table{{"USAGE", "WHAT IT DOES", "EXAMPLE"}};
    for (const VerbHelp& verb : reply.verbs) {
        table.add({verb.usage, verb.summary, verb.example});
    }
    return table.to_text(style);
}

std::string text_of(const PingReply& reply, const Style& /*style*/) {
    return fmt::format("muster-coordinator {} of cluster {}, epoch {}\n", printable(reply.version),
                       to_string(reply.cluster), raw(reply.epoch));
}

/// Where earlier events are, if the reply has the first event of a leadership.
std::string earlier_events(const EventsReply& reply, CivilMs now) {
    if (reply.events.empty() || reply.events.front().topic != "leader.elected" ||
        reply.epoch <= Epoch{1}) {
        return {};
    }
    const CivilMs began = reply.events.front().at;
    return fmt::format(
        "events since the coordinator started at {} ({} ago); earlier ones are in its log\n",
        civil_time(began), age(began, now));
}

std::string text_of(const EventsReply& reply, CivilMs now, const Style& style) {
    EventLines lines{style};
    for (const Event& event : reply.events) {
        lines.make_room_for(event);
    }
    std::string text = earlier_events(reply, now);
    for (const Event& event : reply.events) {
        text += lines.text_of(event);
    }
    return text;
}

std::string text_of(const RoundReply& reply, const Style& /*style*/) {
    return fmt::format("round {} is open\n", raw(reply.round));
}

std::string text_of(const LogLevelReply& reply, const Style& /*style*/) {
    return fmt::format("the log level of the coordinator is {}\n", printable(reply.level));
}

std::string text_of(const RebalanceReply& reply, const Style& /*style*/) {
    return fmt::format("the coordinator decides the moves when round {} closes\n",
                       raw(reply.round));
}

// The verb writes the data itself, and is the only one to request it.
std::string text_of(const LogsReply& reply, const Style& /*style*/) {
    return fmt::format("{} of {} on {}\n", size_text(reply.data.size()),
                       printable(to_string(reply.id)), printable(reply.node));
}

std::string text_of(const TaskSignalReply& reply, const Style& style) {
    Table table{{"INSTANCE", "NODE", "SIGNAL", "DETAIL"}};
    for (const SignalView& view : in_natural_order(reply.instances, &SignalView::id)) {
        table.add({to_string(view.id), view.node,
                   view.detail.empty() ? Cell{"SIG" + reply.signal, Tone::good}
                                       : Cell{"-", Tone::attention},
                   view.detail});
    }
    return table.to_text(style);
}

}  // namespace

std::string render(const ReplyBody& reply, CivilMs now, const Style& style) {
    const auto text = [&](const auto& body) {
        if constexpr (requires { text_of(body, now, style); }) {
            return text_of(body, now, style);
        } else {
            return text_of(body, style);
        }
    };
    return std::visit(text, reply);
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
