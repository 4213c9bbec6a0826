#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "cli/screen/terminal.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/verbs.hpp"
#include "common/net/host/clock.hpp"
#include "common/spec/duration.hpp"

namespace muster::cli {

namespace {

// A wait is asked for in slices: one that a dying coordinator took with it is soon asked anew, and
// between two of them the person learns how things stand.
constexpr Duration slice = 1s;

/// Short on time is what a slice always is; everything else ends the wait.
bool goes_on(const Error& error) {
    return error.code == Errc::timeout || error.code == Errc::unreachable ||
           error.code == Errc::not_leader || error.code == Errc::busy;
}

}  // namespace

ExitCode run_wait(Console& console, const WaitRequest& request) {
    const Duration total = console.settings().timeout;
    Progress progress{console.settings().terminal,
                      fmt::format("waiting for '{}'", printable(request.pattern))};
    const Instant began = net::boottime_now();
    const Instant deadline = began + total;
    Error last{Errc::timeout, ""};
    bool said = console.settings().json;
    for (Instant now = began; now < deadline; now = net::boottime_now()) {
        const Duration left = std::min<Duration>(slice, deadline - now);
        WaitRequest asked = request;
        asked.timeout_ms = static_cast<std::uint32_t>(std::max<std::int64_t>(1, to_ms(left)));
        const auto reply =
            console.ask(asked, {.total = left + 1s, .resend_after = left + 1s}, progress);
        if (reply) {
            progress.wipe();
            return console.show(*reply);
        }
        last = reply.error();
        if (!goes_on(last)) {
            break;
        }
        if (!std::exchange(said, true)) {
            progress.wipe();
            complain(fmt::format("waiting up to {} for '{}' to converge\n", to_string(total),
                                 printable(request.pattern)));
        }
        progress.note(last.detail);
        if (last.code == Errc::busy || last.code == Errc::not_leader) {
            std::this_thread::sleep_for(left);  // It said so at once, and would again.
        }
    }
    progress.wipe();
    if (last.code == Errc::timeout) {
        const std::string unmet = fmt::format("'{}' is not converged", request.pattern);
        last.detail = fmt::format("waited {}: {}", to_string(total),
                                  last.detail.empty() ? unmet : last.detail);
    }
    return console.fail_with(last);
}

}  // namespace muster::cli
