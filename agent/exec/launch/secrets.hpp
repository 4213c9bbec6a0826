#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/journal.hpp"
#include "agent/exec/launch/command.hpp"
#include "agent/exec/launch/identity.hpp"
#include "agent/exec/launch/secret_vault.hpp"
#include "common/base/file_descriptor.hpp"
#include "common/base/result.hpp"

namespace muster::agent {

/// The secrets of processes, each copied into a directory of the process:
///
///     <source>/NAME             0600 or 0400, of root or of this agent's user
///     <place>/<number>/NAME     0400 in 0500, of the user that the process runs as
///
/// A process with secrets from the coordinator has its directory in memory: in <place> if that is
/// a tmpfs, otherwise in /dev/shm/muster-<user>-<hash of place>.
///
/// The contents are in no log, argument or variable. The agent does not read what tasks write
/// there.
class Secrets {
public:
    /// Without `source` no task can ask for a secret. `place` is usually in memory.
    [[nodiscard]] Result<void> open(const std::string& source, const std::string& place);

    /// The directory of the copies for a process, whether it exists or not.
    [[nodiscard]] std::string directory_of(ProcessId process, bool in_memory) const {
        return (in_memory ? memory_place_ : place_) + '/' + std::to_string(raw(process));
    }
    /// Copies the secrets, and writes those that the coordinator sent beside them. An error names
    /// the secret that cannot be copied, and what would help.
    [[nodiscard]] tl::expected<void, LaunchFailure> copy(
        ProcessId process, const std::vector<std::string>& names, const OpenedSecrets& sent,
        const std::optional<Identity>& identity) const;

    void remove(ProcessId process) const;
    /// Removes the copies of all other processes.
    void remove_but(const std::set<ProcessId>& kept) const;

private:
    [[nodiscard]] tl::expected<FileDescriptor, LaunchFailure> open_secret(
        const std::string& name) const;
    [[nodiscard]] tl::expected<void, LaunchFailure> copy_one(
        const std::string& name, const std::string& directory,
        const std::optional<Identity>& identity) const;

    [[nodiscard]] tl::expected<void, LaunchFailure> open_memory_place() const;
    void remove_but(const std::string& place, const std::set<ProcessId>& kept) const;

    std::string source_;
    std::string place_;
    std::string memory_place_;
};

}  // namespace muster::agent
