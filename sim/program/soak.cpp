#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/wait.h>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/faults/child.hpp"
#include "sim/program/random_run.hpp"

namespace muster::sim {

namespace {

// A worker's report about a run. The text of a broken run follows.
struct Report {
    std::int64_t simulated_ns = 0;
    std::uint64_t words = 0;
};

std::string words_of(const RandomRun& run, const RunResult& result) {
    if (result.is_good()) {
        return {};
    }
    return fmt::format("{}\n{}: faults {}\nagain: {}\n", fmt::join(result.violations, "\n"),
                       run.seed, run.faults.text(), command_of(run));
}

/// One process that carries out every n-th run. A process that ends is replaced.
class Worker {
public:
    Worker(const SoakOptions& options, std::uint64_t first)
        : options_{options}, seed_{options.first + first} {}
    ~Worker() {
        if (child_.pid > 0) {  // It has reported everything, or the rest is not needed.
            kill(child_.pid, SIGKILL);
            waitpid(child_.pid, nullptr, 0);
        }
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    Result<void> start() {
        if (is_over()) {
            return {};
        }
        child_ = begin_child([this](int to) { work(to); });
        if (child_.pid < 0) {
            return fail(Errc::io, fmt::format("cannot create a process: {}", std::strerror(errno)));
        }
        return {};
    }
    [[nodiscard]] bool is_over() const { return seed_ >= options_.first + options_.seeds; }
    [[nodiscard]] int file() const { return child_.words.get(); }

    /// The text of the next run that is over. The run may have ended its process.
    Result<std::string> next(SoakResult& result) {
        Report report;
        std::string words;
        ++result.done;
        if (read_all(file(), &report, sizeof report)) {
            words.resize(report.words);
            if (read_all(file(), words.data(), words.size())) {
                result.simulated += Duration{report.simulated_ns};
                seed_ += options_.jobs;
                return words;
            }
        }
        int status = 0;
        waitpid(std::exchange(child_.pid, -1), &status, 0);
        words = fmt::format("{}: the run ended its process, {} {}\nagain: {}\n", seed_,
                            WIFSIGNALED(status) ? "by signal" : "with exit code",
                            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                            command_of(options_.run_of(seed_)));
        seed_ += options_.jobs;
        return start().map([&] { return std::move(words); });
    }

private:
    void work(int file) const {
        for (std::uint64_t seed = seed_; seed < options_.first + options_.seeds;
             seed += options_.jobs) {
            const RandomRun run = options_.run_of(seed);
            const RunResult done = carry_out(run);
            const std::string words = words_of(run, done);
            const Report report{done.simulated.count(), words.size()};
            if (write_all(file, bytes_of(report)) != 0 || write_all(file, words) != 0) {
                break;
            }
        }
    }

    const SoakOptions& options_;
    std::uint64_t seed_;
    Child child_;
};

}  // namespace

Result<SoakResult> soak(
    const SoakOptions& options,
    const std::function<void(const SoakResult&, const std::string& broken)>& on_done) {
    SoakResult result;
    std::vector<std::unique_ptr<Worker>> workers;
    for (std::uint32_t job = 0; job < options.jobs; ++job) {
        workers.push_back(std::make_unique<Worker>(options, job));
        if (auto started = workers.back()->start(); !started) {
            return tl::unexpected{started.error()};
        }
    }
    while (result.done < options.seeds) {
        std::vector<pollfd> files;
        files.reserve(workers.size());
        for (const auto& worker : workers) {
            files.push_back({worker->is_over() ? -1 : worker->file(), POLLIN, 0});
        }
        poll(files.data(), files.size(), -1);
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (files[i].revents == 0) {
                continue;
            }
            auto words = workers[i]->next(result);
            if (!words) {
                return tl::unexpected{words.error()};
            }
            result.broken += words->empty() ? 0U : 1U;
            on_done(result, *words);
        }
    }
    return result;
}

}  // namespace muster::sim
