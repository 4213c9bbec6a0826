#include <algorithm>
#include <thread>
#include <variant>

#include "cli/screen/terminal.hpp"
#include "cli/subjects/verbs.hpp"
#include "common/net/host/clock.hpp"

namespace muster::cli {

namespace {

/// In which a coordinator of the list leads. 0: none.
Epoch leading_in(const ReplyBody& list) {
    Epoch epoch{};
    for (const CoordinatorView& row : std::get<CoordinatorsReply>(list).rows) {
        epoch = row.role == "leader" ? std::max(epoch, row.epoch) : epoch;
    }
    return epoch;
}

}  // namespace

ExitCode run_resign(Console& console) {
    const auto before = console.ask(CoordinatorListRequest{});
    const auto resigned = before ? console.ask(CoordinatorResignRequest{}) : before;
    if (!resigned) {
        return console.fail_with(resigned.error());
    }
    const Instant deadline = net::boottime_now() + console.settings().timeout;
    while (true) {
        const auto list = console.ask(CoordinatorListRequest{});
        if (list && leading_in(*list) > leading_in(*before)) {
            return console.show(*list);
        }
        if (net::boottime_now() >= deadline) {
            print_error(
                "muster: the leader resigned, and no other coordinator leads yet; see "
                "'muster coordinator list'\n");
            return ExitCode::timeout;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
}

}  // namespace muster::cli
