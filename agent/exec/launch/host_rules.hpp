#pragma once

#include <optional>
#include <string>

#include "agent/exec/launch/found.hpp"
#include "agent/exec/launch/identity.hpp"
#include "agent/exec/launch/sandbox_probe.hpp"
#include "agent/policy/policy.hpp"

namespace muster::agent {

/// What a host asks of every task, whatever a coordinator orders.
struct HostRules {
    std::optional<Policy> policy{};  ///< Nothing: everything is allowed.
    SandboxSupport sandbox{};

    /// The rules allow some specs only, so this one must be checked.
    [[nodiscard]] bool concern(const TaskSpec& spec) const {
        return policy.has_value() || spec.sandbox != Sandbox::none;
    }
};

/// The rule that a spec breaks here, as a sentence. Nothing: none, or the host cannot run it for
/// another reason, which its launch finds. `place`: of this instance.
[[nodiscard]] std::optional<std::string> objection_to(const Spawn& spawn,
                                                      const std::optional<Identity>& identity,
                                                      const ProcessPlace& place,
                                                      const HostRules& rules);

/// Checks what was found for a process that begins now. If only some programs are allowed, their
/// paths lose their symbolic links, so that a changed link does not lead elsewhere.
[[nodiscard]] tl::expected<void, LaunchFailure> enforce(const Spawn& spawn,
                                                        const std::optional<Identity>& identity,
                                                        const ProcessPlace& place,
                                                        const HostRules& rules, Found& found);

}  // namespace muster::agent
