#include "cli/render_fleet.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/text.hpp"
#include "common/spec_toml.hpp"

namespace muster::cli {

namespace {

/// `name  value` lines, the names aligned.
class Facts {
public:
    explicit Facts(const Style& style) : style_{style} {}

    void add(std::string_view name, std::string_view value, Tone tone = Tone::plain) {
        const auto width = style_.columns;
        const auto clean = printable(value);
        text_ += toned(fmt::format("{:<12}", name), Tone::faint, style_) +
                 toned(width > 12 ? cut_to(clean, width - 12) : clean, tone, style_) + '\n';
    }
    [[nodiscard]] std::string text() const { return text_; }

private:
    Style style_;
    std::string text_;
};

std::string how_it_ended(const InstanceView& instance) {
    if (instance.exit_signal != 0) {
        return fmt::format("signal {}", instance.exit_signal);
    }
    return instance.exit_code >= 0 ? fmt::format("exit {}", instance.exit_code) : std::string{};
}

std::string instances_table(std::span<const InstanceView> instances, CivilMs now,
                            const Style& style) {
    if (instances.empty()) {
        return "no instances\n";
    }
    Table table{
        {"INSTANCE", "NODE", "STATE", "UP", "RESTARTS", "LAST END", "GENERATION", "DETAIL"}};
    for (const InstanceView& instance : instances) {
        const bool up = instance.state == "running";
        const auto detail =
            instance.stray ? "stray: not of this store; " + instance.detail : instance.detail;
        table.add({to_string(instance.id), instance.node.empty() ? "-" : instance.node,
                   Cell{instance.state, tone_of(instance.state)},
                   up ? age(instance.started, now) : "-", std::to_string(instance.restarts),
                   how_it_ended(instance), std::to_string(raw(instance.generation)), detail});
    }
    return table.to_text(style);
}

void add_reasons(Facts& facts, std::span<const UnplacedReason> reasons) {
    for (const UnplacedReason& reason : reasons) {
        facts.add("unplaced", fmt::format("{} {}: {}", reason.count, reason.code, reason.detail),
                  Tone::bad);
    }
}

/// As it could be typed: words with anything but harmless characters in quotes.
std::string command_line_of(std::span<const std::string> argv) {
    std::string text;
    for (const std::string& word : argv) {
        const bool plain = !word.empty() &&
                           word.find_first_of(" \t\n\"'\\$`*?[](){}<>|&;#~!") == std::string::npos;
        std::string quoted = word;
        for (auto at = quoted.find('\''); at != std::string::npos; at = quoted.find('\'', at + 4)) {
            quoted.replace(at, 1, "'\\''");
        }
        text += (text.empty() ? "" : " ") + (plain ? word : '\'' + quoted + '\'');
    }
    return text;
}

}  // namespace

std::string render_status(const StatusReply& status, const Style& style) {
    Facts facts{style};
    facts.add("cluster", to_string(status.cluster));
    facts.add(
        "leader",
        fmt::format("{}, epoch {}, term {}", status.phase, raw(status.epoch), raw(status.term)),
        tone_of(status.phase));
    facts.add("nodes",
              fmt::format("{} of {} serving, {} lost", status.serving, status.nodes, status.lost),
              status.lost > 0 ? Tone::attention : Tone::plain);
    facts.add("instances", fmt::format("{} of {} running, of {}", status.running, status.wanted,
                                       counted(status.tasks, "task")));
    std::vector<std::string> open;
    const auto note = [&](std::uint32_t count, std::string_view what) {
        if (count > 0) {
            open.push_back(fmt::format("{} {}", count, what));
        }
    };
    note(status.moving, "in flight");
    note(status.unplaced, "unplaced");
    note(status.failed, "failed");
    note(status.strays, "stray");
    note(status.ahead, "ahead");
    const std::string_view state = !status.converged ? "not as wanted"
                                   : open.empty()    ? "converged"
                                                     : "nothing left to do";
    const auto rest =
        open.empty() ? std::string{state} : fmt::format("{}: {}", state, fmt::join(open, ", "));
    facts.add("state", rest, status.converged && open.empty() ? Tone::good : Tone::attention);
    add_reasons(facts, status.unplaced_reasons);
    for (const std::string& alarm : status.alarms) {
        facts.add("alarm", alarm, Tone::bad);
    }
    return facts.text();
}

std::string render_nodes(std::span<const NodeView> nodes, CivilMs now, const Style& style) {
    Table table{
        {"NODE", "HEALTH", "INSTANCES", "LOAD", "ANSWERED", "INCARNATION", "VERSION", "NOTE"}};
    for (const NodeView& node : nodes) {
        table.add({node.name, Cell{node.health, tone_of(node.health)},
                   std::to_string(node.instances),
                   fmt::format("{}.{:02}", node.load_milli / 1000, node.load_milli % 1000 / 10),
                   age(node.last_answer, now), std::to_string(raw(node.incarnation)), node.version,
                   node.note});
    }
    return table.to_text(style);
}

std::string render_node(const NodeShowReply& reply, CivilMs now, const Style& style) {
    return render_nodes(std::span{&reply.node, 1}, now, style) + '\n' +
           instances_table(reply.instances, now, style);
}

std::string render_tasks(std::span<const TaskView> tasks, const Style& style) {
    Table table{{"TASK", "STATE", "RUNNING", "GENERATION", "DETAIL"}};
    for (const TaskView& task : tasks) {
        table.add({task.name, Cell{task.state, tone_of(task.state)},
                   fmt::format("{}/{}", task.running, task.instances),
                   std::to_string(raw(task.generation)), task.detail});
    }
    return table.to_text(style);
}

std::string render_task(const TaskShowReply& reply, CivilMs now, const Style& style) {
    const TaskSpec& spec = reply.wanted.spec;
    Facts facts{style};
    facts.add("task", reply.task.name);
    facts.add("state",
              reply.task.detail.empty()
                  ? reply.task.state
                  : fmt::format("{}: {}", reply.task.state, reply.task.detail),
              tone_of(reply.task.state));
    facts.add("instances", fmt::format("{} of {} running, at most {} on a node", reply.task.running,
                                       reply.wanted.instances, spec.max_per_node));
    facts.add("generation", std::to_string(raw(reply.task.generation)));
    facts.add("command", command_line_of(spec.argv));
    for (const auto& [key, value] : spec.env) {
        facts.add("environment", fmt::format("{}={}", key, value));
    }
    facts.add("directory", spec.workdir.empty() ? "one of its own" : spec.workdir);
    facts.add("restart", to_string(spec.restart));
    facts.add("stop", fmt::format("{}, killed after {}", spec.stop_signal, to_string(spec.grace)));
    facts.add("update", fmt::format("{} more, {} fewer at a time", spec.update.max_surge,
                                    spec.update.max_unavailable));
    add_reasons(facts, reply.unplaced_reasons);
    return facts.text() + '\n' + instances_table(reply.instances, now, style);
}

}  // namespace muster::cli
