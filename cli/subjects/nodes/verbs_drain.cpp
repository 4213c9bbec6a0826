#include <algorithm>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "cli/screen/terminal.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/verbs.hpp"

namespace muster::cli {

namespace {

/// A node as far as its drain goes.
struct Drain {
    std::string node{};
    DrainView view{};
};

Result<Drain> look_at(Console& console, const std::string& node) {
    const auto reply = console.ask(NodeShowRequest{node});
    if (!reply && reply.error().code == Errc::not_found) {
        return Drain{.node = node};  // Drained, and removed.
    }
    if (!reply) {
        return tl::unexpected(reply.error());
    }
    return Drain{node, std::get<NodeShowReply>(*reply).drain};
}

std::string blockers_of(const Drain& drain) {
    constexpr std::size_t named = 20;
    std::string text;
    for (std::size_t at = 0; at < std::min(named, drain.view.blocked_by.size()); ++at) {
        const DrainBlocker& blocker = drain.view.blocked_by[at];
        text += fmt::format("  {}  {}  {}: {}\n", printable(drain.node),
                            blocker.instance.empty() ? "-" : printable(blocker.instance),
                            printable(blocker.code), printable(blocker.detail));
    }
    if (drain.view.blocked_by.size() > named) {
        text += fmt::format("  {}  and {} more\n", printable(drain.node),
                            drain.view.blocked_by.size() - named);
    }
    return text;
}

/// One look at all that are still being drained, which shrink to those that are.
Result<bool> is_overdue(Console& console, std::vector<Drain>& drains) {
    bool overdue = false;
    for (Drain& drain : drains) {
        auto looked = look_at(console, drain.node);
        if (!looked) {
            return tl::unexpected(looked.error());
        }
        drain = std::move(*looked);
        overdue = overdue || (drain.view.running && drain.view.overdue);
        if (!drain.view.running) {
            complain(fmt::format("muster: {} is drained\n", printable(drain.node)));
        }
    }
    std::erase_if(drains, [](const Drain& drain) { return !drain.view.running; });
    return overdue;
}

}  // namespace

ExitCode run_drain(Console& console, const CommandLine& line, const NodeDrainRequest& request) {
    const auto reply = console.ask(request);
    if (!reply) {
        return console.fail_with(reply.error());
    }
    const ExitCode shown = console.show(*reply);
    if (shown != ExitCode::ok || !line.has("--watch")) {
        return shown;
    }
    std::vector<Drain> drains;
    for (const NodeChangeView& change : std::get<NodesChangeReply>(*reply).changes) {
        drains.push_back({.node = change.node, .view = {.running = true}});
    }
    while (true) {
        const auto overdue = is_overdue(console, drains);
        if (!overdue) {
            return console.fail_with(overdue.error());
        }
        if (drains.empty()) {
            return ExitCode::ok;
        }
        if (*overdue) {
            complain(fmt::format("muster: {} not drained by the deadline:\n",
                                 counted(drains.size(), "node")));
            for (const Drain& drain : drains) {
                complain(blockers_of(drain));
            }
            return ExitCode::timeout;
        }
        std::this_thread::sleep_for(console.settings().interval);
    }
}

}  // namespace muster::cli
