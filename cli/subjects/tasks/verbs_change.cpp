#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "cli/screen/terminal.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/verbs.hpp"
#include "common/text/pattern.hpp"

namespace muster::cli {

namespace {

/// What a request removes beyond what it names: `task` or `node`, and their names.
struct Removal {
    std::string_view thing = "task";
    std::vector<std::string> names{};
};

Removal removed_by(const ReplyBody& reply) {
    Removal removal;
    const auto add = [&](const std::string& name) { removal.names.push_back(printable(name)); };
    if (const auto* const tasks = std::get_if<ChangeReply>(&reply)) {
        for (const TaskChange& task : tasks->changes) {
            if (task.action == "remove") {
                add(task.task);
            }
        }
    } else if (const auto* const listed = std::get_if<TaskListReply>(&reply)) {
        std::ranges::for_each(listed->tasks, add, &TaskView::name);
    } else {
        removal.thing = "node";
    }
    if (const auto* const nodes = std::get_if<NodesChangeReply>(&reply)) {
        for (const NodeChangeView& node : nodes->changes) {
            if (node.action == "remove" || node.action == "drain") {
                add(node.node);
            }
        }
    } else if (const auto* const listed = std::get_if<NodeListReply>(&reply)) {
        std::ranges::for_each(listed->nodes, add, &NodeView::name);
    }
    return removal;
}

std::string shortened(const std::vector<std::string>& unsorted) {
    constexpr std::size_t shown = 10;
    const auto names = in_natural_order(unsorted, std::identity{});
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(shown, names.size()));
    const auto rest = names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "";
    return fmt::format("{}{}", fmt::join(names.begin(), end, ", "), rest);
}

/// Shows what would be removed, and asks for consent. Nothing: continue.
std::optional<ExitCode> confirm_removal(const Console& console, const Removal& removal,
                                        bool agreed) {
    if (removal.names.empty()) {
        return std::nullopt;
    }
    const auto what =
        fmt::format("this removes {}: {}", counted(removal.names.size(), removal.thing),
                    shortened(removal.names));
    if (agreed) {
        print_error(fmt::format("muster: {}\n", what));
        return std::nullopt;
    }
    if (!console.settings().terminal.in_is_terminal) {
        return console.fail_with(
            {Errc::refused, what + "; there is no terminal to ask on: use --yes to do it"});
    }
    if (!confirm(fmt::format("muster: {}. Do it?", what))) {
        return console.fail_with({Errc::refused, "nothing was changed"});
    }
    return std::nullopt;
}

/// The same request as a dry run.
auto as_dry_run(auto request) {
    request.dry_run = true;
    return request;
}

/// The query whose answer lists what the request would remove; nothing for most requests.
std::optional<RequestBody> removal_query(const RequestBody& request) {
    if (const auto* const apply = std::get_if<ApplyRequest>(&request);
        apply != nullptr && apply->replace) {
        return as_dry_run(*apply);
    }
    if (const auto* const apply = std::get_if<NodeApplyRequest>(&request);
        apply != nullptr && !apply->dry_run) {
        return as_dry_run(*apply);
    }
    if (const auto* const remove = std::get_if<TaskRemoveRequest>(&request);
        remove != nullptr && !pattern::is_name(remove->pattern)) {
        return TaskListRequest{remove->pattern};
    }
    if (const auto* const remove = std::get_if<NodeRemoveRequest>(&request);
        remove != nullptr && !pattern::is_name(remove->pattern)) {
        return NodeListRequest{remove->pattern};
    }
    return std::nullopt;
}

Result<Removal> removal_of(Console& console, const RequestBody& request) {
    const auto question = removal_query(request);
    if (!question) {
        return Removal{};
    }
    return console.ask(*question).map(removed_by);
}

}  // namespace

ExitCode run_change(Console& console, const CommandLine& line, const RequestBody& request) {
    const auto removal = removal_of(console, request);
    if (!removal) {
        return console.fail_with(removal.error());
    }
    if (const auto end = confirm_removal(console, *removal, line.has("--yes"))) {
        return *end;
    }
    const auto reply = console.ask(request);
    if (!reply) {
        return console.fail_with(reply.error());
    }
    const auto* const signals = std::get_if<TaskSignalReply>(&*reply);
    const bool is_done = signals == nullptr ||
                         std::ranges::all_of(signals->instances, [](const SignalView& instance) {
                             return instance.detail.empty();
                         });
    const auto* const changed = line.has("--wait") ? std::get_if<ChangeReply>(&*reply) : nullptr;
    if (changed != nullptr) {  // JSON is one document: the change, or the error.
        const bool json = console.settings().json;
        const ExitCode shown = json ? ExitCode::ok : console.show(*reply);
        const ExitCode waited = shown == ExitCode::ok ? wait_for_applied(console, *changed) : shown;
        return json && waited == ExitCode::ok ? console.show(*reply) : waited;
    }
    return console.show(*reply, is_done ? ExitCode::ok : ExitCode::error);
}

}  // namespace muster::cli
