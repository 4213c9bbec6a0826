#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/messages/errands.hpp"

namespace muster::agent {

/// Reads what shims write of what tasks print (agent/shim/log_file.hpp), while they write it: two
/// files of each stream, of which the older is thrown away when the younger is full.
///
/// The directory is that of all logs. Blocks for as long as the disk does.
class LogReader {
public:
    explicit LogReader(std::string directory) : directory_{std::move(directory)} {}

    /// The piece that was asked for. An instance that has printed nothing has an empty one. Errors:
    /// `io` with the kernel's reason. `now`: of this host.
    [[nodiscard]] Result<LogPiece> read(const ReadLog& errand, CivilMs now) const;

private:
    std::string directory_;
};

}  // namespace muster::agent
