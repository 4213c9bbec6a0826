#pragma once

#include <array>
#include <set>
#include <string>

#include "common/spec/spec.hpp"

/// The settings of cgroups, in both versions.
namespace muster::agent {

/// Also the names of the controllers that enforce these limits.
inline constexpr std::array limit_names{"cpu", "memory", "pids"};

/// Whether a task asks for this limit.
[[nodiscard]] bool asks_for(const CgroupLimits& limits, const std::string& limit);

/// Sets one limit of a cgroup. Returns the error number of the first required file that could not
/// be written. 0: success.
int set_limit(const std::string& directory, const std::string& limit, int version,
              const CgroupLimits& limits);

/// Writes to a file of a cgroup. Returns 0, or the error number.
int write_setting(const std::string& path, const std::string& value);
/// Empty if the file cannot be read.
[[nodiscard]] std::set<std::string> words_in(const std::string& path);

}  // namespace muster::agent
