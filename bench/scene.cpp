#include "bench/scene.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/exec/process_mark.hpp"
#include "common/ensure.hpp"

namespace muster::bench {

namespace {

namespace fs = std::filesystem;

// One that is just becoming another program shows no mark for a moment.
constexpr int looks_in_a_row = 3;
constexpr int between_looks_ms = 5;

void end_all_of(const std::string& home) {
    for (int looks = 0; looks < looks_in_a_row; ++looks) {
        for (const MarkedProcess& process : processes_of_home(home)) {
            kill(process.pid, SIGKILL);
            looks = 0;
        }
        poll(nullptr, 0, between_looks_ms);
    }
}

// In a session of its own, so that what ends a benchmark by its terminal does not end it.
[[noreturn]] void keep(int alive, const std::string& path, const std::string& state) {
    setsid();
    char nothing = 0;
    while (read(alive, &nothing, 1) > 0) {
    }
    end_all_of(home_of(state));
    std::error_code ignored;
    fs::remove_all(path, ignored);
    _exit(0);
}

}  // namespace

Scene::Scene() : path_{(fs::temp_directory_path() / "muster-bench-XXXXXX").string()} {
    int alive[2] = {};
    ensure(mkdtemp(path_.data()) != nullptr && pipe2(alive, O_CLOEXEC) == 0,
           "a benchmark may make a directory");
    fs::create_directories(agent_state());
    fs::permissions(path_ + "/agents", fs::perms::owner_all);
    keeper_ = fork();
    ensure(keeper_ >= 0, "a benchmark may make a process");
    if (keeper_ == 0) {
        close(alive[1]);
        keep(alive[0], path_, agent_state());
    }
    close(alive[0]);
    alive_ = alive[1];
}

Scene::~Scene() {
    close(alive_);
    waitpid(keeper_, nullptr, 0);
}

}  // namespace muster::bench
