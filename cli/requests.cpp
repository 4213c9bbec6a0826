#include "cli/requests.hpp"

#include <charconv>
#include <concepts>
#include <limits>
#include <utility>

#include "common/ensure.hpp"
#include "common/ids.hpp"
#include "common/limits.hpp"
#include "common/pattern.hpp"
#include "common/read_file.hpp"
#include "common/spec_toml.hpp"

namespace muster::cli {

namespace {

using Made = tl::expected<RequestBody, BadRequest>;

tl::unexpected<BadRequest> usage(std::string detail) {
    return tl::unexpected(BadRequest{true, {Errc::invalid, std::move(detail)}});
}

tl::unexpected<BadRequest> bad_content(Error error) {
    return tl::unexpected(BadRequest{false, std::move(error)});
}

template <std::unsigned_integral Number>
tl::expected<Number, BadRequest> number_of(const std::string& what, const std::string& text) {
    Number number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (text.empty() || read.ec != std::errc{} || read.ptr != end) {
        return usage(what + " is a number from 0 to " +
                     std::to_string(std::numeric_limits<Number>::max()) + ", not '" + text + "'");
    }
    return number;
}

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
                        .dry_run = line.verb == Verb::plan};
}

RestartPolicy policy_of(std::string_view text) {
    for (const auto policy : {RestartPolicy::on_failure, RestartPolicy::never}) {
        if (text == to_string(policy)) {
            return policy;
        }
    }
    ensure(text == to_string(RestartPolicy::always), "the words of an option are checked before");
    return RestartPolicy::always;
}

Made new_task(const CommandLine& line) {
    WantedTask task;
    task.name = line.arguments[0];
    task.spec.argv.assign(line.arguments.begin() + 1, line.arguments.end());
    task.spec.workdir = line.value("--workdir").value_or("");
    for (const std::string& pair : line.values("--env")) {
        const auto equals = pair.find('=');
        if (equals == std::string::npos || equals == 0) {
            return usage("--env is KEY=VALUE, not '" + pair + "'");
        }
        task.spec.env[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
    const auto instances =
        number_of<std::uint32_t>("--instances", line.value("--instances").value_or("1"));
    const auto per_node =
        number_of<std::uint32_t>("--max-per-node", line.value("--max-per-node").value_or("1"));
    if (!instances || !per_node) {
        return tl::unexpected(instances ? per_node.error() : instances.error());
    }
    task.instances = *instances;
    task.spec.max_per_node = *per_node;
    task.spec.stop_signal = line.value("--stop-signal").value_or(task.spec.stop_signal);
    if (const auto grace = line.value("--grace")) {
        const auto parsed = parse_duration(*grace);
        if (!parsed) {
            return usage("--grace: " + parsed.error().detail);
        }
        task.spec.grace = *parsed;
    }
    task.spec.restart = policy_of(line.value("--restart").value_or("always"));
    if (auto valid = validate(task); !valid) {
        return bad_content(valid.error());
    }
    return TaskAddRequest{std::move(task)};
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
    switch (line.verb) {
        case Verb::apply:
        case Verb::plan: return tasks_of_file(line);
        case Verb::status: return StatusRequest{};
        case Verb::node_list: return NodeListRequest{pattern_of(line)};
        case Verb::node_show: return show<NodeShowRequest, NodeListRequest>(line, "node");
        case Verb::task_list: return TaskListRequest{pattern_of(line)};
        case Verb::task_show: return show<TaskShowRequest, TaskListRequest>(line, "task");
        case Verb::task_add: return new_task(line);
        case Verb::task_remove: return TaskRemoveRequest{line.arguments[0]};
        case Verb::task_scale: return scale(line);
        case Verb::task_restart: return TaskRestartRequest{line.arguments[0]};
        case Verb::wait: return WaitRequest{.pattern = line.arguments[0]};
        case Verb::events: return events(line);
        case Verb::term_now: return TermNowRequest{};
        case Verb::store_accept: return StoreAcceptRequest{line.has("--dry-run")};
        case Verb::log_level: return LogLevelRequest{line.arguments[0]};
        case Verb::ping: return PingRequest{};
        case Verb::help:
        case Verb::completion:
        case Verb::version: break;
    }
    ensure(false, "only verbs that ask the coordinator become requests");
    return HelpRequest{};
}

}  // namespace muster::cli
