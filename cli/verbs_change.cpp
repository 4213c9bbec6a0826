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
std::optional<ExitCode> agree_to_removal(Operator& op, ApplyRequest request, bool agreed) {
    request.dry_run = true;
    const auto reply = op.ask(request);
    if (!reply) {
        return op.fail_with(reply.error());
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
    if (!op.settings().terminal.in_is_terminal) {
        const auto right = what + "; without a terminal to ask on, say --yes to do it";
        show_error({Errc::refused, right}, op.settings().json);
        return ExitCode::usage;
    }
    if (!confirm(fmt::format("muster: {}. Do it?", what))) {
        return op.fail_with({Errc::refused, "nothing was changed"});
    }
    return std::nullopt;
}

}  // namespace

ExitCode run_change(Operator& op, const CommandLine& line, const RequestBody& request) {
    const auto* const apply = std::get_if<ApplyRequest>(&request);
    if (apply != nullptr && apply->replace) {
        if (const auto end = agree_to_removal(op, *apply, line.has("--yes"))) {
            return *end;
        }
    }
    const auto reply = op.ask(request);
    if (!reply) {
        return op.fail_with(reply.error());
    }
    op.show(*reply);
    return ExitCode::ok;
}

}  // namespace muster::cli
