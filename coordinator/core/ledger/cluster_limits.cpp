#include "coordinator/core/ledger/cluster_limits.hpp"

#include "common/base/number.hpp"

namespace muster::coordinator {

Result<const ClusterLimit*> check(const LimitSetRequest& request) {
    for (const ClusterLimit* limit : cluster_limits) {
        if (limit->name != request.name) {
            continue;
        }
        if (request.value && *request.value < limit->least) {
            return fail(Errc::invalid, request.name + " is at least " +
                                           std::to_string(limit->least) + ", or none; not " +
                                           std::to_string(*request.value));
        }
        return limit;
    }
    return fail(Errc::not_found, "there is no limit '" + request.name + "'; there are " +
                                     joined(cluster_limits, ", ", &ClusterLimit::name));
}

std::string limit_text(std::optional<std::uint32_t> value) {
    return value ? std::to_string(*value) : "none";
}

std::optional<std::uint32_t> limit_from(std::string_view text) {
    return number_in<std::uint32_t>(text);
}

}  // namespace muster::coordinator
