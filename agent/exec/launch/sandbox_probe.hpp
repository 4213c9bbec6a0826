#pragma once

#include <string>

#include "agent/shim/sandbox.hpp"

namespace muster::agent {

/// How this host can enclose a task, and the words for it.
struct SandboxSupport {
    shim::SandboxMethod method = shim::SandboxMethod::none;
    std::string how = "it was not tried";  ///< The means; or why there is none.
};

/// Tries each means once, in a process that ends at once. `directory`: one of this process's own,
/// on the disk where tasks work.
[[nodiscard]] SandboxSupport probe_sandbox(const std::string& directory);

}  // namespace muster::agent
