#include "agent/exec/cgroups.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "common/file_descriptor.hpp"
#include "common/limits.hpp"

namespace muster {

namespace {

namespace files = std::filesystem;

constexpr const char* agent_cgroup = "/muster-agent";
constexpr std::array limit_names{"cpu", "memory", "pids"};
// The kernel's own period, and the least time of it that can be given.
constexpr std::uint64_t usual_period_us = 100'000;
constexpr std::uint64_t longest_period_us = 1'000'000;
constexpr std::uint64_t least_quota_us = 1'000;

/// A file of a cgroup and what is written to it.
struct Setting {
    std::string file;
    std::string value;
    bool is_needed = true;  // Without it the limit is not kept.
};

// 0, or the error number.
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

// What is swapped out counts, too. All processes of a task die of what one of them eats.
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

bool asks_for(const CgroupLimits& limits, const std::string& limit) {
    return limit == "cpu"      ? limits.cpu_milli != 0
           : limit == "memory" ? limits.memory_bytes != 0
                               : limits.pids != 0;
}

// The error number of the first setting that is needed and could not be made; 0: none.
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

// Hands a controller on to the cgroups below; 0, or the error number.
int hand_on(const std::string& base, const std::string& controller) {
    const std::string file = base + "/cgroup.subtree_control";
    return words_in(file).contains(controller) ? 0 : write_setting(file, '+' + controller);
}

bool move_ourselves(const std::string& directory) {
    return write_setting(directory + "/cgroup.procs", "0") == 0;
}

// By its number, which another process may have got meanwhile: looked at again when it is held.
bool kill_member(const std::string& procs, const std::string& pid) {
    const FileDescriptor process{
        static_cast<int>(syscall(SYS_pidfd_open, std::atoi(pid.c_str()), 0U))};
    return process.is_open() && words_in(procs).contains(pid) &&
           syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0U) == 0;
}

// A task may have made others in it: the innermost come first.
std::vector<std::string> all_below(const std::string& directory) {
    std::vector<std::string> found;
    std::error_code error;
    for (files::recursive_directory_iterator entry{directory, error}, end; !error && entry != end;
         entry.increment(error)) {
        std::error_code gone;
        if (entry->is_directory(gone) && !entry->is_symlink(gone)) {
            found.push_back(entry->path().string());
        }
    }
    std::ranges::reverse(found);
    found.push_back(directory);
    return found;
}

std::optional<ProcessId> process_of(std::string_view number) {
    std::uint64_t process = 0;
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), process);
    const bool is_number = error == std::errc{} && end == number.data() + number.size();
    return is_number ? std::optional{ProcessId{process}} : std::nullopt;
}

std::string reason(const std::string& what, int error) {
    return what + ": " + std::strerror(error);
}

}  // namespace

// ---- what there is ----

void Cgroups::open(const std::vector<CgroupTree>& trees, const std::string& home) {
    places_.clear();
    facts_.clear();
    for (const char* limit : limit_names) {
        facts_.push_back({limit, false, "this host shows no cgroup with a controller for it"});
    }
    for (const CgroupTree& tree : trees) {
        look_at(tree, home);
    }
}

void Cgroups::note(const std::string& limit, bool enforced, const std::string& how) {
    for (LimitFact& fact : facts_) {
        if (fact.limit == limit && !fact.enforced) {
            fact.enforced = enforced;
            fact.how = how.substr(0, limits::detail_bytes);
        }
    }
}

void Cgroups::look_at(const CgroupTree& tree, const std::string& home) {
    std::string base = tree.directory;
    std::set<std::string> controllers = tree.controllers;
    if (tree.version == 2) {
        if (base.ends_with(agent_cgroup)) {  // An earlier life of this process moved there.
            base.resize(base.size() - std::strlen(agent_cgroup));
        }
        controllers = words_in(base + "/cgroup.controllers");
    }
    Place place{tree.version, base + "/muster-" + home + '-', {}};
    bool has_moved = false;
    for (const std::string limit : limit_names) {
        if (!controllers.contains(limit)) {
            continue;
        }
        int error = tree.version == 1 ? 0 : hand_on(base, limit);
        if (error == EBUSY && !has_moved) {
            mkdir((base + agent_cgroup).c_str(), 0755);
            has_moved = move_ourselves(base + agent_cgroup);
            error = hand_on(base, limit);
        }
        if (error == 0) {
            place.limited.insert(limit);
        } else {
            note(limit, false,
                 error == EBUSY ? "other processes are in the cgroup " + base
                                : reason(base + " hands no controller on", error));
        }
    }
    if (has_moved && place.limited.empty()) {
        move_ourselves(base);
        rmdir((base + agent_cgroup).c_str());
    }
    if (tree.version == 2 || !place.limited.empty()) {
        probe(place);
    }
}

