#include "cli/subjects/console.hpp"

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

/// What agents are asked is answered only when they have answered, or have had their time.
Duration resend_after(const RequestBody& body) {
    const bool is_errand = std::holds_alternative<LogsRequest>(body) ||
                           std::holds_alternative<UsageRequest>(body) ||
                           std::holds_alternative<TaskSignalRequest>(body);
    return is_errand ? limits::errand_patience + 1s : Patience{}.resend_after;
}

}  // namespace

Console::Console(Settings settings)
    : settings_{std::move(settings)}, client_{context_, settings_.coordinator} {}

Result<ReplyBody> Console::ask(const RequestBody& body) {
    Progress progress{settings_.terminal,
                      fmt::format("{}: waiting for {}", codec::verb_of(body), client_.endpoint())};
    return ask(body, {.total = settings_.timeout, .resend_after = resend_after(body)}, progress);
}

Result<ReplyBody> Console::ask(const RequestBody& body, const Patience& patience,
                               Progress& progress) {
    return client_.ask({.id = net::random_request_id(net::civil_now()), .body = body}, patience,
                       progress);
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
        complain(fmt::format("muster: {}\n", printable(error.detail)));
    }
}

}  // namespace muster::cli
