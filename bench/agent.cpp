// How long an agent takes to start a thousand real processes: its core's steps and its executor,
// against bare posix_spawn of the same program in the same run.

#include "agent/core/agent.hpp"

#include <csignal>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include "agent/exec/executor.hpp"
#include "bench/bench.hpp"
#include "common/ensure.hpp"
#include "common/limits.hpp"

using namespace muster;

namespace {

constexpr std::uint32_t processes = 1'000;
constexpr int runs = 5;
constexpr const char* program = "/bin/sleep";
constexpr ClusterId cluster{1, 1};
constexpr LeaderId leader{2, 2};

Batch start_all() {
    TaskSpec spec;
    spec.argv = {program, "1000"};
    Batch batch;
    batch.cluster = cluster;
    batch.epoch = Epoch{1};
    batch.leader = leader;
    batch.incarnation = Incarnation{1};
    batch.sequence = Sequence{1};
    batch.counter = Generation{1};
    batch.specs.push_back({"bench", Generation{1}, spec});
    for (Ordinal i = 0; i < processes; ++i) {
        batch.starts.push_back({{"bench", i}, Generation{1}, digest_of(spec)});
    }
    return batch;
}

/// An agent without its sockets and its disk.
class BareAgent {
public:
    explicit BareAgent(const std::string& directory)
        : executor_{{.node = "bench", .state = directory, .life = {3, 3}}},
          agent_{Instant{}, agent_options(), memory()} {
        ensure(executor_.open().has_value(), "the benchmark may make files");
    }

    void start_all_of(Batch batch) {
        take({FromCoordinator{std::move(batch)}});
        while (running_ < processes) {
            take(events());
        }
    }
    void end_all() {
        take({ShutDown{}});
        while (running_ > 0) {
            pollfd ready{executor_.fd(), POLLIN, 0};
            ::poll(&ready, 1, 5);
            take(events());
        }
    }

private:
    static AgentOptions agent_options() {
        return {.name = "bench", .life = {3, 3}, .boot = {4, 4}, .version = {}};
    }
    static AgentMemory memory() {
        AgentMemory memory;
        memory.incarnation = Incarnation{1};
        return memory;
    }
    std::deque<AgentInput> events() {
        std::deque<AgentInput> inputs;
        for (auto& event : executor_.collect(Instant{})) {
            std::visit([&](auto& content) { inputs.emplace_back(std::move(content)); }, event);
        }
        return inputs;
    }
    void take(std::deque<AgentInput> inputs) {
        while (!inputs.empty()) {
            running_ += std::holds_alternative<ProcessStarted>(inputs.front()) ? 1U : 0U;
            running_ -= std::holds_alternative<ProcessEnded>(inputs.front()) ? 1U : 0U;
            const AgentOutput output = agent_.step(Instant{}, inputs.front());
            inputs.pop_front();
            if (output.remember) {
                inputs.emplace_back(Remembered{});
            }
            for (const auto& signal : output.signals) {
                executor_.signal(signal);
            }
            for (const auto& spawn : output.spawns) {
                executor_.spawn(spawn, CivilMs{1});
            }
        }
    }

    Executor executor_;
    Agent agent_;
    std::uint32_t running_ = 0;
};

double agent_ms(const std::string& directory) {
    BareAgent agent{directory};
    Batch batch = start_all();
    const double begin = bench::wall_ms();
    agent.start_all_of(std::move(batch));
    const double took = bench::wall_ms() - begin;
    agent.end_all();
    return took;
}

double spawn_ms() {
    std::string path = program;
    std::string time = "1000";
    char* const words[] = {path.data(), time.data(), nullptr};
    std::vector<pid_t> started(processes);
    const double begin = bench::wall_ms();
    for (pid_t& pid : started) {
        ensure(posix_spawn(&pid, program, nullptr, nullptr, words, environ) == 0,
               "the benchmark may make processes");
    }
    const double took = bench::wall_ms() - begin;
    for (const pid_t pid : started) {
        kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
    }
    return took;
}

bench::Figure start_a_thousand() {
    std::string directory =
        (std::filesystem::temp_directory_path() / "muster-bench-XXXXXX").string();
    ensure(mkdtemp(directory.data()) != nullptr, "the benchmark may make a directory");
    std::vector<double> ours;
    std::vector<double> bare;
    for (int run = 0; run < runs; ++run) {  // Alternating: what else the host does hits both.
        bare.push_back(spawn_ms());
        ours.push_back(agent_ms(directory));
    }
    std::filesystem::remove_all(directory);
    return {.value = bench::median(ours), .floor = bench::median(bare)};
}

}  // namespace

int main(int argc, char** argv) {
    bench::Suite suite{argc, argv};
    suite.run("agent.start.1000", start_a_thousand);
}
