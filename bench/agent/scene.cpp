#include "bench/agent/scene.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/exec/cgroups/cgroups.hpp"
#include "agent/exec/cgroups/trees.hpp"
#include "agent/exec/launch/process_mark.hpp"
#include "common/base/ensure.hpp"
#include "common/base/file_descriptor.hpp"

namespace muster::bench {

namespace {

namespace fs = std::filesystem;

// A process shows no mark for a moment while it executes another program.
constexpr int checks_in_a_row = 3;
constexpr int between_looks_ms = 5;
constexpr int patience_ms = 10'000;

// Waits until they are gone, because their cleanup would slow down the next benchmark.
void end_all_of(const std::string& home) {
    for (int checks = 0; checks < checks_in_a_row; ++checks) {
        const auto processes = agent::processes_of_home(home);
        for (const agent::MarkedProcess& process : processes) {
            kill(process.pid, SIGKILL);
            checks = 0;
        }
        for (const agent::MarkedProcess& process : processes) {
            const FileDescriptor file{static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0U))};
            pollfd gone{file.get(), POLLIN, 0};
            poll(&gone, file.is_open() ? 1 : 0, file.is_open() ? patience_ms : 0);
        }
        poll(nullptr, 0, between_looks_ms);
    }
}

// In its own session, so that the end of the benchmark's terminal does not end it. Without other
// open files, so that no other keeper waits for this one.
[[noreturn]] void keep(int alive, const std::string& path, const std::string& run,
                       const std::string& state) {
    setsid();
    dup2(alive, STDIN_FILENO);
    alive = STDIN_FILENO;
    close_range(STDERR_FILENO + 1, ~0U, 0);
    char nothing = 0;
    while (read(alive, &nothing, 1) > 0) {
    }
    end_all_of(agent::home_of(state));
    agent::Cgroups cgroups;
    cgroups.open(agent::cgroup_trees_of_process(), agent::home_of(state));
    for (const agent::ProcessId process : cgroups.listed()) {
        cgroups.remove(process);
    }
    std::error_code ignored;
    fs::remove_all(path, ignored);
    fs::remove_all(run, ignored);
    fs::remove_all(run + "-secrets", ignored);  // The agent makes it beside.
    _exit(0);
}

}  // namespace

Scene::Scene() : path_{(fs::temp_directory_path() / "muster-bench-XXXXXX").string()} {
    int alive[2] = {};
    ensure(mkdtemp(path_.data()) != nullptr && pipe2(alive, O_CLOEXEC) == 0,
           "a benchmark may make a directory");
    fs::create_directories(agent_state());
    fs::permissions(path_ + "/agents", fs::perms::owner_all);
    run_ = "/dev/shm/muster-bench-XXXXXX";
    if (mkdtemp(run_.data()) == nullptr) {
        run_ = path_ + "/run";
        fs::create_directory(run_);
    }
    keeper_ = fork();
    ensure(keeper_ >= 0, "a benchmark may make a process");
    if (keeper_ == 0) {
        close(alive[1]);
        keep(alive[0], path_, run_, agent_state());
    }
    close(alive[0]);
    alive_ = alive[1];
}

void Scene::end_all() const { end_all_of(agent::home_of(agent_state())); }

Scene::~Scene() {
    close(alive_);
    waitpid(keeper_, nullptr, 0);
}

}  // namespace muster::bench
