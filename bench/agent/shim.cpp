// The cost of the parent of each process: its memory beside a thousand others, and how fast a
// task's output passes through it to its file, compared with dd writing the same bytes to the same
// disk.

#include <array>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "agent/exec/executor.hpp"
#include "bench/agent/one_agent.hpp"
#include "bench/agent/scene.hpp"
#include "bench/bench.hpp"
#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

using namespace muster;

namespace {

namespace fs = std::filesystem;

// ---- memory ----

std::uint32_t shims() { return bench::sized(1'000U, 5U); }

// Its private memory plus its part of shared memory.
double pss_kb(pid_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/smaps_rollup"};
    for (std::string word; file >> word;) {
        double kib = 0;
        if (word == "Pss:" && file >> kib) {
            return kib * 1.024;
        }
    }
    return 0;
}

bench::Figure memory() {
    bench::OneAgent agent;
    agent.begin();
    agent.run({"/bin/sleep", "1000"}, shims());
    std::vector<double> all;
    for (const pid_t pid : agent.shims()) {
        all.push_back(pss_kb(pid));
    }
    ensure(all.size() == shims(), "each process has a shim");
    const double mean = std::accumulate(all.begin(), all.end(), 0.0) / shims();
    return {.value = bench::median(all),
            .unit = "kB",
            .floor = {},
            .goal = "<= 100 kB",
            .more = {{"mean", mean}}};
}

// ---- output ----

constexpr int runs = 7;
constexpr std::uint64_t block_bytes = 64 * 1024;

std::uint64_t blocks() { return bench::sized<std::uint64_t>(6'400, 16); }

std::string dd() {
    return "exec dd if=/dev/zero bs=64k status=none count=" + std::to_string(blocks());
}

void sync_file(const std::string& path) {
    const FileDescriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    ensure(fsync(file.get()) == 0, "the disk takes it");
}

struct Written {
    double ms = 0;         ///< Until everything is in its files.
    double synced_ms = 0;  ///< Until everything is on the disk.
    double dropped_bytes = 0;
};

// Without a shim. With `has_pipe`, the output passes through a pipe, as with a task.
Written bare(bool has_pipe) {
    const bench::Scene scene;
    const std::string path = scene.path() + "/out";
    std::string script = has_pipe ? '(' + dd() + ") | exec cat > " + path : dd() + " > " + path;
    std::string shell = "/bin/sh";
    std::string option = "-c";
    const std::array<char*, 4> words{shell.data(), option.data(), script.data(), nullptr};
    const double begin = bench::wall_ms();
    pid_t pid = 0;
    ensure(posix_spawn(&pid, shell.c_str(), nullptr, nullptr, words.data(), environ) == 0,
           "a shell can be executed");
    int status = 0;
    ensure(waitpid(pid, &status, 0) == pid && status == 0, "dd writes");
    const double written = bench::wall_ms() - begin;
    sync_file(path);
    return {.ms = written, .synced_ms = bench::wall_ms() - begin};
}

/// Waits until the task has ended and its shim has written everything.
void await_end(agent::Executor& executor, agent::ProcessId process) {
    while (!executor.state_of(process)->is_recorded) {
        pollfd ready{executor.fd(), POLLIN, 0};
        poll(&ready, 1, -1);
        static_cast<void>(executor.collect(Instant{}));
    }
}

Written through_shim(std::uint64_t log_bytes) {
    const bench::Scene scene;
    const std::string state = scene.agent_state();
    agent::Executor executor{{.node = "bench",
                              .offer = {},
                              .state = state,
                              .sockets = scene.run() + "/shims",
                              .shim = bench::program_beside("muster-shim"),
                              .home_directory = "/",
                              .secrets = {},
                              .secrets_place = scene.path() + "/copies"}};
    ensure(executor.open().has_value(), "the benchmark may make files");
    std::signal(SIGCHLD, SIG_DFL);  // The benchmark waits for its own children, too.
    TaskSpec spec;
    spec.argv = {"/bin/sh", "-c", dd()};
    spec.log.max_bytes = log_bytes;
    const agent::ProcessId process{1};
    const double begin = bench::wall_ms();
    executor.spawn({process, {"task", 0}, Generation{1}, spec});
    await_end(executor, process);
    Written written{.ms = bench::wall_ms() - begin};
    for (const auto& file : fs::directory_iterator{state + "/logs"}) {
        sync_file(file.path());
    }
    written.synced_ms = bench::wall_ms() - begin;
    written.dropped_bytes = static_cast<double>(executor.state_of(process)->dropped_bytes);
    executor.release({process});
    return written;
}

double mb_per_s(double ms) {
    return static_cast<double>(block_bytes * blocks()) / 1e6 / (ms / 1e3);
}

bench::Figure output(std::uint64_t log_bytes, double Written::*time) {
    std::vector<double> ours;
    std::vector<double> floor;
    std::vector<double> piped;
    double dropped = 0;
    for (int run = 0; run < bench::sized(runs, 1);
         ++run) {  // Alternating: what else the host does hits all.
        floor.push_back(mb_per_s(bare(false).*time));
        piped.push_back(mb_per_s(bare(true).*time));
        const Written written = through_shim(log_bytes);
        ours.push_back(mb_per_s(written.*time));
        dropped += written.dropped_bytes;
    }
    return {.value = bench::median(ours),
            .unit = "MB/s",
            .floor = bench::median(floor),
            .goal = "ratio >= 0.8, dropped 0",
            .more = {{"through_cat", bench::median(piped)}, {"dropped", dropped}}};
}

}  // namespace

int main(int argc, char** argv) {
    bench::Suite suite{argc, argv};
    const std::uint64_t never_full = limits::log_bytes_most;
    const std::uint64_t by_default = TaskSpec{}.log.max_bytes;
    suite.run("shim.pss", memory);
    // The files of both are synced at the end, and that is included.
    suite.run("shim.log", [&] { return output(never_full, &Written::synced_ms); });
    suite.run("shim.log.default", [&] { return output(by_default, &Written::synced_ms); });
    // Until the kernel has all of it, on disk or not.
    suite.run("shim.log.cached", [&] { return output(never_full, &Written::ms); });
}
