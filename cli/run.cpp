#include "cli/run.hpp"

#include <utility>

#include <fmt/format.h>

#include "cli/command_line.hpp"
#include "cli/help.hpp"
#include "cli/screen/terminal.hpp"
#include "cli/screen/text.hpp"
#include "cli/settings.hpp"
#include "cli/subjects/cluster/store_tools.hpp"
#include "cli/subjects/console.hpp"
#include "cli/subjects/keys/local_verbs.hpp"
#include "cli/subjects/requests.hpp"
#include "cli/subjects/verbs.hpp"
#include "common/base/ensure.hpp"

namespace muster::cli {

namespace {

ExitCode misused(const Error& error, bool json) {
    show_error(error, json);
    return ExitCode::usage;
}

ExitCode help(const CommandLine& line) {
    const std::string words = fmt::format("{}", fmt::join(line.arguments, " "));
    const auto verbs = verbs_under(words);
    if (verbs.empty()) {
        return misused({Errc::invalid, fmt::format("there is no verb '{}'; 'muster help' lists the "
                                                   "verbs",
                                                   words)},
                       line.wants_json());
    }
    if (line.wants_json()) {
        return deliver(help_document(verbs));
    }
    if (words.empty()) {
        return deliver(help_text());
    }
    return deliver(verbs.size() == 1 ? help_text(*verbs.front()) : help_text(words, verbs));
}

ExitCode completion(const CommandLine& line) {
    const auto script = completion_script(line.arguments[0]);
    if (!script) {
        return misused(script.error(), line.wants_json());
    }
    return deliver(*script);
}

ExitCode ask_coordinator(const CommandLine& line, const std::string& version) {
    auto settings = settings_of(line, environment_of_process(), detect_terminal());
    if (!settings) {
        return misused(settings.error(), line.wants_json());
    }
    if (line.has("--check") && line.has("--watch")) {
        return misused({Errc::invalid,
                        "--check and --watch exclude each other: use 'muster wait' to wait "
                        "until the tasks are converged"},
                       line.wants_json());
    }
    if (const Run how = entry_of(line.verb).run; how == Run::doctor || how == Run::bundle) {
        Console console{std::move(*settings)};
        return how == Run::doctor ? run_doctor(console, version)
                                  : run_bundle(console, line, version);
    }
    const auto request = request_of(line);
    if (!request) {
        show_error(request.error().error, line.wants_json());
        return request.error().usage ? ExitCode::usage : exit_code_of(request.error().error.code);
    }
    if (const auto* const apply = std::get_if<ApplyRequest>(&*request);
        apply != nullptr && apply->tasks.empty()) {
        print_error(fmt::format("muster: {} has no [[task]], so it wants nothing\n",
                                printable(line.value("--file").value_or(""))));
    }
    Console console{std::move(*settings)};
    switch (entry_of(line.verb).run) {
        case Run::read: return run_read(console, line, *request);
        case Run::change: return run_change(console, line, *request);
        case Run::wait: return run_wait(console, std::get<WaitRequest>(*request));
        case Run::events: return run_events(console, line, std::get<EventsRequest>(*request));
        case Run::drain: return run_drain(console, line, std::get<NodeDrainRequest>(*request));
        case Run::logs: return run_logs(console, line, std::get<LogsRequest>(*request));
        case Run::rotate:
            return line.arguments.empty() ? run_rotate(console)
                                          : run_change(console, line, *request);
        case Run::resign: return run_resign(console);
        case Run::token: return run_token(console, std::get<TokenCreateRequest>(*request));
        case Run::all_rows: return run_audit_export(console);
        case Run::top: return run_top(console, line, std::get<UsageRequest>(*request));
        case Run::doctor:
        case Run::bundle:
        case Run::store:
        case Run::local: break;
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
        return deliver(line->wants_json() ? fmt::format("{{\"version\":\"{}\"}}\n", version)
                                          : fmt::format("muster {}\n", version));
    }
    if (line->verb == Verb::init) {
        return run_init(*line);
    }
    if (line->verb == Verb::context_add) {
        return run_context_add(*line);
    }
    if (line->verb == Verb::context_use) {
        return run_context_use(*line);
    }
    if (line->verb == Verb::context_list) {
        return run_context_list(*line);
    }
    if (line->verb == Verb::signer_create) {
        return run_signer_create(*line);
    }
    if (entry_of(line->verb).run == Run::store) {
        return run_store(*line);
    }
    return ask_coordinator(*line, version);
}

}  // namespace muster::cli
