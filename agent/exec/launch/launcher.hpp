#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/exec/cgroups/cgroups.hpp"
#include "agent/exec/launch/host_rules.hpp"
#include "agent/exec/launch/order.hpp"
#include "agent/exec/launch/secret_vault.hpp"
#include "agent/exec/launch/secrets.hpp"
#include "agent/exec/shims/outputs.hpp"
#include "agent/exec/shims/shim_link.hpp"
#include "common/base/file_descriptor.hpp"
#include "common/base/ids.hpp"
#include "common/base/limits.hpp"
#include "common/base/result.hpp"

namespace muster::agent {

struct LauncherOptions {
    std::string node{};              ///< The name of the node.
    Offer offer{};                   ///< Other facts about the node that tasks may need.
    std::string state{};             ///< The agent's state directory, with logs/, ends/ and work/.
    std::string sockets{};           ///< Directory of the shims' sockets.
    std::string shim{};              ///< The program muster-shim.
    std::string home_directory{};    ///< For HOME of a task that runs as the agent.
    std::string secrets{};           ///< The directory of the secrets that tasks may ask for.
    std::string secrets_place{};     ///< The directory of the copies for running processes.
    std::optional<Policy> policy{};  ///< Of this host. Nothing: everything is allowed.
    /// Directories above those of the tasks. Root makes them passable for tasks of other users.
    std::vector<std::string> passed{};
    Duration post_stop = limits::post_stop_max;  ///< How long a post_stop may take.
    std::size_t ended_kept = limits::ended_outputs;
};

/// The path of the shim that belongs to this program: beside it, or in the libexec of its prefix.
[[nodiscard]] Result<std::string> shim_of_this_program();

/// A shim, and the program that it was ordered to run.
struct Launched {
    ShimLink link;
    std::string program;
};

/// Creates processes, each below its own shim: in its own session, without a shell, with exactly
/// its own environment, without open files other than the standard ones, with all signals at their
/// defaults and none blocked. Standard output goes to `logs/<task>.<ordinal>.out`, standard error
/// to `.err` beside it. Standard input is empty.
class Launcher {
public:
    explicit Launcher(LauncherOptions options);

    /// Creates the directories. Fails if one cannot be created.
    [[nodiscard]] Result<void> open();
    [[nodiscard]] const std::string& home() const { return place_.home; }
    [[nodiscard]] const Cgroups& cgroups() const { return cgroups_; }
    /// The limits of tasks that this host enforces.
    [[nodiscard]] const std::vector<LimitFact>& limits() const { return limits_; }

    /// Why this host's rules do not let it run what a start orders. Nothing: they do, or its launch
    /// finds another reason.
    [[nodiscard]] std::optional<std::string> objection_to_start(const InstanceId& id,
                                                                Generation generation,
                                                                const TaskSpec& spec) const;

    /// The secrets that come with starts.
    [[nodiscard]] SecretVault& vault() { return vault_; }
    /// The state of the shim says later whether the process starts.
    [[nodiscard]] tl::expected<Launched, LaunchFailure> launch(const Spawn& spawn);

    // ---- the traces of shims ----

    /// The processes whose shims have, or had, a socket.
    [[nodiscard]] std::set<ProcessId> listed() const;
    [[nodiscard]] Result<ShimLink> connect(ProcessId process) const;
    /// The last state of a shim that has ended, if it left a record.
    [[nodiscard]] std::optional<ShimState> end_of(ProcessId process) const;
    /// Removes a socket on which nobody listens.
    void clean_up_socket(ProcessId process) const;
    /// Removes the socket, the cgroups, the secrets and the record.
    void clean_up(ProcessId process) const;
    /// Removes the secrets and the records of all other processes.
    void clean_up_but(const std::set<ProcessId>& kept) const;

    /// The instance is still here, so it keeps the files of earlier lives.
    void keep(const InstanceId& id) { outputs_.begins(id); }
    /// The instance is gone: from now on its files on disk count toward a limit.
    void forget(const InstanceId& id);

private:
    [[nodiscard]] Result<void> open_to_tasks() const;
    [[nodiscard]] ProcessPlace place_of(const Spawn& spawn,
                                        const std::optional<Identity>& identity) const;
    [[nodiscard]] std::string work_directory(const InstanceId& id) const {
        return options_.state + "/work/" + to_string(id);
    }
    [[nodiscard]] tl::expected<void, LaunchFailure> make_work_directory(
        const InstanceId& id, const std::optional<Identity>& identity) const;
    [[nodiscard]] tl::expected<ShimLink, LaunchFailure> start_shim(
        ProcessId process, const std::vector<char>& order) const;

    LauncherOptions options_;
    ProcessPlace place_;
    FileDescriptor null_;
    FileDescriptor logs_;
    FileDescriptor ends_;
    FileDescriptor sockets_;
    Cgroups cgroups_;
    HostRules rules_;
    std::vector<LimitFact> limits_;
    Secrets secrets_;
    SecretVault vault_;
    Outputs outputs_;
};

}  // namespace muster::agent
