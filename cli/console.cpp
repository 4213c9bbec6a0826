#include "cli/console.hpp"

#include <utility>

#include <fmt/format.h>

#include "cli/render.hpp"
#include "cli/text.hpp"
#include "common/codec.hpp"
#include "common/net/clock.hpp"
#include "common/net/entropy.hpp"

namespace muster::cli {

Console::Console(Settings settings)
    : settings_{std::move(settings)}, client_{context_, settings_.coordinator} {}

Result<ReplyBody> Console::ask(const RequestBody& body) {
    Progress progress{settings_.terminal,
                      fmt::format("{}: waiting for {}", codec::verb_of(body), client_.endpoint())};
    return ask(body, {.total = settings_.timeout}, progress);
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

bool Console::show(const ReplyBody& reply) { return print(text_of(reply)); }

ExitCode Console::fail_with(const Error& error) const {
    show_error(error, settings_.json);
    return exit_code_of(error.code);
}

void show_error(const Error& error, bool json) {
    if (json) {
        print(codec::to_json(Reply{.id = {}, .result = tl::unexpected(error)}) + '\n');
    } else {
        complain(fmt::format("muster: {}\n", printable(error.detail)));
    }
}

}  // namespace muster::cli
