#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "cli/screen/terminal.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/nodes/drain_watch.hpp"
#include "cli/subjects/verbs.hpp"

namespace muster::cli {

namespace {

/// A node and the state of its drain.
struct Drain {
    std::string node{};
    DrainView view{};
    DrainWatch watch{};
};

std::string line_of(const std::string& node, const DrainBlocker& blocker) {
    return fmt::format("  {}  {}  {}: {}\n", printable(node),
                       blocker.instance.empty() ? "-" : printable(blocker.instance),
                       printable(blocker.code), printable(blocker.detail));
}

std::string blockers_of(const Drain& drain) {
    constexpr std::size_t named = 20;
    std::string text;
    for (std::size_t at = 0; at < std::min(named, drain.view.blocked_by.size()); ++at) {
        text += line_of(drain.node, drain.view.blocked_by[at]);
    }
    if (drain.view.blocked_by.size() > named) {
        text += fmt::format("  {}  and {} more\n", printable(drain.node),
                            drain.view.blocked_by.size() - named);
    }
    return text;
}

/// Where these instances run now, if they run; each task is queried once.
std::map<InstanceId, std::string> homes_of(Console& console, const std::vector<InstanceId>& left) {
    std::map<InstanceId, std::string> homes;
    std::string asked;
    for (const InstanceId& id : left) {
        if (std::exchange(asked, id.task) == id.task) {
            continue;
        }
        const auto reply = console.ask(TaskShowRequest{id.task});
        if (const auto* const task = reply ? std::get_if<TaskShowReply>(&*reply) : nullptr) {
            for (const InstanceView& instance : task->instances) {
                homes[instance.id] = instance.node;
            }
        }
    }
    return homes;
}

void print_moves(Console& console, const std::string& node, const std::vector<InstanceId>& left) {
    const auto homes = homes_of(console, left);
    for (const InstanceId& id : in_natural_order(left, std::identity{})) {
        const auto home = homes.find(id);
        const bool is_elsewhere =
            home != homes.end() && !home->second.empty() && home->second != node;
        print_error(is_elsewhere ? fmt::format("  {}  {}  moved to {}\n", printable(node),
                                               printable(to_string(id)), printable(home->second))
                                 : fmt::format("  {}  {}  stopped\n", printable(node),
                                               printable(to_string(id))));
    }
}

/// Prints what happened since the last query.
void print_news(Console& console, const Drain& drain, const DrainChanges& news) {
    print_moves(console, drain.node, news.left);
    for (const DrainBlocker& blocker : news.blockers) {
        print_error(line_of(drain.node, blocker));
    }
    if (news.endless) {
        const auto node = printable(drain.node);
        print_error(
            fmt::format("muster: this drain may never end, because it has no deadline; set "
                        "one with 'muster node drain {} --deadline 10m', or stop what no "
                        "other node can run with '--force'\n",
                        node));
    }
}

/// Queries a draining node, and prints the news.
Result<void> observe(Console& console, Drain& drain) {
    const auto reply = console.ask(NodeShowRequest{drain.node});
    if (!reply && reply.error().code != Errc::not_found) {
        return tl::unexpected(reply.error());
    }
    NodeShowReply seen;  // Stays empty for a node that was drained and removed.
    if (reply) {
        seen = std::get<NodeShowReply>(*reply);
    }
    print_news(console, drain, drain.watch.update(seen));
    drain.view = std::move(seen.drain);
    if (!drain.view.running) {
        print_error(fmt::format("muster: {} is drained\n", printable(drain.node)));
    }
    return {};
}

/// One query of all draining nodes; removes those that are done.
Result<bool> is_overdue(Console& console, std::vector<Drain>& drains) {
    bool overdue = false;
    for (Drain& drain : drains) {
        if (auto observed = observe(console, drain); !observed) {
            return tl::unexpected(observed.error());
        }
        overdue = overdue || (drain.view.running && drain.view.overdue);
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
    for (const NodeChangeView& change :
         in_natural_order(std::get<NodesChangeReply>(*reply).changes, &NodeChangeView::node)) {
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
            print_error(
                fmt::format("muster: {} not drained by the deadline; the drain continues:\n",
                            counted(drains.size(), "node")));
            for (const Drain& drain : drains) {
                print_error(blockers_of(drain));
            }
            return ExitCode::timeout;
        }
        std::this_thread::sleep_for(console.settings().interval);
    }
}

}  // namespace muster::cli
