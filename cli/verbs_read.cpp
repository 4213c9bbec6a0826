#include <thread>
#include <variant>

#include "cli/render_change.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"

namespace muster::cli {

namespace {

bool shows_difference(const ReplyBody& reply, const CommandLine& line) {
    if (const auto* const change = std::get_if<ChangeReply>(&reply)) {
        return line.verb == Verb::plan && changes_anything(*change);
    }
    const auto* const status = std::get_if<StatusReply>(&reply);
    return status != nullptr && line.has("--check") && !status->converged;
}

/// One block of --watch. A coordinator that is away is said, and awaited. JSON is a document a
/// line.
bool show_next(Console& console, Screen& screen, const Result<ReplyBody>& reply) {
    if (console.settings().json) {
        if (!reply) {
            show_error(reply.error(), true);
        }
        return !reply || console.show(*reply);
    }
    return screen.show(reply ? console.text_of(*reply) : printable(reply.error().detail) + '\n');
}

/// Until nobody reads any more or a signal ends us.
ExitCode watch(Console& console, const RequestBody& request) {
    Screen screen{console.settings().terminal};
    while (show_next(console, screen, console.ask(request))) {
        std::this_thread::sleep_for(console.settings().interval);
    }
    return ExitCode::ok;
}

}  // namespace

ExitCode run_read(Console& console, const CommandLine& line, const RequestBody& request) {
    if (line.has("--watch")) {
        return watch(console, request);
    }
    const auto reply = console.ask(request);
    if (!reply) {
        return console.fail_with(reply.error());
    }
    console.show(*reply);
    return shows_difference(*reply, line) ? ExitCode::difference : ExitCode::ok;
}

}  // namespace muster::cli
