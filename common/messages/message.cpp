#include "common/messages/message.hpp"

namespace muster {

std::string_view to_string(InstanceState state) {
    switch (state) {
        case InstanceState::pending: return "pending";
        case InstanceState::starting: return "starting";
        case InstanceState::running: return "running";
        case InstanceState::backoff: return "backoff";
        case InstanceState::exited: return "exited";
        case InstanceState::failed: return "failed";
        case InstanceState::stopping: return "stopping";
    }
    return "unknown";
}

std::string_view to_string(ReportKind kind) {
    switch (kind) {
        case ReportKind::same: return "same";
        case ReportKind::delta: return "delta";
        case ReportKind::snapshot: return "snapshot";
    }
    return "unknown";
}

std::string_view to_string(Readiness readiness) {
    switch (readiness) {
        case Readiness::none: return "none";
        case Readiness::pending: return "pending";
        case Readiness::passed: return "passed";
        case Readiness::failed: return "failed";
    }
    return "unknown";
}

}  // namespace muster
