#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "cli/screen/terminal.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"
#include "cli/subjects/verbs.hpp"

namespace muster::cli {

namespace {

/// One measurement as a JSON document, or the text made from two.
std::string block_of(const Console& console, const UsageReply& before, const UsageReply& after) {
    const Settings& settings = console.settings();
    return settings.json
               ? console.text_of(after)
               : render_usage(before, after,
                              settings.terminal.out_is_terminal ? settings.terminal.rows : 0,
                              settings.style());
}

}  // namespace

ExitCode run_top(Console& console, const CommandLine& line, const UsageRequest& request) {
    Screen screen{console.settings().terminal};
    // Into a pipe or a file, it ends after one measurement unless an interval is given.
    const bool once = line.has("--once") ||
                      (!console.settings().terminal.out_is_terminal && !line.has("--interval"));
    UsageReply before;
    bool is_first = true;
    while (true) {
        auto reply = console.ask(request);
        if (!reply && (is_first || once)) {
            return console.fail_with(reply.error());
        }
        std::string text;
        if (!reply) {
            text = console.settings().json ? error_document(reply.error())
                                           : printable(reply.error().detail) + '\n';
        } else if (auto& after = std::get<UsageReply>(*reply);
                   !is_first || console.settings().json) {
            text = block_of(console, before, after);
        }
        if (reply) {
            before = std::get<UsageReply>(*std::move(reply));
        }
        if (!text.empty()) {
            const auto written = deliver(console.settings().json ? text : screen.next(text));
            if (written != ExitCode::ok || once) {
                return written;
            }
        }
        is_first = false;
        std::this_thread::sleep_for(console.settings().interval);
    }
}

}  // namespace muster::cli
