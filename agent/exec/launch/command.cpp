#include "agent/exec/launch/command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::agent {

namespace {

bool is_fault_of_host(int error) {
    constexpr std::array faults{EAGAIN, ENOMEM, EMFILE, ENFILE, ENOSPC, EDQUOT, EROFS, EIO};
    return std::ranges::find(faults, error) != faults.end();
}

// ETXTBSY: a program that is being written may be complete a moment later.
bool is_permanent(int error) { return !is_fault_of_host(error) && error != ETXTBSY; }

bool is_file(const std::string& path) {
    struct stat status = {};
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

LaunchFailure cannot_execute(const std::string& program, int error) {
    if (error == ENOEXEC) {
        return permanent(program +
                         " is not a program; a script begins with #! and its interpreter");
    }
    if (error == ENOENT && is_file(program)) {
        return permanent(program + " names an interpreter that does not exist");
    }
    return failure_of(program + " cannot be executed", error);
}

std::string how_it_ended(const ShimState& state) {
    return state.exit_signal != 0 ? "was ended by signal " + std::to_string(state.exit_signal)
                                  : "ended with exit code " + std::to_string(state.exit_code);
}

}  // namespace

LaunchFailure failure_of(const std::string& what, int error) {
    return {is_permanent(error), is_fault_of_host(error), what + ": " + std::strerror(error)};
}

tl::expected<std::string, LaunchFailure> find_program(const std::string& name,
                                                      const std::string& path) {
    if (name.find('/') != std::string::npos) {
        return name;
    }
    std::string not_executable;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        const std::string candidate = path.substr(begin, end - begin) + '/' + name;
        begin = end + 1;
        if (!is_file(candidate)) {
            continue;
        }
        if (access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
        not_executable = candidate;
    }
    if (!not_executable.empty()) {
        return NoLaunch{permanent(not_executable + " is not executable")};
    }
    return NoLaunch{permanent("there is no program '" + name + "' in " + path)};
}

tl::expected<std::string, LaunchFailure> check_directory(const std::string& path) {
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) {
        return NoLaunch{failure_of("the working directory " + path + " cannot be used", errno)};
    }
    if (!S_ISDIR(status.st_mode)) {
        return NoLaunch{permanent("the working directory " + path + " is not a directory")};
    }
    if (access(path.c_str(), X_OK) != 0) {
        return NoLaunch{failure_of("the working directory " + path + " cannot be entered", errno)};
    }
    return path;
}

LaunchFailure failure_of(const ShimState& state, const std::string& program) {
    const int error = state.error_number;
    switch (state.stage) {
        case shim::Stage::exec: return cannot_execute(program, error);
        case shim::Stage::directory:
            return failure_of("its working directory cannot be entered", error);
        case shim::Stage::cgroup:
            return {false, true,
                    std::string{"its cgroup cannot be joined: "} + std::strerror(error)};
        case shim::Stage::rlimit: return failure_of("a limit of its rlimits cannot be set", error);
        case shim::Stage::nice: return failure_of("its nice value cannot be set", error);
        case shim::Stage::groups: return failure_of("its group cannot be set", error);
        case shim::Stage::user: return failure_of("its user cannot be set", error);
        case shim::Stage::privileges: return failure_of("its privileges cannot be given up", error);
        case shim::Stage::sandbox: return failure_of("its sandbox cannot be made", error);
        case shim::Stage::pre_start:
            return error != 0 ? failure_of("its pre_start cannot be executed", error)
                              : LaunchFailure{false, false, "its pre_start " + how_it_ended(state)};
        case shim::Stage::start_timeout:
            return {false, false, "it did not start within its start_timeout"};
        case shim::Stage::lease:
            return {false, false, "its lease had passed before it could begin"};
        case shim::Stage::none:
        case shim::Stage::order:
        case shim::Stage::fork: break;
    }
    return failure_of("it cannot be started", error);
}

}  // namespace muster::agent
