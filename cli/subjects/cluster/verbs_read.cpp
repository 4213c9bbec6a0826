#include <string>
#include <string_view>
#include <thread>
#include <variant>

#include <fmt/format.h>

#include "cli/screen/terminal.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"
#include "cli/subjects/verbs.hpp"

namespace muster::cli {

namespace {

/// The result of one query of the cluster.
struct Shown {
    std::string text;
    bool is_different = false;  ///< Differs from the request: exit code 3.
};

bool shows_difference(const ReplyBody& reply, const CommandLine& line) {
    if (const auto* const change = std::get_if<ChangeReply>(&reply)) {
        return line.verb == Verb::plan && changes_anything(*change);
    }
    if (const auto* const plan = std::get_if<PlanReply>(&reply)) {
        return changes_anything(*plan);
    }
    if (const auto* const verified = std::get_if<AuditVerifyReply>(&reply)) {
        return !verified->fault.empty();
    }
    const auto* const status = std::get_if<StatusReply>(&reply);
    return status != nullptr && line.has("--check") && !status->converged;
}

/// Queries each by name. If one disappears meanwhile, the others are still shown.
template <class Request, class View>
Result<Shown> show_each(Console& console, const std::vector<View>& views, std::string_view key) {
    const bool json = console.settings().json;
    std::string text;
    for (const View& view : in_natural_order(views, &View::name)) {
        const auto reply = console.ask(Request{view.name});
        if (!reply && reply.error().code != Errc::not_found) {
            return tl::unexpected(reply.error());
        }
        if (reply) {
            text += text.empty() ? "" : json ? "," : "\n";
            text += console.text_of(*reply);
        }
    }
    return Shown{json ? fmt::format("{{\"{}\":[{}]}}\n", key, text) : text};
}

Result<Shown> show(Console& console, const CommandLine& line, const RequestBody& request) {
    const auto reply = console.ask(request);
    if (!reply) {
        return tl::unexpected(reply.error());
    }
    const auto nothing = [&](std::string_view thing) {
        return fail(Errc::not_found,
                    fmt::format("no {} matches '{}'", thing, line.arguments.front()));
    };
    if (const auto* const list = std::get_if<NodeListReply>(&*reply);
        list != nullptr && line.verb == Verb::node_show) {
        return list->nodes.empty() ? nothing("node")
                                   : show_each<NodeShowRequest>(console, list->nodes, "nodes");
    }
    if (const auto* const list = std::get_if<TaskListReply>(&*reply);
        list != nullptr && line.verb == Verb::task_show) {
        return list->tasks.empty() ? nothing("task")
                                   : show_each<TaskShowRequest>(console, list->tasks, "tasks");
    }
    return Shown{console.text_of(*reply), shows_difference(*reply, line)};
}

/// One block of --watch. It reports an absent coordinator, and continues. JSON is one document a
/// line.
std::string next_block(const Console& console, Screen& screen, const Result<Shown>& shown) {
    if (console.settings().json) {
        return shown ? shown->text : error_document(shown.error());
    }
    return screen.next(shown ? shown->text : printable(shown.error().detail) + '\n');
}

/// Runs until output fails or a signal ends the program.
ExitCode keep_showing(Console& console, const CommandLine& line, const RequestBody& request) {
    Screen screen{console.settings().terminal};
    while (true) {
        const auto shown = show(console, line, request);
        const auto written = deliver(next_block(console, screen, shown));
        if (written != ExitCode::ok) {
            return written;
        }
        std::this_thread::sleep_for(console.settings().interval);
    }
}

}  // namespace

ExitCode run_read(Console& console, const CommandLine& line, const RequestBody& request) {
    if (line.has("--watch")) {
        return keep_showing(console, line, request);
    }
    const auto shown = show(console, line, request);
    if (!shown) {
        return console.fail_with(shown.error());
    }
    return deliver(shown->text, shown->is_different ? ExitCode::difference : ExitCode::ok);
}

}  // namespace muster::cli
