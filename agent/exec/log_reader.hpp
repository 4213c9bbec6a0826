#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/messages/agent_calls.hpp"

namespace muster::agent {

/// Reads the output of tasks while shims write it (agent/shim/log_file.hpp). Each stream has two
/// files; the older is deleted when the younger is full.
///
/// The directory holds all logs. Blocks as long as the disk does.
class LogReader {
public:
    explicit LogReader(std::string directory) : directory_{std::move(directory)} {}

    /// Returns the piece that was asked for. It is empty if the instance has printed nothing.
    /// Errors: `io` with the kernel's reason. `now`: of this host.
    [[nodiscard]] Result<LogPiece> read(const ReadLog& call, CivilMs now) const;

private:
    std::string directory_;
};

}  // namespace muster::agent
