#include "coordinator/core/queries/lists/listing.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include "common/text/pattern.hpp"
#include "coordinator/core/queries/matching.hpp"
#include "coordinator/core/queries/queries.hpp"
#include "coordinator/core/queries/read_scope.hpp"
#include "coordinator/core/queries/task_reader.hpp"

namespace muster::coordinator {

namespace {

using NamesOfNodes = std::vector<std::string>;

/// A piece takes about 0.2 ms. Each copy of a task is read.
constexpr std::size_t copies_of_piece = 10'000;
constexpr std::size_t copies_that_take_as_long_as_a_row = 20;
constexpr std::size_t nodes_of_piece = 100;

std::vector<TaskView> by_name(std::deque<TaskView> rows) {
    std::vector<TaskView> tasks{std::move_iterator{rows.begin()}, std::move_iterator{rows.end()}};
    // A task that was removed and added meanwhile may have had two indices, and so two rows.
    std::ranges::stable_sort(tasks, {}, &TaskView::name);
    const auto is_again = [](const auto& one, const auto& next) { return one.name == next.name; };
    tasks.erase(std::unique(tasks.begin(), tasks.end(), is_again), tasks.end());
    return tasks;
}

}  // namespace

std::optional<Listing> Listing::of(const CoreRequestBody& request) {
    if (const auto* const tasks = std::get_if<TaskListRequest>(&request)) {
        return Listing{tasks->pattern, TaskListReply{}};
    }
    if (const auto* const nodes = std::get_if<NodeListRequest>(&request)) {
        return Listing{nodes->pattern, NodeListReply{}};
    }
    return std::nullopt;
}

bool Listing::go_on(const Facts& facts) {
    if (const auto sound = pattern::check(pattern_); !sound) {
        refusal_ = sound.error();
        return false;
    }
    auto* const nodes = std::get_if<NodeListReply>(&reply_);
    const bool has_more = nodes == nullptr ? add_tasks(facts) : add_nodes(facts, *nodes);
    if (const auto affordable = check_steps(steps_, most_steps_of_one); !affordable) {
        refusal_ = affordable.error();
        return false;
    }
    return has_more;
}

bool Listing::matches(std::string_view name) {
    return steps_ <= most_steps_of_one && pattern::matches_sound(pattern_, name, steps_);
}

bool Listing::add_tasks(const Facts& facts) {
    const Workload& workload = facts.copies.workload;
    TaskReader reader{workload, facts.planner()};
    const ReadScope scope{facts, by_};
    for (std::size_t effort = 0; next_task_ < workload.bound(); ++next_task_) {
        if (effort >= copies_of_piece) {
            return true;
        }
        const Task& task = workload[TaskIndex{next_task_}];
        effort += 1;
        if (task.wanted && matches(task.name) && scope.sees_task(task.name)) {
            tasks_.push_back(reader.shown(TaskIndex{next_task_}));
            effort += copies_that_take_as_long_as_a_row + task.ordinals();
        }
    }
    return false;
}

bool Listing::add_nodes(const Facts& facts, NodeListReply& reply) {
    const auto& nodes = facts.nodes.by_name();
    auto node = last_node_.empty() ? nodes.begin() : nodes.upper_bound(last_node_);
    for (std::size_t seen = 0; node != nodes.end(); ++node) {
        if (seen++ == nodes_of_piece) {
            return true;
        }
        last_node_ = facts.nodes[*node].name;
        if (matches(last_node_)) {
            reply.nodes.push_back(view_of(facts, *node));
        }
    }
    if (facts.ledger.intents().count_soon().removed > 0) {
        NamesOfNodes removed;
        facts.ledger.intents().rows().each([&](const std::string& name, const StoredIntent& row) {
            if (row.admission == Admission::removed) {
                removed.push_back(name);
            }
        });
        reply.removed = names_matching(pattern_, std::move(removed)).value_or(NamesOfNodes{});
    }
    reply.refused =
        names_matching(pattern_,
                       facts.membership.refusals().recent(facts.liveness.rounds().current()))
            .value_or(NamesOfNodes{});
    return false;
}

Result<ReplyBody> Listing::take() {
    if (refusal_) {
        return tl::unexpected{*std::move(refusal_)};
    }
    if (auto* const tasks = std::get_if<TaskListReply>(&reply_)) {
        tasks->tasks = by_name(std::move(tasks_));
    }
    return std::move(reply_);
}

Result<ReplyBody> list_all(const Facts& facts, Listing list) {
    while (list.go_on(facts)) {
    }
    return list.take();
}

}  // namespace muster::coordinator
