#include "coordinator/core/workload/order.hpp"

namespace muster::coordinator {

std::string_view to_string(Cause cause) {
    switch (cause) {
        case Cause::missing: return "missing";
        case Cause::lost: return "lost";
        case Cause::surplus: return "surplus";
        case Cause::unwanted: return "unwanted";
        case Cause::duplicate: return "duplicate";
        case Cause::rollout: return "rollout";
        case Cause::balance: return "balance";
        case Cause::drain: return "drain";
        case Cause::flaky: return "flaky";
        case Cause::unfit: return "unfit";
        case Cause::retry: return "retry";
        case Cause::every_node: return "every_node";
    }
    return "unknown";
}

}  // namespace muster::coordinator