// What a process would get is made once, for none.
void Cgroups::probe(Place& place) {
    const std::string directory = place.prefix + '0';
    const bool made = mkdir(directory.c_str(), 0755) == 0 || errno == EEXIST;
    const int why = errno;
    for (const std::string& limit : std::exchange(place.limited, {})) {
        const int error = made ? set_limit(directory, limit, place.version, {}) : why;
        if (error == 0) {
            place.limited.insert(limit);
            note(limit, true, "cgroup v" + std::to_string(place.version));
        } else {
            note(limit, false, reason(directory + " cannot be made", error));
        }
    }
    if (made && rmdir(directory.c_str()) == 0) {
        places_.push_back(std::move(place));
    }
}

// ---- of one process ----

std::vector<std::string> Cgroups::directories_of(ProcessId process) const {
    std::vector<std::string> directories;
    for (const Place& place : places_) {
        directories.push_back(place.prefix + std::to_string(raw(process)));
    }
    return directories;
}

std::vector<std::string> Cgroups::make(ProcessId process, const CgroupLimits& limits) const {
    std::vector<std::string> made;
    for (const Place& place : places_) {
        const auto is_asked_for = [&](const auto& limit) { return asks_for(limits, limit); };
        if (place.version == 1 && std::ranges::none_of(place.limited, is_asked_for)) {
            continue;
        }
        const std::string directory = place.prefix + std::to_string(raw(process));
        if (mkdir(directory.c_str(), 0755) == 0 || errno == EEXIST) {
            made.push_back(directory);
        }
    }
    set_limits(process, limits);
    return made;
}

void Cgroups::set_limits(ProcessId process, const CgroupLimits& limits) const {
    for (const Place& place : places_) {
        for (const std::string& limit : place.limited) {
            if (asks_for(limits, limit)) {
                set_limit(place.prefix + std::to_string(raw(process)), limit, place.version,
                          limits);
            }
        }
    }
}

std::set<ProcessId> Cgroups::listed() const {
    std::set<ProcessId> found;
    for (const Place& place : places_) {
        const files::path prefix{place.prefix};
        std::error_code error;
        for (files::directory_iterator entry{prefix.parent_path(), error}, end;
             !error && entry != end; entry.increment(error)) {
            const std::string name = entry->path().filename().string();
            const std::string beginning = prefix.filename().string();
            const auto process = name.starts_with(beginning)
                                     ? process_of(std::string_view{name}.substr(beginning.size()))
                                     : std::nullopt;
            if (process && *process != ProcessId{}) {
                found.insert(*process);
            }
        }
    }
    return found;
}

bool Cgroups::kill(ProcessId process) const {
    bool was_there = false;
    for (const std::string& directory : directories_of(process)) {
        for (const std::string& cgroup : all_below(directory)) {
            const std::string procs = cgroup + "/cgroup.procs";
            const auto members = words_in(procs);
            was_there = was_there || !members.empty();
            if (!members.empty() && write_setting(cgroup + "/cgroup.kill", "1") != 0) {
                for (const std::string& pid : members) {  // Of version 1, or of an old kernel.
                    kill_member(procs, pid);
                }
            }
        }
    }
    return was_there;
}

void Cgroups::remove(ProcessId process) const {
    for (const std::string& directory : directories_of(process)) {
        for (const std::string& cgroup : all_below(directory)) {
            rmdir(cgroup.c_str());
        }
    }
}

void take_back_controllers(const std::vector<CgroupTree>& own) {
    for (const CgroupTree& tree : own) {
        const std::string above = files::path{tree.directory}.parent_path().string();
        if (tree.version != 2 || !files::exists(above + agent_cgroup)) {
            continue;  // Not below a cgroup that an agent hands controllers on in.
        }
        for (const std::string limit : limit_names) {
            write_setting(above + "/cgroup.subtree_control", '-' + limit);
        }
    }
}

}  // namespace muster
