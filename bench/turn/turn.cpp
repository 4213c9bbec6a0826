// turn.longest: the longest turn of the coordinator's loop. During a turn no other message is
// handled, so agents that answer polls and ask for leases wait this long. The real server, core and
// store; ten thousand agents over loopback that run a million instances; a hundred operators who
// read every second; and one who applies a hundred thousand tasks, until they run.
// turn.longest.names: the operator applies node names instead.
// turn.longest.show: the hundred read the largest possible task, and nothing is applied.
//
// Measures the CPU time of the loop's thread, because other programs of a busy host are not part of
// the turn; `wall` beside it is wall clock time. Then the longest turn of each phase: `idle` with
// agents only, `read` with the readers, `apply` up to the answer, `run` until all tasks run.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include "bench/bench.hpp"
#include "bench/turn/turn_operators.hpp"
#include "bench/turn/turn_scene.hpp"
#include "common/base/ensure.hpp"
#include "common/net/host/clock.hpp"
#include "common/net/host/entropy.hpp"

namespace muster::bench {
namespace {

constexpr TurnSize full{.nodes = 10'000, .tasks = 9'000, .of_task = 100, .of_large = 100'000};
constexpr TurnSize smallest{.nodes = 10, .tasks = 10, .of_task = 10, .of_large = 100};
constexpr std::uint32_t full_names = 100'000;

constexpr unsigned idle_ms = 3'000;  // Three rounds.
constexpr unsigned read_ms = 5'000;
constexpr double pause_of_readers_ms = 1'000;  // A hundred pages a second, of 5 to 10 ms each.
constexpr unsigned between_looks_ms = 200;
constexpr double patience_ms = 30'000;

void pause_ms(unsigned ms) { usleep(sized(ms, 100U) * 1'000); }

/// The readers, in their own process as long as this object exists.
class ReadersAtWork {
public:
    explicit ReadersAtWork(const Readers& readers) : process_{fork()} {
        if (process_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            run_readers(readers);
        }
    }
    ~ReadersAtWork() {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    ReadersAtWork(const ReadersAtWork&) = delete;
    ReadersAtWork& operator=(const ReadersAtWork&) = delete;

private:
    pid_t process_;
};

/// Polls the status until this many instances run and the cluster has converged. False: not in
/// time.
[[nodiscard]] bool runs_in_time(RawOperator& watcher, std::uint64_t running) {
    for (const double end = wall_ms() + patience_ms; wall_ms() < end;) {
        watcher.ask({{}, StatusRequest{}});
        const Reply reply = watcher.await();
        const auto* const status =
            reply.result ? std::get_if<StatusReply>(&*reply.result) : nullptr;
        if (status != nullptr && status->running >= running && status->converged) {
            return true;
        }
        pause_ms(between_looks_ms);
    }
    return false;
}

/// The figures of one scene, phase after phase.
class Phases {
public:
    explicit Phases(const TurnScene& scene) : scene_{scene} { end("start"); }

    void end(const std::string& phase) {
        const LongestTurn longest = scene_.longest();
        std::fprintf(stderr, "  %s: %.1f ms, %.1f by the wall, of %llu turns\n", phase.c_str(),
                     longest.cpu_ms, longest.wall_ms,
                     static_cast<unsigned long long>(longest.turns));
        if (phase != "start") {  // A million instances report for the first time.
            figure_.value = std::max(figure_.value, longest.cpu_ms);
            wall_ = std::max(wall_, longest.wall_ms);
            figure_.more.emplace_back(phase, longest.cpu_ms);
        }
    }
    /// `runs`: everything that is wanted runs at the end.
    [[nodiscard]] Figure figure(bool runs) {
        figure_.goal = "<= 25";
        figure_.more.emplace_back("runs", runs ? 1 : 0);
        figure_.more.emplace_back("wall", wall_);
        return std::move(figure_);
    }

private:
    const TurnScene& scene_;
    Figure figure_;
    double wall_ = 0;
};

/// A hundred readers of everything that can be read. One in five reads `/metrics`.
Readers all_readers(const TurnScene::Ports& ports) {
    return {.operators = ports.operators,
            .http = ports.http,
            .count = sized(80U, 4U),
            .of_metrics = sized(20U, 1U),
            .pause_ms = pause_of_readers_ms,
            .requests = {StatusRequest{}, TaskListRequest{}, NodeListRequest{},
                         ExplainRequest{.subject = Subject::instance, .name = "t000007.3"}}};
}

Readers show_readers(const TurnScene::Ports& ports) {
    return {.operators = ports.operators,
            .http = ports.http,
            .count = sized(100U, 4U),
            .of_metrics = 0,
            .pause_ms = pause_of_readers_ms,
            .requests = {TaskShowRequest{.name = "large"}}};
}

RequestBody tasks_applied() {
    ApplyRequest apply;
    for (std::uint32_t number = 0; number < sized(full_names, 100U); ++number) {
        WantedTask task;
        task.name = padded('u', number);
        task.instances = 1;
        task.spec.argv = {"/usr/bin/other"};
        apply.tasks.push_back(std::move(task));
    }
    return apply;
}

RequestBody names_applied() {
    NodeApplyRequest apply;
    const std::uint32_t there = sized(full, smallest).nodes;  // Nodes not named are removed.
    for (std::uint32_t number = 0; number < sized(full_names, 100U); ++number) {
        apply.nodes.push_back({number < there ? peer_name(number) : padded('o', number)});
    }
    return apply;
}

/// The longest turn while these readers read and this change is applied. `more`: additional
/// instances that run at the end.
Figure longest_turn(Readers readers_of(const TurnScene::Ports&), const RequestBody* change,
                    std::uint32_t more) {
    const TurnSize size = sized(full, smallest);
    const TurnScene scene{size};
    RawOperator watcher{scene.ports().operators};
    ensure(runs_in_time(watcher, size.instances()), "a fleet reports in time");
    pause_ms(idle_ms);
    Phases phases{scene};
    pause_ms(idle_ms);
    phases.end("idle");
    const ReadersAtWork readers{readers_of(scene.ports())};
    pause_ms(read_ms);
    phases.end("read");
    if (change != nullptr) {
        RawOperator operators{scene.ports().operators};
        operators.ask({net::random_request_id(net::civil_now()), *change});
        const Reply reply = operators.await();
        ensure(reply.result.has_value(), reply.result ? "" : reply.result.error().detail.c_str());
        phases.end("apply");
        const bool runs = runs_in_time(watcher, size.instances() + more);
        phases.end("run");
        return phases.figure(runs);
    }
    return phases.figure(true);
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    using namespace muster::bench;
    Suite suite{argc, argv};
    suite.run("turn.longest.10000x1000000", [] {
        const muster::RequestBody change = tasks_applied();
        return longest_turn(all_readers, &change, sized(full_names, 100U));
    });
    suite.run("turn.longest.names", [] {
        const muster::RequestBody change = names_applied();
        return longest_turn(all_readers, &change, 0);
    });
    suite.run("turn.longest.show", [] { return longest_turn(show_readers, nullptr, 0); });
    return 0;
}
