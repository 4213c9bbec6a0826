#include "coordinator/gate.hpp"

#include <memory>

namespace muster::coordinator {

Gate::Gate(net::Context& context, const Security& security)
    : keys_{security.keys}, authenticator_{context, security.handshakes} {}

Result<void> Gate::open() { return keys_ ? authenticator_.start() : Result<void>{}; }

bool Gate::update(const Coordinator& core, Instant now) {
    if (!keys_) {
        return false;
    }
    authenticator_.admit_any("enrolment", core.is_enrolment_open(now));
    if (version_ == core.keys_version()) {
        return false;
    }
    version_ = core.keys_version();
    authenticator_.admit("agents", std::make_shared<net::KeySet>(core.admitted_keys(true)));
    const auto operators = std::make_shared<net::KeySet>(core.admitted_keys(false));
    authenticator_.admit("operators", operators);
    authenticator_.admit("events", operators);
    return true;
}

}  // namespace muster::coordinator
