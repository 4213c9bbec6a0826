#pragma once

#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <sys/types.h>

#include "tests/integration/support/harness.hpp"

namespace muster::faults {

/// The number of open files of a process by target, for example `3 x socket:`.
using OpenFiles = std::map<std::string, std::size_t>;
[[nodiscard]] OpenFiles files_of(pid_t process);

/// The resources that an agent uses on its host. The same work always needs the same.
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

/// Requires an agent that runs something.
[[nodiscard]] Holding holding_of(const integration::Cluster& cluster, const std::string& node);
/// Waits until the value is stable: an agent opens files for a moment to read them.
[[nodiscard]] Holding steady_holding(const integration::Cluster& cluster, const std::string& node);

}  // namespace muster::faults
