#include "agent/core/instances/host_lease.hpp"

#include <string>

#include "common/base/limits.hpp"

namespace muster::agent {

namespace {

// A lease that ends later cannot come from a stamp of this host.
bool is_sound(Instant now, BootMs lease) {
    const Duration length = limits::lease_most;
    return lease <= boot_ms(now + length);
}

}  // namespace

Result<void> HostLease::judge(Instant now, const Start& start) {
    if (start.lease == BootMs{} || start.token == 0) {
        return fail(Errc::refused,
                    "it is exclusive, and the start brings no lease and token: its "
                    "coordinator runs an older version");
    }
    if (!is_sound(now, start.lease)) {
        return fail(Errc::refused,
                    "it is exclusive, and its lease ends later than any lease of "
                    "this host can");
    }
    if (instant_of(start.lease) <= now) {
        return fail(Errc::lease_over, "it is exclusive, and its lease passed " +
                                          std::to_string(to_ms(now - instant_of(start.lease))) +
                                          " ms before the start came");
    }
    return {};
}

bool HostLease::extend(Instant now, BootMs lease) {
    if (!is_sound(now, lease) || instant_of(lease) <= now ||
        (until_ && instant_of(lease) <= *until_)) {
        return false;
    }
    until_ = instant_of(lease);
    return true;
}

bool HostLease::end_if_due(Instant now) {
    if (!until_ || now < *until_) {
        return false;
    }
    until_.reset();
    return true;
}

}  // namespace muster::agent
