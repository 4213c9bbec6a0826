#include "cli/exit_code.hpp"

#include <array>

#include "common/base/ensure.hpp"

namespace muster::cli {

std::span<const ExitEntry> exit_table() {
    static constexpr std::array table{
        ExitEntry{ExitCode::ok, "Done."},
        ExitEntry{ExitCode::error,
                  "An error: no such node or task, a file that cannot be read, an answer that "
                  "cannot be written, a store that failed."},
        ExitEntry{ExitCode::usage, "The command line makes no sense."},
        ExitEntry{
            ExitCode::difference,
            "plan -f: something would change. plan what-if: something would move, would be "
            "down for a while, or would lack a place that it has now. status --check: the "
            "cluster is not converged. wait, apply --wait: a roll-out is halted. audit "
            "verify: a row does not fit. store check: there is a fault. doctor: something is weak "
            "or broken."},
        ExitEntry{ExitCode::unreachable, "No coordinator answers, or it does not lead."},
        ExitEntry{ExitCode::timeout, "A wait or a request ran out of time."},
        ExitEntry{ExitCode::refused,
                  "The request was understood and refused: a faulty task file, a task that "
                  "exists already, a removal that nobody agreed to, ..."},
    };
    return table;
}

ExitCode exit_code_of(Errc code) {
    switch (code) {
        case Errc::not_leader:
        case Errc::unreachable: return ExitCode::unreachable;
        case Errc::timeout: return ExitCode::timeout;
        case Errc::halted: return ExitCode::difference;
        case Errc::too_large:
        case Errc::invalid:
        case Errc::exists:
        case Errc::conflict:
        case Errc::stale_request:
        case Errc::busy:
        case Errc::refused:
        case Errc::denied:
        case Errc::hello_required:
        case Errc::name_in_use:
        case Errc::stale_incarnation:
        case Errc::stale_epoch:
        case Errc::foreign_cluster:
        case Errc::spec_unknown:
        case Errc::spec_unsupported:
        case Errc::lease_over: return ExitCode::refused;
        case Errc::malformed:
        case Errc::unsupported_version:
        case Errc::unknown_verb:
        case Errc::not_found:
        case Errc::store_failed:
        case Errc::io: return ExitCode::error;
    }
    ensure(false, "every Errc has an exit code");
    return ExitCode::error;
}

}  // namespace muster::cli
