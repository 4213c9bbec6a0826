#include "coordinator/core/ledger/cluster_limits.hpp"

#include <algorithm>

#include "common/base/number.hpp"

namespace muster::coordinator {

Result<const ClusterLimit*> check(const LimitSetRequest& request) {
    const auto found = std::ranges::find(cluster_limits, request.name, &ClusterLimit::name);
    if (found == cluster_limits.end()) {
        return fail(Errc::not_found, "there is no limit '" + request.name + "'; there are " +
                                         joined(cluster_limits, ", ", &ClusterLimit::name));
    }
    const std::uint32_t least = (*found)->least;
    if (request.value && *request.value < least) {
        return fail(Errc::invalid, request.name + " is at least " + std::to_string(least) +
                                       ", or none; not " + std::to_string(*request.value));
    }
    return *found;
}

std::string limit_text(std::optional<std::uint32_t> value) {
    return value ? std::to_string(*value) : "none";
}

std::optional<std::uint32_t> limit_from(std::string_view text) {
    return number_in<std::uint32_t>(text);
}

}  // namespace muster::coordinator
