#pragma once

#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <sys/types.h>

#include "tests/integration/support/harness.hpp"

namespace muster::faults {

/// What the open files of a process are, as `3 x socket:`.
using OpenFiles = std::map<std::string, std::size_t>;
[[nodiscard]] OpenFiles files_of(pid_t process);

/// What an agent holds of its host: it is the same for the same work.
struct Holding {
    std::size_t shims = 0;
    OpenFiles files{};
    std::size_t sockets = 0;
    std::size_t ends = 0;
    std::size_t secrets = 0;
    std::size_t cgroups = 0;

    friend bool operator==(const Holding&, const Holding&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Holding& holding);
};

/// Of an agent that runs something.
[[nodiscard]] Holding holding_of(const integration::Cluster& cluster, const std::string& node);
/// Once it is the same for a while: for a moment an agent has a file open that it reads.
[[nodiscard]] Holding settled_holding(const integration::Cluster& cluster, const std::string& node);

}  // namespace muster::faults
