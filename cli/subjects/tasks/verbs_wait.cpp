#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/screen/terminal.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/verbs.hpp"
#include "common/net/host/clock.hpp"
#include "common/spec/duration.hpp"

namespace muster::cli {

namespace {

// A wait is requested in slices: a wait that died with a coordinator is soon requested again, and
// the person sees progress between two slices.
constexpr Duration slice = 1s;

/// A slice often ends too early; any other error ends the wait.
bool keeps_waiting(const Error& error) {
    return error.code == Errc::timeout || error.code == Errc::unreachable ||
           error.code == Errc::not_leader || error.code == Errc::busy;
}

/// Prints the worst end to standard error, too.
ExitCode show_ends(const Console& console, const WaitReply& reply) {
    if (!reply.worst.empty() && !console.settings().json) {
        print_error(fmt::format("muster: {}\n", printable(reply.worst)));
    }
    return console.show(ReplyBody{reply}, ExitCode{reply.exit_code});
}

/// Waits for tasks in turn, each for a slice of time, within one total timeout.
class Wait {
public:
    Wait(Console& console, std::string what, bool finished)
        : console_{console},
          what_{std::move(what)},
          finished_{finished},
          progress_{console.settings().terminal, "waiting for " + what_},
          has_printed_{console.settings().json} {}

    /// Nothing: the tasks are not in the state yet, or an error ended the wait; see is_over().
    std::optional<WaitReply> ask_once(const std::string& pattern, Duration left) {
        const WaitRequest asked{
            .pattern = pattern,
            .timeout_ms = static_cast<std::uint32_t>(std::max<std::int64_t>(1, to_ms(left))),
            .finished = finished_};
        const auto reply =
            console_.ask(asked, {.total = left + 1s, .resend_after = left + 1s}, progress_);
        if (reply) {
            return std::get<WaitReply>(*reply);
        }
        last_ = reply.error();
        if (!is_over() && !std::exchange(has_printed_, true)) {
            progress_.wipe();
            print_error(fmt::format("waiting up to {} for {} to {}\n",
                                    to_string(console_.settings().timeout), printable(what_),
                                    finished_ ? "end" : "converge"));
        }
        progress_.note(last_.detail);
        if (last_.code == Errc::busy || last_.code == Errc::not_leader) {
            std::this_thread::sleep_for(left);  // An immediate answer would come again.
        }
        return std::nullopt;
    }
    /// True if the last answer ends the wait.
    [[nodiscard]] bool is_over() const { return !keeps_waiting(last_); }
    void wipe() { progress_.wipe(); }
    ExitCode fail() {
        progress_.wipe();
        if (last_.code == Errc::timeout) {
            const std::string unmet = what_ + (finished_ ? " has not ended" : " is not converged");
            last_.detail = fmt::format("waited {}: {}", to_string(console_.settings().timeout),
                                       last_.detail.empty() ? unmet : last_.detail);
        }
        return console_.fail_with(last_);
    }

private:
    Console& console_;
    std::string what_;
    bool finished_;
    Progress progress_;
    bool has_printed_;
    Error last_{Errc::timeout, ""};
};

}  // namespace

ExitCode run_wait(Console& console, const WaitRequest& request) {
    Wait wait{console, fmt::format("'{}'", request.pattern), request.finished};
    const Instant deadline = net::boottime_now() + console.settings().timeout;
    for (Instant now = net::boottime_now(); now < deadline && !wait.is_over();
         now = net::boottime_now()) {
        if (const auto reply =
                wait.ask_once(request.pattern, std::min<Duration>(slice, deadline - now))) {
            wait.wipe();
            return request.finished ? show_ends(console, *reply) : console.show(ReplyBody{*reply});
        }
    }
    return wait.fail();
}

ExitCode wait_for_applied(Console& console, const ChangeReply& changed) {
    std::vector<std::string> left;
    for (const TaskChange& change : changed.changes) {
        if (change.action != "remove") {
            left.push_back(change.task);
        }
    }
    Wait wait{console, counted(left.size(), "task"), false};
    WaitReply all;
    const Instant deadline = net::boottime_now() + console.settings().timeout;
    // In turn, so that a halted roll-out is soon noticed.
    for (std::size_t turn = 0; !left.empty(); ++turn) {
        const Instant now = net::boottime_now();
        if (now >= deadline || wait.is_over()) {
            return wait.fail();
        }
        const std::string name = left[turn % left.size()];
        const Duration share =
            slice / static_cast<std::int64_t>(std::min<std::size_t>(left.size(), 20));
        if (const auto reply = wait.ask_once(name, std::min<Duration>(share, deadline - now))) {
            all.tasks.insert(all.tasks.end(), reply->tasks.begin(), reply->tasks.end());
            std::erase(left, name);
        }
    }
    wait.wipe();
    return console.settings().json ? ExitCode::ok : console.show(ReplyBody{std::move(all)});
}

}  // namespace muster::cli
