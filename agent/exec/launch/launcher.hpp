#pragma once

#include <set>
#include <string>
#include <sys/resource.h>

#include "agent/exec/cgroups/cgroups.hpp"
#include "agent/exec/launch/order.hpp"
#include "agent/exec/launch/secrets.hpp"
#include "agent/exec/shims/outputs.hpp"
#include "agent/exec/shims/shim_link.hpp"
#include "common/base/file_descriptor.hpp"
#include "common/base/ids.hpp"
#include "common/base/limits.hpp"
#include "common/base/result.hpp"

namespace muster::agent {

struct LauncherOptions {
    std::string node{};     ///< Its name,
    Offer offer{};          ///< and what tasks may want to know of it.
    std::string state{};    ///< The agent's state directory; logs/, ends/ and work/ are in it.
    std::string sockets{};  ///< Directory of the shims' sockets.
    std::string shim{};     ///< The program muster-shim.
    std::string home_directory{};  ///< For HOME, of a task that runs as the agent.
    std::string secrets{};         ///< Directory of the files that tasks may ask for,
    std::string secrets_place{};   ///< and that of the copies for those that run.
    /// Through which a task of another user must pass to its own: only root can run it.
    std::vector<std::string> passed{};
    Duration post_stop = limits::post_stop_max;  ///< What a post_stop may take.
    std::size_t ended_kept = limits::ended_outputs;
};

/// Where the shim is that belongs to this program: beside it, or in the libexec of its prefix.
[[nodiscard]] Result<std::string> shim_of_this_program();

/// A shim, and what it was told to run.
struct Launched {
    ShimLink link;
    std::string program;
};

/// Makes processes, each below a shim of its own: in a session of its own, without a shell, with
/// exactly the environment that is its own, with no open file but the standard ones, all signals at
/// their defaults and none blocked. Standard output goes to `logs/<task>.<ordinal>.out`, errors
/// beside it to `.err`, standard input is empty.
class Launcher {
public:
    explicit Launcher(LauncherOptions options);

    /// Makes the directories. Fails if they cannot be made.
    [[nodiscard]] Result<void> open();
    [[nodiscard]] const std::string& home() const { return place_.home; }
    [[nodiscard]] const Cgroups& cgroups() const { return cgroups_; }

    /// Whether a process comes of it is told by the shim's state.
    [[nodiscard]] tl::expected<Launched, LaunchFailure> launch(const Spawn& spawn);

    // ---- what shims leave behind ----

    /// The processes whose shims have, or had, a socket.
    [[nodiscard]] std::set<ProcessId> listed() const;
    [[nodiscard]] Result<ShimLink> connect(ProcessId process) const;
    /// The state in which a shim ended that is no more, if it left a record of that.
    [[nodiscard]] std::optional<ShimState> end_of(ProcessId process) const;
    /// Takes away the socket that nobody listens to.
    void clean_up_socket(ProcessId process) const;
    /// Takes away the socket, the cgroups, the secrets and the record.
    void clean_up(ProcessId process) const;
    /// Takes away the secrets and the records of all that are not among these.
    void clean_up_but(const std::set<ProcessId>& kept) const;

    /// The instance is still here: what an earlier life kept of it is its own.
    void keep(const InstanceId& id) { outputs_.begins(id); }
    /// The instance is no more: what is kept of it on disk is bounded from now on.
    void forget(const InstanceId& id);

private:
    [[nodiscard]] Result<void> open_to_tasks() const;
    [[nodiscard]] tl::expected<std::string, LaunchFailure> work_directory(
        const InstanceId& id, const std::optional<Identity>& identity) const;
    [[nodiscard]] tl::expected<ShimLink, LaunchFailure> start_shim(ProcessId process) const;

    LauncherOptions options_;
    ProcessPlace place_;
    FileDescriptor null_;
    FileDescriptor logs_;
    FileDescriptor ends_;
    FileDescriptor sockets_;
    Cgroups cgroups_;
    Secrets secrets_;
    rlimit files_{};  // As we were given it, for our tasks: our own is raised.
    Outputs outputs_;
};

}  // namespace muster::agent
