#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "cli/screen/terminal.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/verbs.hpp"

namespace muster::cli {

namespace {

// The pause before the end of a log is read again.
constexpr Duration between_reads = 250ms;

/// Shows one log, a piece at a time: the next is requested after the last is written.
class Reader {
public:
    Reader(Console& console, LogsRequest request, bool follows)
        : console_{console}, request_{std::move(request)}, follows_{follows} {}

    ExitCode run() {
        while (true) {
            const auto reply = console_.ask(request_);
            if (!reply && !can_go_on(reply.error())) {
                return console_.fail_with(reply.error());
            }
            if (!reply) {
                print_error_once(last_error_, reply.error().detail);
                std::this_thread::sleep_for(console_.settings().interval);
                continue;
            }
            last_error_.clear();
            const auto& piece = std::get<LogsReply>(*reply);
            if (const auto written = show(piece, *reply); written != ExitCode::ok) {
                return written;
            }
            if (!follows_ && (piece.left == 0 || *to_show_ == 0)) {
                return ExitCode::ok;
            }
            if (piece.left == 0) {
                std::this_thread::sleep_for(between_reads);
            }
        }
    }

private:
    /// --follow continues while a node or the coordinator is absent for a while.
    [[nodiscard]] bool can_go_on(const Error& error) const {
        return follows_ && has_shown_ &&
               (error.code == Errc::timeout || error.code == Errc::unreachable ||
                error.code == Errc::busy || error.code == Errc::not_leader);
    }

    [[nodiscard]] ExitCode show(const LogsReply& piece, const ReplyBody& reply) {
        if (has_shown_ && piece.node != node_) {
            print_error(fmt::format("muster: {} is on {} now, and was on {}\n",
                                    printable(to_string(piece.id)), printable(piece.node),
                                    printable(node_)));
        } else if (piece.gap) {
            print_error(
                fmt::format("muster: output is missing here: {} printed faster than it was "
                            "read\n",
                            printable(to_string(piece.id))));
        }
        has_shown_ = true;
        to_show_ = to_show_.value_or(piece.data.size() + piece.left);
        *to_show_ -= std::min<std::uint64_t>(*to_show_, piece.data.size());
        node_ = piece.node;
        request_.from = piece.next;
        if (piece.data.empty()) {
            return ExitCode::ok;
        }
        if (console_.settings().json) {
            return deliver(console_.text_of(reply));
        }
        return deliver(console_.settings().terminal.out_is_terminal ? harmless(piece.data)
                                                                    : piece.data);
    }

    Console& console_;
    LogsRequest request_;
    bool follows_;
    bool has_shown_ = false;
    // Of the initial output: an instance that prints all the time would never come to an end.
    std::optional<std::uint64_t> to_show_;
    std::string node_;  // The node of the last piece.
    std::string last_error_;
};

}  // namespace

ExitCode run_logs(Console& console, const CommandLine& line, LogsRequest request) {
    return Reader{console, std::move(request), line.has("--follow")}.run();
}

}  // namespace muster::cli
