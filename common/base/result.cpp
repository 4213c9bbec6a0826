#include "common/base/result.hpp"

namespace muster {

std::string_view to_string(Errc code) {
    switch (code) {
        case Errc::malformed: return "malformed";
        case Errc::unsupported_version: return "unsupported_version";
        case Errc::too_large: return "too_large";
        case Errc::unknown_verb: return "unknown_verb";
        case Errc::invalid: return "invalid";
        case Errc::not_found: return "not_found";
        case Errc::exists: return "exists";
        case Errc::conflict: return "conflict";
        case Errc::stale_request: return "stale_request";
        case Errc::busy: return "busy";
        case Errc::timeout: return "timeout";
        case Errc::store_failed: return "store_failed";
        case Errc::refused: return "refused";
        case Errc::not_leader: return "not_leader";
        case Errc::unreachable: return "unreachable";
        case Errc::hello_required: return "hello_required";
        case Errc::name_in_use: return "name_in_use";
        case Errc::stale_incarnation: return "stale_incarnation";
        case Errc::stale_epoch: return "stale_epoch";
        case Errc::foreign_cluster: return "foreign_cluster";
        case Errc::spec_unknown: return "spec_unknown";
        case Errc::lease_over: return "lease_over";
        case Errc::io: return "io";
    }
    return "unknown";
}

}  // namespace muster
