#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"
#include "common/spec/quantity.hpp"

namespace muster::cli {

namespace {

struct Line {
    const UsageInstance* instance = nullptr;
    double percent = 0;  // Of one core.
    bool is_measured = false;
};

struct Sum {
    double percent = 0;
    std::uint64_t memory_bytes = 0;
    std::uint64_t instances = 0;
    std::uint64_t restarts = 0;
};

/// When each node was measured, and the total use of its instances at that time.
class Measurement {
public:
    explicit Measurement(const UsageReply& usage) {
        for (const UsageNode& node : usage.nodes) {
            at_us_.emplace(node.name, node.at_us);
        }
        for (const UsageInstance& instance : usage.instances) {
            cpu_us_.emplace(std::pair{instance.node, instance.use.id}, instance.use.cpu_us);
        }
    }

    /// The use at `at_us`. Unknown without an earlier measurement, or after a restart from 0.
    [[nodiscard]] Line line(const UsageInstance& instance, std::uint64_t at_us) const {
        const auto at = at_us_.find(instance.node);
        const auto cpu = cpu_us_.find({instance.node, instance.use.id});
        if (at == at_us_.end() || cpu == cpu_us_.end() || at->second == 0 || at_us <= at->second ||
            instance.use.cpu_us < cpu->second) {
            return {&instance};
        }
        const auto used = static_cast<double>(instance.use.cpu_us - cpu->second);
        return {&instance, used * 100 / static_cast<double>(at_us - at->second), true};
    }

private:
    std::map<std::string, std::uint64_t> at_us_;
    std::map<std::pair<std::string, InstanceId>, std::uint64_t> cpu_us_;
};

std::string of_capacity(std::string used, std::string capacity) {
    return capacity.empty() ? std::move(used) : std::move(used) + " of " + std::move(capacity);
}

std::string nodes_table(const UsageReply& usage, const std::map<std::string, Sum>& sums,
                        const Style& style) {
    Table table{{"NODE", "CPU", "MEMORY", "LOAD", "INSTANCES", "RESTARTS", "DETAIL"}};
    for (const UsageNode& node : usage.nodes) {
        const auto found = sums.find(node.name);
        const Sum sum = found == sums.end() ? Sum{} : found->second;
        if (node.at_us == 0) {
            table.add({node.name, "-", "-", "-", "-", "-", {node.detail, Tone::attention}});
            continue;
        }
        table.add({node.name,
                   of_capacity(fmt::format("{:.1f}%", sum.percent),
                               node.cpu_milli == 0 ? "" : fmt::format("{}%", node.cpu_milli / 10)),
                   of_capacity(size_text(sum.memory_bytes),
                               node.memory_bytes == 0 ? "" : size_text(node.memory_bytes)),
                   fmt::format("{:.2f}", node.load_milli / 1000.0),
                   std::to_string(sum.instances),
                   std::to_string(sum.restarts),
                   {node.detail, Tone::attention}});
    }
    return table.to_text(style);
}

std::string instances_table(const std::vector<Line>& lines, std::size_t shown, const Style& style) {
    Table table{
        {"INSTANCE", "NODE", "STATE", "CPU", "MEMORY", "PROCESSES", "RESTARTS", "GENERATION"}};
    for (const Line& line : std::span{lines}.first(std::min(shown, lines.size()))) {
        const UsageInstance& instance = *line.instance;
        table.add({to_string(instance.use.id),
                   instance.node,
                   {instance.state, tone_of(instance.state)},
                   line.is_measured ? fmt::format("{:.1f}%", line.percent) : "-",
                   size_text(instance.use.memory_bytes),
                   std::to_string(instance.use.processes),
                   std::to_string(instance.restarts),
                   std::to_string(raw(instance.generation))});
    }
    return table.to_text(style);
}

}  // namespace

std::string render_usage(const UsageReply& before, const UsageReply& after, std::size_t rows,
                         const Style& style) {
    const Measurement earlier{before};
    std::map<std::string, std::uint64_t> at_us;
    for (const UsageNode& node : after.nodes) {
        at_us.emplace(node.name, node.at_us);
    }
    std::vector<Line> lines;
    std::map<std::string, Sum> sums;
    for (const UsageInstance& instance : after.instances) {
        const Line line = earlier.line(instance, at_us[instance.node]);
        lines.push_back(line);
        Sum& sum = sums[instance.node];
        sum.percent += line.percent;
        sum.memory_bytes += instance.use.memory_bytes;
        ++sum.instances;
        sum.restarts += instance.restarts;
    }
    std::ranges::sort(lines, [](const Line& one, const Line& other) {
        const auto rank = [](const Line& line) {
            return std::tuple{-line.percent, ~line.instance->use.memory_bytes};
        };
        return rank(one) == rank(other)
                   ? naturally_less(one.instance->use.id, other.instance->use.id)
                   : rank(one) < rank(other);
    });
    // The nodes take at most half of the room, because they are few or not all of interest.
    constexpr std::size_t around = 4;  // Both headings, the line between, the last line.
    const std::size_t room =
        rows == 0 ? lines.size() + after.nodes.size() : rows - std::min(rows - 1, around);
    UsageReply nodes{.nodes = in_natural_order(after.nodes, &UsageNode::name), .instances = {}};
    const std::size_t nodes_shown =
        std::min(nodes.nodes.size(), std::max(room / 2, room - std::min(room, lines.size())));
    nodes.nodes.resize(nodes_shown);
    const std::size_t shown = std::min(lines.size(), room - nodes_shown);
    std::string text = nodes_table(nodes, sums, style) + "\n";
    text += lines.empty() ? "no instances\n" : instances_table(lines, shown, style);
    const std::size_t more = lines.size() - shown + after.nodes.size() - nodes_shown;
    return more == 0 ? text
                     : text + fmt::format("{} more nodes and {} more instances\n",
                                          after.nodes.size() - nodes_shown, lines.size() - shown);
}

std::string text_of(const UsageReply& usage, const Style& style) {
    return render_usage({}, usage, 0, style);
}

}  // namespace muster::cli
