#include "cli/subjects/requests.hpp"

#include <string>
#include <utility>

#include "cli/subjects/request_values.hpp"
#include "common/base/ensure.hpp"
#include "common/base/ids.hpp"
#include "common/base/limits.hpp"
#include "common/base/read_file.hpp"
#include "common/config/spec_toml.hpp"
#include "common/text/pattern.hpp"

namespace muster::cli {

namespace {

Made tasks_of_file(const CommandLine& line) {
    const std::string verb{entry_of(line.verb).words};
    const auto path = line.value("--file");
    if (!path) {
        return usage("which file? It is 'muster " + verb + " -f FILE', and - is standard input");
    }
    if (line.values("--file").size() > 1) {
        return usage("--file is given twice; one file holds all tasks of a 'muster " + verb + "'");
    }
    const auto text = read_file(*path, limits::upload_bytes);
    if (!text) {
        return bad_content(text.error());
    }
    auto tasks = tasks_from_toml(*text, *path == "-" ? "standard input" : *path);
    if (!tasks) {
        return bad_content(tasks.error());
    }
    return ApplyRequest{.tasks = std::move(*tasks),
                        .replace = line.has("--replace"),
                        .dry_run = line.verb == Verb::plan,
                        .force = line.has("--force")};
}

Made status(const CommandLine& line) {
    if (!line.has("--reported")) {
        return StatusRequest{};
    }
    if (line.has("--check")) {
        return usage("--check is of what is wanted, and --reported of what runs: use one of them");
    }
    return ReportedRequest{};
}

Made plan(const CommandLine& line) {
    const bool asks_what_if = line.has("--fail") || line.has("--without-task") ||
                              line.has("--add-nodes") || line.has("--rebalance");
    if (!asks_what_if) {
        return tasks_of_file(line);
    }
    if (line.has("--file") || line.has("--replace")) {
        return usage(
            "a file says what is to be wanted, and --fail, --without-task, --add-nodes "
            "and --rebalance ask what would be if: one of them at a time");
    }
    for (const std::string& selector : line.values("--fail")) {
        const auto equals = selector.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == selector.size()) {
            return usage("--fail is node=PATTERN, or LABEL=PATTERN as in rack=r3; not '" +
                         selector + "'");
        }
    }
    const auto add = number_of<std::uint32_t>(
        "--add-nodes", line.value("--add-nodes").value_or("0"), limits::nodes);
    if (!add) {
        return tl::unexpected(add.error());
    }
    return PlanRequest{.fail = line.values("--fail"),
                       .without_tasks = line.values("--without-task"),
                       .add_nodes = *add,
                       .rebalance = line.has("--rebalance")};
}

Made scale(const CommandLine& line) {
    const auto instances = number_of<std::uint32_t>("N", line.arguments[1]);
    if (!instances) {
        return tl::unexpected(instances.error());
    }
    return TaskScaleRequest{.pattern = line.arguments[0], .instances = *instances};
}

Made events(const CommandLine& line) {
    const auto since = number_of<std::uint64_t>("--since", line.value("--since").value_or("0"));
    if (!since) {
        return tl::unexpected(since.error());
    }
    return EventsRequest{.since = *since};
}

/// A name that cannot be is not found; a pattern that cannot be makes no sense.
tl::expected<void, BadRequest> check_pattern(const CommandLine& line) {
    const Words kind = entry_of(line.verb).argument_words;
    if (line.arguments.empty() || (kind != Words::node && kind != Words::task)) {
        return {};
    }
    const std::string& text = line.arguments[0];
    if (text.empty() || !pattern::is_name(text)) {
        if (auto checked = pattern::check(text); !checked) {
            return usage(checked.error().detail);
        }
    }
    return {};
}

Made logs(const CommandLine& line) {
    LogsRequest request{.instance = line.arguments[0],
                        .node = line.value("--node").value_or(""),
                        .stream = line.has("--stderr") ? LogStream::err : LogStream::out};
    if (const auto text = line.value("--since")) {
        const auto since = parse_duration(*text);
        if (!since || *since <= Duration{}) {
            return usage("--since: " + (since ? "it is more than 0s" : since.error().detail));
        }
        request.since_ms = static_cast<std::uint64_t>(to_ms(*since));
    }
    return request;
}

/// One by its name; for a pattern, which there are.
template <class One, class All>
Made show(const CommandLine& line, std::string_view thing) {
    const std::string& name = line.arguments[0];
    if (!pattern::is_name(name)) {
        return All{name};
    }
    if (!is_valid_name(name)) {
        return bad_content({Errc::not_found, "no " + std::string{thing} + " is called '" + name +
                                                 "': " + std::string{name_rule()}});
    }
    return One{name};
}

std::string pattern_of(const CommandLine& line) {
    return line.arguments.empty() ? "*" : line.arguments[0];
}

}  // namespace

Made request_of(const CommandLine& line) {
    if (auto checked = check_pattern(line); !checked) {
        return tl::unexpected(checked.error());
    }
    if (auto of_nodes = node_request_of(line)) {
        return *of_nodes;
    }
    switch (line.verb) {
        case Verb::apply: return tasks_of_file(line);
        case Verb::plan: return plan(line);
        case Verb::rebalance: return RebalanceRequest{};
        case Verb::explain_instance: return ExplainRequest{Subject::instance, line.arguments[0]};
        case Verb::explain_task: return ExplainRequest{Subject::task, line.arguments[0]};
        case Verb::explain_node: return ExplainRequest{Subject::node, line.arguments[0]};
        case Verb::status: return status(line);
        case Verb::stats: return StatsRequest{};
        case Verb::node_list: return NodeListRequest{pattern_of(line)};
        case Verb::node_show: return show<NodeShowRequest, NodeListRequest>(line, "node");
        case Verb::task_list: return TaskListRequest{pattern_of(line)};
        case Verb::task_show: return show<TaskShowRequest, TaskListRequest>(line, "task");
        case Verb::group_list: return GroupListRequest{pattern_of(line)};
        case Verb::group_show: return GroupShowRequest{line.arguments[0]};
        case Verb::task_add: return request_to_add(line);
        case Verb::task_remove: return TaskRemoveRequest{line.arguments[0]};
        case Verb::task_scale: return scale(line);
        case Verb::task_restart: return TaskRestartRequest{line.arguments[0]};
        case Verb::task_signal: return TaskSignalRequest{line.arguments[0], line.arguments[1]};
        case Verb::logs: return logs(line);
        case Verb::top: return UsageRequest{line.value("--node").value_or("*"), pattern_of(line)};
        case Verb::wait: return WaitRequest{.pattern = line.arguments[0]};
        case Verb::events: return events(line);
        case Verb::term_now: return TermNowRequest{};
        case Verb::store_accept: return StoreAcceptRequest{line.has("--dry-run")};
        case Verb::limit_list: return LimitListRequest{};
        case Verb::freeze_show: return FreezeShowRequest{};
        case Verb::log_level: return LogLevelRequest{line.arguments[0]};
        case Verb::ping: return PingRequest{};
        case Verb::node_offline:
        case Verb::node_online:
        case Verb::node_drain:
        case Verb::node_forgive:
        case Verb::node_add:
        case Verb::node_remove:
        case Verb::node_apply:
        case Verb::limit_set:
        case Verb::freeze_on:
        case Verb::freeze_off:
        case Verb::help:
        case Verb::completion:
        case Verb::version: break;
    }
    ensure(false, "only verbs that ask the coordinator become requests");
    return HelpRequest{};
}

}  // namespace muster::cli
