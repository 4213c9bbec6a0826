#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"
#include "common/pattern.hpp"

namespace muster::cli {

namespace {

std::vector<std::string> removed_by(const ChangeReply& change) {
    std::vector<std::string> names;
    for (const TaskChange& task : change.changes) {
        if (task.action == "remove") {
            names.push_back(printable(task.task));
        }
    }
    return names;
}

std::string shortened(const std::vector<std::string>& names) {
    constexpr std::size_t shown = 10;
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(shown, names.size()));
    const auto rest = names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "";
    return fmt::format("{}{}", fmt::join(names.begin(), end, ", "), rest);
}

/// Says what the file would remove, and has it agreed to. Nothing: go on.
std::optional<ExitCode> agree_to_removal(Console& console, ApplyRequest request, bool agreed) {
    request.dry_run = true;
    const auto reply = console.ask(request);
    if (!reply) {
        return console.fail_with(reply.error());
    }
    const auto* const change = std::get_if<ChangeReply>(&*reply);
    const auto removed = change == nullptr ? std::vector<std::string>{} : removed_by(*change);
    if (removed.empty()) {
        return std::nullopt;
    }
    const auto what =
        fmt::format("this removes {}: {}", counted(removed.size(), "task"), shortened(removed));
    if (agreed) {
        complain(fmt::format("muster: {}\n", what));
        return std::nullopt;
    }
    if (!console.settings().terminal.in_is_terminal) {
        const auto right = what + "; without a terminal to ask on, say --yes to do it";
        show_error({Errc::refused, right}, console.settings().json);
        return ExitCode::usage;
    }
    if (!confirm(fmt::format("muster: {}. Do it?", what))) {
        return console.fail_with({Errc::refused, "nothing was changed"});
    }
    return std::nullopt;
}

/// A person who removes by a pattern is shown what it matches. Nothing: go on.
std::optional<ExitCode> agree_to_pattern(Console& console, const TaskRemoveRequest& request) {
    const auto reply = console.ask(TaskListRequest{request.pattern});
    if (!reply) {
        return console.fail_with(reply.error());
    }
    const auto* const list = std::get_if<TaskListReply>(&*reply);
    std::vector<std::string> names;
    for (const TaskView& task : list == nullptr ? std::vector<TaskView>{} : list->tasks) {
        names.push_back(printable(task.name));
    }
    if (names.empty() || confirm(fmt::format("muster: this removes {}: {}. Do it?",
                                             counted(names.size(), "task"), shortened(names)))) {
        return std::nullopt;
    }
    return console.fail_with({Errc::refused, "nothing was changed"});
}

/// What would take much away is agreed to first. Nothing: go on.
std::optional<ExitCode> agree(Console& console, const CommandLine& line,
                              const RequestBody& request) {
    const bool agreed = line.has("--yes");
    const auto* const apply = std::get_if<ApplyRequest>(&request);
    if (apply != nullptr && apply->replace) {
        return agree_to_removal(console, *apply, agreed);
    }
    const auto* const remove = std::get_if<TaskRemoveRequest>(&request);
    const bool is_person = console.settings().terminal.in_is_terminal;
    if (remove != nullptr && is_person && !agreed && !pattern::is_name(remove->pattern)) {
        return agree_to_pattern(console, *remove);
    }
    return std::nullopt;
}

}  // namespace

ExitCode run_change(Console& console, const CommandLine& line, const RequestBody& request) {
    if (const auto end = agree(console, line, request)) {
        return *end;
    }
    const auto reply = console.ask(request);
    if (!reply) {
        return console.fail_with(reply.error());
    }
    console.show(*reply);
    return ExitCode::ok;
}

}  // namespace muster::cli
