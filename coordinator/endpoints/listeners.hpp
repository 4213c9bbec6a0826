#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/core/coordinator.hpp"

namespace muster::coordinator {

/// Which events reach which listener. The socket of events filters by topics alone. So an unlimited
/// listener gets the topics as they are, and a limited one only those with a prefix of its own,
/// `@ann/task.added`, under which the events are published that it may see.
class Listeners {
public:
    explicit Listeners(const Coordinator& core) : core_{core} {}

    /// The topics of a listener with this key that asks for this one. A limited listener may ask
    /// for all topics, or for one with its prefix.
    [[nodiscard]] std::vector<std::string> topics_of(const PublicKey& key, std::string_view topic);
    /// Takes over what changed in the core. True: a key that could listen no longer may, or not to
    /// the same, so all listeners must be judged again.
    [[nodiscard]] bool update(Instant now);
    /// The limited holders that asked for events.
    [[nodiscard]] const std::set<std::string>& limited() const { return limited_; }

private:
    const Coordinator& core_;
    std::map<PublicKey, Coordinator::Reader> readers_;
    std::set<std::string> limited_;
};

}  // namespace muster::coordinator
