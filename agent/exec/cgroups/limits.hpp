#pragma once

#include <array>
#include <set>
#include <string>

#include "common/spec/spec.hpp"

/// What is written to the files of a cgroup, of both versions.
namespace muster::agent {

/// Also the names of the controllers that keep them.
inline constexpr std::array limit_names{"cpu", "memory", "pids"};

/// Whether a task asks for this limit.
[[nodiscard]] bool asks_for(const CgroupLimits& limits, const std::string& limit);

/// Sets one limit of a cgroup. Returns the error number of the first file that is needed and could
/// not be written; 0: none.
int set_limit(const std::string& directory, const std::string& limit, int version,
              const CgroupLimits& limits);

/// Writes to a file of a cgroup: 0, or the error number.
int write_setting(const std::string& path, const std::string& value);
/// Empty if it cannot be read.
[[nodiscard]] std::set<std::string> words_in(const std::string& path);

}  // namespace muster::agent
