#include "agent/exec/cgroups/usage.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>
#include <unordered_map>

#include "common/base/file_descriptor.hpp"
#include "common/base/number.hpp"
#include "common/base/read_file.hpp"

namespace muster::agent {

namespace {

/// The fields of /proc/PID/stat that are used, see proc(5).
struct Stat {
    pid_t parent = 0;
    std::uint64_t ticks = 0;           // Of the process itself.
    std::uint64_t ticks_of_ended = 0;  // Of the children that it waited for, with their children.
    std::uint64_t start_ticks = 0;
    std::uint64_t resident_pages = 0;
};

struct Host {
    std::unordered_map<pid_t, Stat> processes;
    std::unordered_multimap<pid_t, pid_t> children;
};

// The name is in brackets and may contain any character. Field 3 comes after it.
std::optional<Stat> stat_of(std::string_view text) {
    constexpr std::size_t first_field = 3;
    std::array<std::uint64_t, 25> fields{};
    const auto name_end = text.rfind(')');
    if (name_end == std::string_view::npos) {
        return std::nullopt;
    }
    text.remove_prefix(std::min(name_end + 2, text.size()));
    for (std::size_t field = first_field; field < fields.size(); ++field) {
        const auto end = std::min(text.find(' '), text.size());
        // Fields that may be negative, and the state letter, are not used here.
        std::from_chars(text.data(), text.data() + end, fields[field]);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return Stat{.parent = static_cast<pid_t>(fields[4]),
                .ticks = fields[14] + fields[15],
                .ticks_of_ended = fields[16] + fields[17],
                .start_ticks = fields[22],
                .resident_pages = fields[24]};
}

std::optional<Stat> read_stat(const FileDescriptor& proc, const std::string& pid) {
    std::array<char, 1024> text{};
    const FileDescriptor file{openat(proc.get(), (pid + "/stat").c_str(), O_RDONLY | O_CLOEXEC)};
    const ssize_t count = file.is_open() ? read(file.get(), text.data(), text.size()) : -1;
    return count > 0 ? stat_of({text.data(), static_cast<std::size_t>(count)}) : std::nullopt;
}

Host observe_host() {
    Host host;
    const FileDescriptor proc{open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    for (const std::string& name : names_in("/proc")) {
        const auto pid = number_in<pid_t>(name);
        if (const auto stat = pid ? read_stat(proc, name) : std::nullopt) {
            host.processes.emplace(*pid, *stat);
            host.children.emplace(stat->parent, *pid);
        }
    }
    return host;
}

// Includes every process below the shim, because orphans become children of the shim.
InstanceUse use_of(const Host& host, const InstanceId& id, pid_t shim) {
    static const auto ticks_a_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
    static const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    InstanceUse use{.id = id};
    const auto found = host.processes.find(shim);
    std::uint64_t ticks = found == host.processes.end() ? 0 : found->second.ticks_of_ended;
    std::vector<pid_t> parents{shim};
    while (!parents.empty()) {
        const auto [first, last] = host.children.equal_range(parents.back());
        parents.pop_back();
        for (auto child = first; child != last; ++child) {
            const Stat& stat = host.processes.at(child->second);
            ticks += stat.ticks + stat.ticks_of_ended;
            use.memory_bytes += stat.resident_pages * page_bytes;
            ++use.processes;
            parents.push_back(child->second);
        }
    }
    use.cpu_us = ticks * 1'000'000 / ticks_a_second;
    return use;
}

}  // namespace

std::vector<InstanceUse> usage_of(std::span<const MeasureProcesses::Root> roots) {
    const Host host = observe_host();
    std::vector<InstanceUse> all;
    for (const auto& root : roots) {
        const auto found = host.processes.find(root.identity.pid);
        if (found != host.processes.end() &&
            found->second.start_ticks == root.identity.start_ticks && found->second.parent > 1) {
            all.push_back(use_of(host, root.id, found->second.parent));
        }
    }
    return all;
}

}  // namespace muster::agent
