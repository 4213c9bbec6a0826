#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/journal.hpp"
#include "agent/exec/launch/command.hpp"
#include "agent/exec/launch/identity.hpp"
#include "common/base/file_descriptor.hpp"
#include "common/base/result.hpp"

namespace muster::agent {

/// The secrets that processes asked for, each copied into a directory of the process's own:
///
///     <source>/NAME             0600 or 0400, of root or of this agent's user
///     <place>/<number>/NAME     0400 in 0500, of the user that the process runs as
///
/// The contents are in no log, argument or variable. What tasks write there is not read.
class Secrets {
public:
    /// `source` need not be there: then nobody may ask for any. `place` is in memory as a rule.
    [[nodiscard]] Result<void> open(const std::string& source, const std::string& place);

    /// Where the copies of a process are, or would be.
    [[nodiscard]] std::string directory_of(ProcessId process) const {
        return place_ + '/' + std::to_string(raw(process));
    }
    /// Copies them; an error says which one cannot be given, and what would be right.
    [[nodiscard]] tl::expected<void, LaunchFailure> copy(
        ProcessId process, const std::vector<std::string>& names,
        const std::optional<Identity>& identity) const;

    void remove(ProcessId process) const;
    /// Removes those of all others.
    void remove_but(const std::set<ProcessId>& kept) const;

private:
    [[nodiscard]] tl::expected<FileDescriptor, LaunchFailure> open_secret(
        const std::string& name) const;
    [[nodiscard]] tl::expected<void, LaunchFailure> copy_one(
        const std::string& name, const std::string& directory,
        const std::optional<Identity>& identity) const;

    std::string source_;
    std::string place_;
};

}  // namespace muster::agent
