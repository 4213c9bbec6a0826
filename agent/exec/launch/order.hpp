#pragma once

#include <string>
#include <vector>

#include "agent/exec/launch/command.hpp"
#include "agent/exec/launch/environment.hpp"
#include "agent/exec/launch/host_rules.hpp"
#include "agent/exec/launch/identity.hpp"

namespace muster::agent {

/// An order to a shim.
struct ShimOrder {
    std::string program;  ///< Path.
    std::vector<char> message;
};

/// The order for a spawn. An error if the host cannot do what the spec asks for, or if a rule of
/// the host forbids it.
[[nodiscard]] tl::expected<ShimOrder, LaunchFailure> order_for(
    const Spawn& spawn, const std::optional<Identity>& identity, const ProcessPlace& place,
    const HostRules& rules);

/// The ordered process, from the record in a shim's state.
[[nodiscard]] std::optional<FoundProcess> found_process(const ShimState& state);

}  // namespace muster::agent
