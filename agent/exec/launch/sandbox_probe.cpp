#include "agent/exec/launch/sandbox_probe.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "common/base/file_descriptor.hpp"

namespace muster::agent {

namespace {

using shim::SandboxMethod;

/// What a trial sends: the step that failed and its error. Empty: none.
struct Trial {
    std::array<char, 128> step{};
    int error = 0;
};

constexpr const char* file_of_trial = ".sandbox";

bool can_write(const std::string& directory) {
    const FileDescriptor place{open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
    const FileDescriptor file{
        openat(place.get(), file_of_trial, O_CREAT | O_WRONLY | O_CLOEXEC, 0600)};
    return file.is_open() && unlinkat(place.get(), file_of_trial, 0) == 0;
}

dev_t disk_of(const std::string& directory) {
    struct stat status = {};
    return stat(directory.c_str(), &status) == 0 ? status.st_dev : 0;
}

// In the child: like a task, it may write in its own directory and nowhere else. If `above` is on
// another disk afterwards, it is in the child's own /tmp.
Trial try_it(SandboxMethod method, const std::string& own, const std::string& above) {
    const char* step = "";
    const dev_t disk = disk_of(above);
    errno = 0;
    if (!shim::enter_sandbox(method, own.c_str(), "", step)) {
        // The step is taken below.
    } else if (!can_write(own)) {
        step = "a task could not write in its own directory";
    } else if (disk_of(above) == disk && can_write(above)) {
        step = "a task could write outside of its own directory";
        errno = 0;
    } else {
        return {};
    }
    Trial trial;
    trial.error = errno;
    std::strncpy(trial.step.data(), step, trial.step.size() - 1);
    return trial;
}

// Nothing: it works. Otherwise why not.
std::string fault_of(SandboxMethod method, const std::string& own, const std::string& above) {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return std::string{"it cannot be tried: "} + std::strerror(errno);
    }
    const FileDescriptor reader{ends[0]};
    FileDescriptor writer{ends[1]};
    const pid_t child = fork();
    if (child == 0) {
        const Trial trial = try_it(method, own, above);
        _exit(write(writer.get(), &trial, sizeof trial) == sizeof trial ? 0 : 1);
    }
    const int why = errno;
    writer = {};
    Trial trial;
    const bool is_heard = child > 0 && read(reader.get(), &trial, sizeof trial) == sizeof trial;
    if (child > 0) {
        waitpid(child, nullptr, 0);  // Without an effect if SIGCHLD is ignored.
    }
    if (!is_heard) {
        return std::string{"it cannot be tried: "} + std::strerror(child < 0 ? why : EIO);
    }
    const std::string step{trial.step.data()};
    return trial.error == 0 ? step : step + ": " + std::strerror(trial.error);
}

}  // namespace

SandboxSupport probe_sandbox(const std::string& directory) {
    const auto above = directory.substr(0, directory.rfind('/'));
    std::string faults;
    for (const auto& [method, name] :
         {std::pair{geteuid() == 0 ? SandboxMethod::namespaces : SandboxMethod::user_namespaces,
                    geteuid() == 0 ? "namespaces" : "user namespaces"},
          std::pair{SandboxMethod::landlock, "Landlock and seccomp"}}) {
        const std::string fault = fault_of(method, directory, above);
        if (fault.empty()) {
            return {method, name};
        }
        faults += (faults.empty() ? "" : "; ") + std::string{name} + ": " + fault;
    }
    return {SandboxMethod::none, faults};
}

}  // namespace muster::agent
