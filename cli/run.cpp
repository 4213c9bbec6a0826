#include "cli/run.hpp"

#include <utility>

#include <fmt/format.h>

#include "cli/command_line.hpp"
#include "cli/completion.hpp"
#include "cli/console.hpp"
#include "cli/help.hpp"
#include "cli/requests.hpp"
#include "cli/settings.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "common/ensure.hpp"

namespace muster::cli {

namespace {

ExitCode misused(const Error& error, bool json) {
    show_error(error, json);
    return ExitCode::usage;
}

ExitCode help(const CommandLine& line) {
    if (line.arguments.empty()) {
        print(help_text());
        return ExitCode::ok;
    }
    std::string words = line.arguments[0];
    if (line.arguments.size() > 1) {
        words += ' ' + line.arguments[1];
    }
    bool known = false;
    for (const VerbEntry& entry : verb_table()) {
        if (entry.words == words || entry.words.starts_with(words + ' ')) {
            print((known ? "\n" : "") + help_text(entry));
            known = true;
        }
    }
    return known ? ExitCode::ok
                 : misused({Errc::invalid, fmt::format("there is no verb '{}' to explain: 'muster "
                                                       "help' lists all",
                                                       words)},
                           line.wants_json());
}

ExitCode completion(const CommandLine& line) {
    const auto script = completion_script(line.arguments[0]);
    if (!script) {
        return misused(script.error(), line.wants_json());
    }
    print(*script);
    return ExitCode::ok;
}

ExitCode ask_coordinator(const CommandLine& line) {
    auto settings = settings_of(line, environment_of_process(), look_at_terminal());
    if (!settings) {
        return misused(settings.error(), line.wants_json());
    }
    const auto request = request_of(line);
    if (!request) {
        show_error(request.error().error, line.wants_json());
        return request.error().usage ? ExitCode::usage : exit_code_of(request.error().error.code);
    }
    Console console{std::move(*settings)};
    switch (line.verb) {
        case Verb::wait: return run_wait(console, std::get<WaitRequest>(*request));
        case Verb::events: return run_events(console, line, std::get<EventsRequest>(*request));
        case Verb::plan:
        case Verb::status:
        case Verb::node_list:
        case Verb::node_show:
        case Verb::task_list:
        case Verb::task_show:
        case Verb::ping: return run_read(console, line, *request);
        case Verb::apply:
        case Verb::task_add:
        case Verb::task_remove:
        case Verb::task_scale:
        case Verb::task_restart:
        case Verb::term_now:
        case Verb::store_accept:
        case Verb::log_level: return run_change(console, line, *request);
        case Verb::help:
        case Verb::completion:
        case Verb::version: break;
    }
    ensure(false, "verbs that need no coordinator were done before");
    return ExitCode::error;
}

}  // namespace

ExitCode run(std::span<const std::string> words, const std::string& version) {
    const auto line = read_command_line(words);
    if (!line) {
        return misused(line.error(), asks_for_json(words));
    }
    if (line->verb == Verb::help) {
        return help(*line);
    }
    if (line->verb == Verb::completion) {
        return completion(*line);
    }
    if (line->verb == Verb::version) {
        print(fmt::format("muster {}\n", version));
        return ExitCode::ok;
    }
    return ask_coordinator(*line);
}

}  // namespace muster::cli
