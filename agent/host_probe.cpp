#include "agent/host_probe.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sched.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "common/base/read_file.hpp"

namespace muster::agent {
namespace {

constexpr std::uint64_t core = 1'000;

/// The first number of a file. Nothing: there is none, as with `max`, or it is negative.
std::optional<std::uint64_t> first_number_in(const std::string& file) {
    std::ifstream stream{file};
    std::int64_t number = -1;
    return stream >> number && number >= 0 ? std::optional{static_cast<std::uint64_t>(number)}
                                           : std::nullopt;
}

bool is_of(const CgroupTree& tree, const std::string& controller) {
    return tree.version == 2 || tree.controllers.contains(controller);
}

/// Thousandths of a core that one cgroup may use.
std::optional<std::uint64_t> cpu_of(const CgroupTree& tree, const std::string& directory) {
    std::optional<std::uint64_t> quota;
    std::optional<std::uint64_t> period;
    if (tree.version == 2) {
        std::ifstream stream{directory + "/cpu.max"};
        std::string first;
        std::uint64_t second = 0;
        if (stream >> first >> second && first != "max") {
            quota = std::strtoull(first.c_str(), nullptr, 10);
            period = second;
        }
    } else {
        quota = first_number_in(directory + "/cpu.cfs_quota_us");
        period = first_number_in(directory + "/cpu.cfs_period_us");
    }
    return quota && period && *period > 0 ? std::optional{*quota * core / *period} : std::nullopt;
}

std::string memory_limit(const CgroupTree& tree, const std::string& directory) {
    return directory + (tree.version == 2 ? "/memory.max" : "/memory.limit_in_bytes");
}
std::string memory_used(const CgroupTree& tree, const std::string& directory) {
    return directory + (tree.version == 2 ? "/memory.current" : "/memory.usage_in_bytes");
}

/// Our cgroup and all cgroups above it, as far as they are visible.
template <class Use>
void for_each_above(const CgroupTree& tree, Use use) {
    std::string directory = tree.directory;
    while (!directory.empty() && access((directory + "/cgroup.procs").c_str(), F_OK) == 0) {
        use(directory);
        directory.erase(std::min(directory.rfind('/'), directory.size()));
    }
}

/// The least memory of the host and the cgroups, and whether a cgroup sets it.
std::pair<std::uint64_t, bool> memory_of(const std::vector<CgroupTree>& trees) {
    struct sysinfo host = {};
    std::uint64_t least = sysinfo(&host) == 0 ? std::uint64_t{host.totalram} * host.mem_unit : 0;
    bool is_of_cgroup = false;
    for (const CgroupTree& tree : trees) {
        for_each_above(tree, [&](const std::string& directory) {
            const auto limit = is_of(tree, "memory")
                                   ? first_number_in(memory_limit(tree, directory))
                                   : std::nullopt;
            if (limit && *limit < least) {
                least = *limit;
                is_of_cgroup = true;
            }
        });
    }
    return {least, is_of_cgroup};
}

}  // namespace

FoundCapacity find_capacity(const std::vector<CgroupTree>& trees) {
    FoundCapacity found;
    const long cores = std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L);
    found.cpu_milli = static_cast<std::uint64_t>(cores) * core;
    found.from.cpu = "host";
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) < cores) {
        found.cpu_milli = static_cast<std::uint64_t>(CPU_COUNT(&allowed)) * core;
        found.from.cpu = "affinity";
    }
    for (const CgroupTree& tree : trees) {
        for_each_above(tree, [&](const std::string& directory) {
            const auto limit = is_of(tree, "cpu") ? cpu_of(tree, directory) : std::nullopt;
            if (limit && *limit < found.cpu_milli) {
                found.cpu_milli = *limit;
                found.from.cpu = "cgroup";
            }
        });
    }
    const auto [memory, is_of_cgroup] = memory_of(trees);
    found.memory_bytes = memory;
    found.from.memory = is_of_cgroup ? "cgroup" : "host";
    return found;
}

CapacityFrom complete(Capacity& configured, const FoundCapacity& found) {
    CapacityFrom from = found.from;
    if (configured.cpu_milli) {
        from.cpu = "configuration";
    }
    if (configured.memory_bytes) {
        from.memory = "configuration";
    } else if (found.memory_bytes == 0) {
        from.memory.clear();
    } else {
        configured.memory_bytes = found.memory_bytes;
    }
    configured.cpu_milli = configured.cpu_milli.value_or(found.cpu_milli);
    return from;
}

std::uint64_t memory_available(const std::string& meminfo) {
    constexpr std::string_view key = "MemAvailable:";
    const auto at = meminfo.find(key);
    return at == std::string::npos
               ? 0
               : std::strtoull(meminfo.c_str() + at + key.size(), nullptr, 10) * 1024;
}

HostObserved observe_host(const std::vector<CgroupTree>& trees, CivilMs now) {
    HostObserved seen{.civil = now};
    std::array<double, 1> load{};
    if (getloadavg(load.data(), 1) == 1) {
        seen.load_milli = static_cast<std::uint32_t>(load[0] * 1000);
    }
    seen.memory_free = memory_available(read_file("/proc/meminfo", unbounded).value_or(""));
    if (seen.memory_free == 0) {
        return seen;
    }
    seen.memory_bytes = memory_of(trees).first;
    for (const CgroupTree& tree : trees) {
        for_each_above(tree, [&](const std::string& directory) {
            const auto limit = first_number_in(memory_limit(tree, directory));
            const auto used = first_number_in(memory_used(tree, directory));
            if (limit && used) {
                seen.memory_free = std::min(seen.memory_free, *limit - std::min(*limit, *used));
            }
        });
    }
    return seen;
}

DiskObserved observe_disk(const std::string& directory) {
    struct statvfs disk = {};
    if (statvfs(directory.c_str(), &disk) != 0) {
        return {};
    }
    return {.free_bytes = std::uint64_t{disk.f_bavail} * disk.f_frsize,
            .bytes = std::uint64_t{disk.f_blocks} * disk.f_frsize,
            .free_files = disk.f_favail,
            .files = disk.f_files};
}

}  // namespace muster::agent
