#include "coordinator/endpoints/gate.hpp"

namespace muster::coordinator {

Gate::Gate(net::Context& context, const Security& security)
    : keys_{security.keys},
      authenticator_{context, security.handshakes,
                     [this](Instant now, const auto& refusal) { log_refusal(now, refusal); }} {}

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
    agents_ = std::make_shared<net::KeySet>(core.admitted_keys(true));
    operators_ = std::make_shared<net::KeySet>(core.admitted_keys(false));
    authenticator_.admit("agents", agents_);
    authenticator_.admit("operators", operators_);
    authenticator_.admit("events", operators_);
    return true;
}

void Gate::log_refusal(Instant now, const net::Authenticator::Refusal& refusal) {
    log::write(complaints_, now, log::Level::warn,
               "connection refused, because its key is not admitted",
               {{"endpoint", refusal.domain},
                {"address", refusal.address},
                {"key", refusal.key == nullptr ? "none" : fingerprint(*refusal.key)}});
}

}  // namespace muster::coordinator
