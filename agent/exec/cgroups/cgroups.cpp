#include "agent/exec/cgroups/cgroups.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "agent/exec/cgroups/limits.hpp"
#include "common/base/file_descriptor.hpp"
#include "common/base/limits.hpp"
#include "common/base/number.hpp"
#include "common/base/read_file.hpp"

namespace muster::agent {

namespace {

namespace files = std::filesystem;

constexpr const char* agent_cgroup = "/muster-agent";

// Delegates a controller to the cgroups below. Returns 0, or the error number.
int delegate_controller(const std::string& base, const std::string& controller) {
    const std::string file = base + "/cgroup.subtree_control";
    return words_in(file).contains(controller) ? 0 : write_setting(file, '+' + controller);
}

bool move_ourselves(const std::string& directory) {
    return write_setting(directory + "/cgroup.procs", "0") == 0;
}

// Another process may get the same pid, so the pid is checked again once the pidfd is open.
bool kill_member(const std::string& procs, const std::string& pid) {
    const FileDescriptor process{
        static_cast<int>(syscall(SYS_pidfd_open, std::atoi(pid.c_str()), 0U))};
    return process.is_open() && words_in(procs).contains(pid) &&
           syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0U) == 0;
}

// False: the cgroup had no members.
bool kill_members(const std::string& cgroup) {
    const std::string procs = cgroup + "/cgroup.procs";
    const auto members = words_in(procs);
    if (!members.empty() && write_setting(cgroup + "/cgroup.kill", "1") != 0) {
        for (const std::string& pid : members) {  // Version 1, or an old kernel.
            kill_member(procs, pid);
        }
    }
    return !members.empty();
}

// A task may have created cgroups inside its own. The innermost come first.
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

std::string reason(const std::string& what, int error) {
    return what + ": " + std::strerror(error);
}

}  // namespace

// ---- the hierarchies ----

void Cgroups::open(const std::vector<CgroupTree>& trees, const std::string& home) {
    places_.clear();
    facts_.clear();
    for (const char* limit : limit_names) {
        facts_.push_back({limit, false, "this host shows no cgroup with a controller for it"});
    }
    for (const CgroupTree& tree : trees) {
        inspect(tree, home);
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

void Cgroups::inspect(const CgroupTree& tree, const std::string& home) {
    std::string base = tree.directory;
    std::set<std::string> controllers = tree.controllers;
    if (tree.version == 2) {
        if (base.ends_with(agent_cgroup)) {  // An earlier life of this agent moved there.
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
        int error = tree.version == 1 ? 0 : delegate_controller(base, limit);
        if (error == EBUSY && !has_moved) {
            mkdir((base + agent_cgroup).c_str(), 0755);
            has_moved = move_ourselves(base + agent_cgroup);
            error = delegate_controller(base, limit);
        }
        if (error == 0) {
            place.limited.insert(limit);
        } else {
            note(limit, false,
                 error == EBUSY ? "other processes are in the cgroup " + base
                                : reason(base + " delegates no controller", error));
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

// Creates and removes a cgroup to learn which limits a process would get.
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
        const std::string name_prefix = prefix.filename().string();
        for (const std::string& name : names_in(prefix.parent_path().string())) {
            const auto process =
                name.starts_with(name_prefix)
                    ? number_in<ProcessId>(std::string_view{name}.substr(name_prefix.size()))
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
            was_there = kill_members(cgroup) || was_there;
        }
    }
    return was_there;
}

bool Cgroups::has_run_out_of_memory(ProcessId process) const {
    return std::ranges::any_of(places_, [&](const Place& place) {
        const char* file = place.version == 1 ? "/memory.oom_control" : "/memory.events";
        std::ifstream counts{place.prefix + std::to_string(raw(process)) + file};
        std::string what;
        std::uint64_t count = 0;
        while (counts >> what >> count) {
            if (what == "oom_kill") {
                return count > 0;
            }
        }
        return false;
    });
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
            continue;  // Not below the cgroup of an agent that delegates controllers.
        }
        for (const std::string limit : limit_names) {
            write_setting(above + "/cgroup.subtree_control", '-' + limit);
        }
    }
}

}  // namespace muster::agent
