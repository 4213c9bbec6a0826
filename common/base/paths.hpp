#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

/// Where the daemons keep their files, and where their tools look for them:
///
///     <state>/coordinator/         the coordinator's store and lock
///     <state>/agents/<name>/       an agent's memory, journal, lock, logs and working directories
///     <run>/operators.sock         the coordinator's ipc endpoint
///     <run>/agents/<name>.sock     an agent's own ipc endpoint
///     <run>/agents/<name>.shims/   where its shims listen
///     <run>/secrets/<name>/        copies of secrets for running instances; as root
///                                  <run>-secrets/<name>/, because only the owner may enter <run>
///
/// The rules are pure; only environment_of_process(), variable() and make_private_directory() ask
/// the system.
namespace muster::paths {

/// All inputs of the defaults. An unset variable is empty.
struct Environment {
    std::uint32_t user_id = 0;
    std::string home;
    std::string xdg_state_home;
    std::string xdg_runtime_dir;
};

struct Directories {
    std::string state;
    std::string run;
};

/// As root /var/lib/muster and /run/muster. Otherwise below XDG_STATE_HOME (or ~/.local/state) and
/// XDG_RUNTIME_DIR; without these below /tmp/muster-UID. As the XDG specification says, a variable
/// that is not an absolute path counts as unset.
[[nodiscard]] Directories default_directories(const Environment& environment);

[[nodiscard]] Environment environment_of_process();
/// One variable of the environment, which nobody may set meanwhile.
[[nodiscard]] std::string variable(const char* name);

/// The directories of the command line; an empty one has its default.
[[nodiscard]] Directories directories(const std::string& state_given, const std::string& run_given);

[[nodiscard]] std::string coordinator_state(const Directories& directories);
[[nodiscard]] std::string operators_socket(const Directories& directories);
[[nodiscard]] std::string agent_state(const Directories& directories, std::string_view name);
[[nodiscard]] std::string agent_socket(const Directories& directories, std::string_view name);
[[nodiscard]] std::string agent_shims(const Directories& directories, std::string_view name);
[[nodiscard]] std::string agent_secrets(const Directories& directories, std::string_view name,
                                        bool as_root);
/// Where an agent finds the secrets for tasks, unless its configuration says.
[[nodiscard]] std::string default_secrets(const Directories& directories, bool as_root);

/// `ipc://<path>`. Fails for a path longer than the kernel allows for a socket; the error points to
/// --run-dir.
[[nodiscard]] Result<std::string> ipc_endpoint(std::string_view path);

/// Makes the directory, and its parents, with mode 0700. An existing one gets 0700, unless it is
/// 0711: others pass through and see nothing. Fails if it belongs to another user or is not a
/// directory.
[[nodiscard]] Result<void> make_private_directory(const std::string& path);

}  // namespace muster::paths
