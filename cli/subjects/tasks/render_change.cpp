#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"

namespace muster::cli {

namespace {

bool is_change(const TaskChange& change) { return change.action != "unchanged"; }

std::string instances_of(const TaskChange& change) {
    const auto words_of = [](bool every_node, std::uint32_t instances) {
        return every_node && instances > 0 ? "every node" : std::to_string(instances);
    };
    const bool becomes_other =
        std::ranges::find(change.fields, "every_node") != change.fields.end();
    const auto before = words_of(change.every_node != becomes_other, change.instances_before);
    const auto after = words_of(change.every_node, change.instances_after);
    return before == after ? after : fmt::format("{} -> {}", before, after);
}

/// The table of changes, and below it a line with their total.
std::string with_sum(const Table& table, const Style& style, const auto& reply, std::size_t changed,
                     std::string_view thing) {
    const auto same = reply.changes.size() - changed;
    const auto unchanged = same == 0 ? std::string{} : fmt::format(", {} unchanged", same);
    if (changed == 0) {
        return fmt::format("nothing to change{}\n", unchanged);
    }
    return table.to_text(style) + fmt::format("{} {}{}\n", counted(changed, thing),
                                              reply.dry_run ? "would change" : "changed",
                                              unchanged);
}

}  // namespace

bool changes_anything(const ChangeReply& reply) {
    return std::any_of(reply.changes.begin(), reply.changes.end(), is_change);
}

std::string text_of(const ChangeReply& reply, const Style& style) {
    Table table{{"TASK", "ACTION", "INSTANCES", "GENERATION", "CHANGED"}};
    std::size_t changed = 0;
    for (const TaskChange& change : in_natural_order(reply.changes, &TaskChange::task)) {
        if (is_change(change)) {
            ++changed;
            table.add({change.task, Cell{change.action, tone_of(change.action)},
                       instances_of(change), std::to_string(raw(change.generation)),
                       fmt::format("{}", fmt::join(change.fields, ", "))});
        }
    }
    return with_sum(table, style, reply, changed, "task");
}

std::string text_of(const NodesChangeReply& reply, const Style& style) {
    Table table{{"NODE", "ACTION", "INTENT", "DETAIL"}};
    std::size_t changed = 0;
    for (const NodeChangeView& change : in_natural_order(reply.changes, &NodeChangeView::node)) {
        if (change.action == "unchanged") {
            continue;
        }
        ++changed;
        const std::string after = change.intent_after.empty() ? "removed" : change.intent_after;
        table.add({change.node, Cell{change.action, tone_of(change.action)},
                   change.intent_before == after
                       ? after
                       : fmt::format("{} -> {}", change.intent_before, after),
                   change.detail});
    }
    return with_sum(table, style, reply, changed, "node");
}

std::string text_of(const LimitsReply& reply, const Style& style) {
    const auto text_of = [](std::optional<std::uint32_t> value) {
        return value ? std::to_string(*value) : std::string{"none"};
    };
    Table table{{"LIMIT", "VALUE", "APPLIES", "USED", "WHAT IT BOUNDS"}};
    for (const LimitView& limit : reply.limits) {
        table.add({limit.name, text_of(limit.value), text_of(limit.applies),
                   std::to_string(limit.used), limit.detail});
    }
    return table.to_text(style);
}

std::string text_of(const StoreAcceptReply& reply, const Style& style) {
    if (reply.nodes.empty()) {
        return "no node is ahead of this store\n";
    }
    Table table{{"NODE", "CLUSTER", "EPOCH", "COUNTER", "LEFT OUT"}};
    std::size_t taken = 0;
    for (const AheadNode& node : in_natural_order(reply.nodes, &AheadNode::name)) {
        taken += node.left_out.empty() ? 1U : 0U;
        table.add({node.name, to_string(node.cluster), std::to_string(raw(node.epoch)),
                   std::to_string(raw(node.counter)), node.left_out});
    }
    const std::string nodes = counted(taken, "node");
    return table.to_text(style) +
           (reply.dry_run
                ? fmt::format("{} would be taken over, and every task would be rolled out again\n",
                              nodes)
                : fmt::format("{} {} taken over, and every task is rolled out again\n", nodes,
                              taken == 1 ? "is" : "are"));
}

}  // namespace muster::cli
