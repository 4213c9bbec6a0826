#include "agent/exec/cgroups/limits.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>
#include <vector>

#include "common/base/file_descriptor.hpp"

namespace muster::agent {

namespace {

// The kernel's default period, and the least quota that it accepts.
constexpr std::uint64_t usual_period_us = 100'000;
constexpr std::uint64_t longest_period_us = 1'000'000;
constexpr std::uint64_t least_quota_us = 1'000;

/// A file of a cgroup and what is written to it.
struct Setting {
    std::string file;
    std::string value;
    bool is_needed = true;  // Without it the limit is not enforced.
};

std::vector<Setting> cpu_settings(int version, std::uint64_t milli) {
    std::uint64_t period = usual_period_us;
    std::uint64_t quota = milli * period / 1000;
    if (quota < least_quota_us) {
        period = longest_period_us;
        quota = std::max(milli * period / 1000, least_quota_us);
    }
    const std::string share = milli == 0 ? (version == 1 ? "-1" : "max") : std::to_string(quota);
    if (version == 1) {
        return {{"cpu.cfs_period_us", std::to_string(period)}, {"cpu.cfs_quota_us", share}};
    }
    return {{"cpu.max", share + ' ' + std::to_string(period)}};
}

// Swapped memory counts, too. If one process of a task exceeds the limit, the kernel kills all of
// them.
std::vector<Setting> memory_settings(int version, std::uint64_t bytes) {
    if (version == 1) {
        const std::string most = bytes == 0 ? "-1" : std::to_string(bytes);
        return {{"memory.limit_in_bytes", most}, {"memory.memsw.limit_in_bytes", most, false}};
    }
    return {{"memory.max", bytes == 0 ? "max" : std::to_string(bytes)},
            {"memory.swap.max", bytes == 0 ? "max" : "0", false},
            {"memory.oom.group", bytes == 0 ? "0" : "1", false}};
}

std::vector<Setting> settings_of(const std::string& limit, int version,
                                 const CgroupLimits& limits) {
    if (limit == "cpu") {
        return cpu_settings(version, limits.cpu_milli);
    }
    if (limit == "memory") {
        return memory_settings(version, limits.memory_bytes);
    }
    return {{"pids.max", limits.pids == 0 ? "max" : std::to_string(limits.pids)}};
}

}  // namespace

int write_setting(const std::string& path, const std::string& value) {
    const FileDescriptor file{open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC)};
    const bool written = file.is_open() && write(file.get(), value.data(), value.size()) ==
                                               static_cast<ssize_t>(value.size());
    return written ? 0 : errno;
}

std::set<std::string> words_in(const std::string& path) {
    std::ifstream stream{path};
    std::set<std::string> words;
    for (std::string word; stream >> word;) {
        words.insert(word);
    }
    return words;
}

bool asks_for(const CgroupLimits& limits, const std::string& limit) {
    return limit == "cpu"      ? limits.cpu_milli != 0
           : limit == "memory" ? limits.memory_bytes != 0
                               : limits.pids != 0;
}

int set_limit(const std::string& directory, const std::string& limit, int version,
              const CgroupLimits& limits) {
    for (const Setting& setting : settings_of(limit, version, limits)) {
        const int error = write_setting(directory + '/' + setting.file, setting.value);
        if (error != 0 && setting.is_needed) {
            return error;
        }
    }
    return 0;
}

}  // namespace muster::agent
