// The cost of an agent with a thousand tasks on its host: the real program, real shims, its journal
// on the disk of the system's directory for temporary files. This program is its coordinator.

#include <array>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "bench/agent/one_agent.hpp"
#include "bench/bench.hpp"
#include "common/base/ensure.hpp"

using namespace muster;

namespace {

std::uint32_t tasks() { return bench::sized(1'000U, 5U); }
constexpr int runs = 5;
const std::vector<std::string> command{"/bin/sleep", "1000"};

// The work that any agent must do: spawn programs of the size of a shim, each of which executes the
// task. An inherited pipe reaches its end when the last of them has.
double spawn_ms() {
    std::string program = bench::program_beside("spawn-floor");
    std::array<char*, 2> words{program.data(), nullptr};
    std::array<int, 2> became{};
    ensure(pipe2(became.data(), O_CLOEXEC) == 0, "a pipe");
    posix_spawn_file_actions_t files{};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, became[1], 3);
    std::vector<pid_t> started(tasks());
    const double begin = bench::wall_ms();
    for (pid_t& pid : started) {
        ensure(posix_spawn(&pid, program.c_str(), &files, nullptr, words.data(), environ) == 0,
               "the benchmark may make processes");
    }
    close(became[1]);
    char none = 0;
    ensure(read(became[0], &none, 1) == 0, "all become the task");
    const double took = bench::wall_ms() - begin;
    close(became[0]);
    posix_spawn_file_actions_destroy(&files);
    for (const pid_t pid : started) {
        kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
    }
    return took;
}

double agent_ms(bench::OneAgent& agent) {
    agent.begin();
    const double begin = bench::wall_ms();
    agent.run(command, tasks());
    const double took = bench::wall_ms() - begin;
    agent.end();
    return took;
}

// Their files stay until the last run: creating files where many were just removed costs a file
// system more than an agent pays on any host.
bench::Figure start() {
    std::vector<std::unique_ptr<bench::OneAgent>> agents;
    std::vector<double> ours;
    std::vector<double> bare;
    for (int run = 0; run < bench::sized(runs, 1);
         ++run) {  // Alternating: what else the host does hits both.
        bare.push_back(spawn_ms());
        agents.push_back(std::make_unique<bench::OneAgent>());
        ours.push_back(agent_ms(*agents.back()));
    }
    return {.value = bench::median(ours), .floor = bench::median(bare), .goal = "ratio <= 1.6"};
}

// From the start of the program until its coordinator knows all instances.
bench::Figure adopt() {
    bench::OneAgent agent;
    agent.begin();
    agent.run(command, tasks());
    const double took = bench::median_of(runs, [&] {
        agent.kill();
        const double begin = bench::wall_ms();
        agent.begin();
        agent.await_running(tasks());
        return bench::wall_ms() - begin;
    });
    return {.value = took, .floor = {}, .goal = "<= 1000 ms"};
}

constexpr double bytes_per_mb = 1e6;

bench::Figure resident() {
    bench::OneAgent agent;
    agent.begin();
    const auto before = static_cast<double>(integration::resident_bytes(agent.pid()));
    agent.run(command, tasks());
    agent.poll_for(bench::sized<Duration>(3s, 1s));
    const auto with_tasks = static_cast<double>(integration::resident_bytes(agent.pid()));
    return {.value = with_tasks / bytes_per_mb,
            .unit = "MB",
            .floor = {},
            .goal = "<= 40 MB",
            .more = {{"without_tasks", before / bytes_per_mb}}};
}

// The first seconds after a start are not idle.
bench::Figure idle() {
    const Duration time = bench::sized<Duration>(20s, 1s);
    bench::OneAgent agent;
    agent.begin();
    agent.run(command, tasks());
    agent.poll_for(bench::sized<Duration>(3s, 1s));
    const double begin = agent.cpu_ms();
    agent.poll_for(time);
    const double used = agent.cpu_ms() - begin;
    return {.value = used / static_cast<double>(to_ms(time)) * 100,
            .unit = "% of a core",
            .floor = {},
            .goal = "<= 0.5 %"};
}

}  // namespace

int main(int argc, char** argv) {
    bench::Suite suite{argc, argv};
    suite.run("agent.start.1000", start);
    suite.run("agent.adopt.1000", adopt);
    suite.run("agent.rss.1000", resident);
    suite.run("agent.idle.1000", idle);
}
