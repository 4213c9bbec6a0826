#include "cli/exit_code.hpp"

#include "common/base/ensure.hpp"

namespace muster::cli {

ExitCode exit_code_of(Errc code) {
    switch (code) {
        case Errc::not_leader:
        case Errc::unreachable: return ExitCode::unreachable;
        case Errc::timeout: return ExitCode::timeout;
        case Errc::too_large:
        case Errc::invalid:
        case Errc::exists:
        case Errc::conflict:
        case Errc::stale_request:
        case Errc::busy:
        case Errc::refused:
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
