#include "cli/subjects/console.hpp"

#include <sstream>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"
#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"
#include "common/net/host/clock.hpp"
#include "common/net/host/entropy.hpp"

namespace muster::cli {

namespace {

/// A request to agents is answered only when they have answered, or their time is over.
Patience patience_for(const RequestBody& body, Duration total) {
    const bool asks_agents = std::holds_alternative<LogsRequest>(body) ||
                             std::holds_alternative<UsageRequest>(body) ||
                             std::holds_alternative<TaskSignalRequest>(body);
    return asks_agents ? Patience{.total = total, .resend_after = limits::agent_call_patience + 1s}
                       : Patience::of(total);
}

}  // namespace

Console::Console(Settings settings)
    : settings_{std::move(settings)}, client_{context_, settings_.coordinator, settings_.keys} {}

Result<ReplyBody> Console::ask(const RequestBody& body) {
    Progress progress{settings_.terminal,
                      fmt::format("{}: waiting for {}", codec::verb_of(body), client_.endpoint())};
    const Instant began = net::boottime_now();
    auto reply = ask(body, patience_for(body, settings_.timeout), progress);
    // The coordinator waits only some seconds for an agent. A longer --timeout repeats the request,
    // which is safe for a read; for a lost node the answer comes at once.
    for (Instant asked = began; !reply && reply.error().code == Errc::timeout &&
                                std::holds_alternative<LogsRequest>(body);) {
        const Instant now = net::boottime_now();
        const Duration left = began + settings_.timeout - now;
        if (now - asked < limits::agent_call_patience || left < limits::agent_call_patience) {
            break;
        }
        asked = now;
        reply = ask(body, patience_for(body, left), progress);
    }
    return reply;
}

Result<ReplyBody> Console::ask(const RequestBody& body, const Patience& patience,
                               Progress& progress) {
    auto reply = client_.ask({.id = net::random_request_id(net::civil_now()), .body = body},
                             patience, progress);
    if (const auto& standby = client_.answered_by_standby(); reply && standby) {
        print_error(standby->leader.empty()
                        ? "muster: no coordinator leads; this is what one that stands by knows\n"
                        : fmt::format("muster: the coordinator on {}, which leads, does not "
                                      "answer; this is what one that stands by knows\n",
                                      printable(standby->leader)));
    }
    return reply;
}

std::string Console::text_of(const ReplyBody& reply) const {
    return settings_.json ? codec::to_json(reply) + '\n'
                          : render(reply, net::civil_now(), settings_.style());
}

ExitCode Console::show(const ReplyBody& reply, ExitCode then) const {
    return deliver(text_of(reply), then);
}

ExitCode Console::fail_with(const Error& error) const {
    show_error(error, settings_.json);
    return exit_code_of(error.code);
}

ExitCode deliver(std::string_view text, ExitCode then) {
    if (const auto printed = print(text); !printed) {
        show_error(printed.error(), false);
        return ExitCode::error;
    }
    return then;
}

std::string error_document(const Error& error) {
    return codec::to_json(Reply{.id = {}, .result = tl::unexpected(error)}) + '\n';
}

void show_error(const Error& error, bool json) {
    if (json) {
        static_cast<void>(deliver(error_document(error)));
    } else {
        std::istringstream lines{error.detail};  // A file's errors have one line each.
        for (std::string line; std::getline(lines, line);) {
            print_error(fmt::format("muster: {}\n", printable(line)));
        }
    }
}

}  // namespace muster::cli
