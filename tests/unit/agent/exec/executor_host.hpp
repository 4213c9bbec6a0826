#pragma once

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <type_traits>
#include <vector>

#include "tests/catch.hpp"

#include "agent/exec/executor.hpp"
#include "agent/exec/launch/process_mark.hpp"
#include "common/base/limits.hpp"

namespace muster::agent {

namespace fs = std::filesystem;

/// As ps shows it: R, S, T, Z and so on.
inline char status_of(pid_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
    std::string line;
    std::getline(file, line);
    const auto end = line.rfind(") ");
    return end == std::string::npos || end + 2 >= line.size() ? '?' : line[end + 2];
}

/// Real processes below real shims, in a directory of their own. The destructor ends them.
class Host {
public:
    /// Options of a test.
    struct Choices {
        std::size_t ended_kept = limits::ended_outputs;
        Offer offer{};
        Duration post_stop = limits::post_stop_max;
        Duration patience = 20s;  ///< For the shims that an earlier life left.
        std::optional<Policy> policy{};
    };

    Host() : Host{Choices{}} {}
    explicit Host(Choices choices) : directory_{make_directory()}, choices_{std::move(choices)} {
        begin({});
    }
    ~Host() {
        if (!executor_) {
            begin({});
        }
        for (std::uint64_t process = 1; process <= raw(last_); ++process) {
            executor_->end({ProcessId{process}, SIGKILL, {}});
            executor_->release({ProcessId{process}});
        }
        const std::string home = home_of(directory());
        static_cast<void>(comes_true([&] { return processes_of_home(home).empty(); }));
        fs::remove_all(directory_);
    }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    /// Begins the next life of the agent with this journal. Returns the processes that the journal
    /// does not have.
    std::vector<FoundProcess> begin(const JournalImage& journal) {
        executor_.emplace(LauncherOptions{.node = "n1",
                                          .offer = choices_.offer,
                                          .state = directory_ + "/state",
                                          .sockets = directory_ + "/shims",
                                          .shim = shim(),
                                          .home_directory = "/home/x",
                                          .secrets = directory_ + "/secrets",
                                          .secrets_place = directory_ + "/copies",
                                          .policy = choices_.policy,
                                          .passed = {directory_, directory_ + "/state"},
                                          .post_stop = choices_.post_stop,
                                          .ended_kept = choices_.ended_kept});
        REQUIRE(executor_->open());
        auto found = executor_->adopt(time(), journal, choices_.patience);
        last_ = std::max(last_, executor_->last_left());
        return found;
    }

    /// From now on each new shim stops before it does anything, until a test continues it.
    void halt_shims() {
        leave();
        shim_ = directory_ + "/halted-shim";
        std::ofstream{shim_} << "#!/bin/sh\nkill -STOP $$\nexec " << shim_of_this_program().value()
                             << '\n';
        fs::permissions(shim_, fs::perms::owner_all);
        REQUIRE(begin({}).empty());
    }
    /// Waits until the only shim is stopped, and returns it.
    [[nodiscard]] pid_t halted_shim() {
        pid_t shim = 0;
        until([&] {
            const auto marked = processes_of_home(home_of(directory()));
            shim = marked.size() == 1 ? marked.front().pid : 0;
            return shim != 0 && status_of(shim) == 'T';
        });
        return shim;
    }

    /// The agent ends; its processes keep running.
    void leave() { executor_.reset(); }

    ProcessId spawn(TaskSpec spec, const InstanceId& id = {"web", 0}) {
        last_ = next(last_);
        executor_->spawn({last_, id, Generation{7}, std::move(spec)});
        return last_;
    }
    /// An exclusive process whose lease ends after this time.
    ProcessId lease(const std::string& script, Duration lease, std::uint64_t token) {
        TaskSpec spec;
        spec.argv = {"/bin/sh", "-c", script};
        spec.exclusive = true;
        spec.update.max_surge = 0;
        last_ = next(last_);
        executor_->spawn(
            {last_, {"web", 0}, Generation{7}, std::move(spec), boot_time() + lease, token});
        return last_;
    }
    [[nodiscard]] static Instant boot_time() {
        timespec time{};
        clock_gettime(CLOCK_BOOTTIME, &time);
        return Instant{std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec}};
    }
    ProcessId shell(const std::string& script) {
        TaskSpec spec;
        spec.argv = {"/bin/sh", "-c", script};
        return spawn(spec);
    }

