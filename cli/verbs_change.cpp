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

/// Says what would be removed, and has it agreed to. Nothing: go on.
std::optional<ExitCode> agree_to_removal(const Console& console,
                                         const std::vector<std::string>& names, bool agreed) {
    if (names.empty()) {
        return std::nullopt;
    }
    const auto what =
        fmt::format("this removes {}: {}", counted(names.size(), "task"), shortened(names));
    if (agreed) {
        complain(fmt::format("muster: {}\n", what));
        return std::nullopt;
    }
    if (!console.settings().terminal.in_is_terminal) {
        return console.fail_with(
            {Errc::refused, what + "; without a terminal to ask on, say --yes to do it"});
    }
    if (!confirm(fmt::format("muster: {}. Do it?", what))) {
        return console.fail_with({Errc::refused, "nothing was changed"});
    }
    return std::nullopt;
}

/// What the request would remove beyond what it names; nothing for most.
Result<std::vector<std::string>> removal_of(Console& console, const RequestBody& request) {
    std::vector<std::string> names;
    if (const auto* const apply = std::get_if<ApplyRequest>(&request);
        apply != nullptr && apply->replace) {
        ApplyRequest asked = *apply;
        asked.dry_run = true;
        const auto reply = console.ask(asked);
        if (!reply) {
            return tl::unexpected(reply.error());
        }
        if (const auto* const change = std::get_if<ChangeReply>(&*reply)) {
            names = removed_by(*change);
        }
    }
    if (const auto* const remove = std::get_if<TaskRemoveRequest>(&request);
        remove != nullptr && !pattern::is_name(remove->pattern)) {
        const auto reply = console.ask(TaskListRequest{remove->pattern});
        if (!reply) {
            return tl::unexpected(reply.error());
        }
        if (const auto* const list = std::get_if<TaskListReply>(&*reply)) {
            for (const TaskView& task : list->tasks) {
                names.push_back(printable(task.name));
            }
        }
    }
    return names;
}

}  // namespace

ExitCode run_change(Console& console, const CommandLine& line, const RequestBody& request) {
    const auto removal = removal_of(console, request);
    if (!removal) {
        return console.fail_with(removal.error());
    }
    if (const auto end = agree_to_removal(console, *removal, line.has("--yes"))) {
        return *end;
    }
    const auto reply = console.ask(request);
    if (!reply) {
        return console.fail_with(reply.error());
    }
    return console.show(*reply);
}

}  // namespace muster::cli