    /// Waits for the process's next event, for an end also until its output is written. Fails the
    /// test after a minute, or at once if it cannot happen any more.
    template <class Event>
    Event await(ProcessId process) {
        const auto end = std::chrono::steady_clock::now() + 60s;
        while (std::chrono::steady_clock::now() < end) {
            for (auto event = events_.begin(); event != events_.end(); ++event) {
                const auto* found = std::get_if<Event>(&*event);
                if (found != nullptr && found->process == process) {
                    Event result = *found;
                    events_.erase(event);
                    if constexpr (std::is_same_v<Event, ProcessEnded>) {
                        until([&] {
                            return result.unseen || executor_->state_of(process)->is_recorded;
                        });
                    }
                    return result;
                }
                const auto* refused = std::get_if<ProcessNotStarted>(&*event);
                if (refused != nullptr && refused->process == process) {
                    FAIL("process " << raw(process) << " was not started: " << refused->detail);
                }
            }
            turn();
        }
        FAIL("nothing became of process " << raw(process));
        return {};
    }
    template <class Condition>
    void until(Condition condition) {
        REQUIRE(comes_true(condition));
    }
    /// The same without checks: false after a minute.
    template <class Condition>
    [[nodiscard]] bool comes_true(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + 60s;
        while (!condition()) {
            if (std::chrono::steady_clock::now() >= end) {
                return false;
            }
            turn();
        }
        return true;
    }

    void turn() {
        Duration wait = 50ms;
        if (const auto deadline = executor_->next_deadline()) {
            wait = std::clamp(*deadline - time(), Duration{0}, wait);
        }
        pollfd ready{executor_->fd(), POLLIN, 0};
        ::poll(&ready, 1, static_cast<int>(to_ms(wait)));
        for (auto& event : executor_->collect(time())) {
            events_.push_back(std::move(event));
        }
    }
    [[nodiscard]] static Instant time() {
        return Instant{std::chrono::steady_clock::now().time_since_epoch()};
    }

    [[nodiscard]] std::string text(const std::string& file) const {
        std::ifstream stream{fs::path{directory()} / file};
        std::ostringstream all;
        all << stream.rdbuf();
        return all.str();
    }
    [[nodiscard]] std::string output() const { return text("logs/web.0.out"); }
    /// The agent's state directory.
    [[nodiscard]] std::string directory() const { return directory_ + "/state"; }
    /// The whole directory: the state, secrets/ and copies/ of them.
    [[nodiscard]] std::string base() const { return directory_; }
    [[nodiscard]] std::string sockets() const { return directory_ + "/shims"; }
    Executor& executor() { return *executor_; }
    /// The pid of a process that runs or ran. The process can write output before it is reported
    /// running.
    [[nodiscard]] pid_t pid_of(ProcessId process) {
        until([&] { return executor_->state_of(process)->identity.pid != 0; });
        return executor_->state_of(process)->identity.pid;
    }
    void end(ProcessId process, int signal = SIGKILL, Duration grace = {}) {
        executor_->end({process, signal, grace});
    }

private:
    static std::string make_directory() {
        std::string name = (fs::temp_directory_path() / "muster-exec-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        REQUIRE(fs::create_directory(name + "/state"));
        return name;
    }

    [[nodiscard]] std::string shim() const {
        return shim_.empty() ? shim_of_this_program().value_or("no shim") : shim_;
    }

    std::string directory_;
    std::string shim_;  // Empty: the real one.
    Choices choices_;
    std::optional<Executor> executor_;
    ProcessId last_{};
    std::vector<ProcessEvent> events_;
};

inline std::vector<std::string> lines(const std::string& text) {
    std::istringstream stream{text};
    std::vector<std::string> all;
    for (std::string line; std::getline(stream, line);) {
        all.push_back(line);
    }
    return all;
}

inline void write_file(const std::string& path, const std::string& text, mode_t mode) {
    std::ofstream{path} << text;
    REQUIRE(chmod(path.c_str(), mode) == 0);
}

}  // namespace muster::agent
