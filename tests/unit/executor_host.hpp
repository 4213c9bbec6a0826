#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "tests/catch.hpp"

#include "agent/exec/executor.hpp"

namespace muster {

namespace fs = std::filesystem;

/// Real processes in a directory of their own, gone with the host.
class Host {
public:
    explicit Host(OutputBounds outputs = {})
        : executor_{{.node = "n1",
                     .state = make_directory(),
                     .home_directory = "/home/x",
                     .life = {1, 2},
                     .outputs = outputs}} {
        REQUIRE(executor_.open());
    }
    ~Host() { fs::remove_all(directory_); }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    ProcessId spawn(TaskSpec spec, const InstanceId& id = {"web", 0}) {
        last_ = next(last_);
        executor_.spawn({last_, id, Generation{7}, std::move(spec)}, CivilMs{1'000});
        return last_;
    }
    ProcessId shell(const std::string& script) {
        TaskSpec spec;
        spec.argv = {"/bin/sh", "-c", script};
        return spawn(spec);
    }

    /// Waits for what happens next to this process; fails the test after 20 s.
    template <class Event>
    Event await(ProcessId process) {
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (std::chrono::steady_clock::now() < end) {
            for (auto event = events_.begin(); event != events_.end(); ++event) {
                const auto* found = std::get_if<Event>(&*event);
                if (found != nullptr && found->process == process) {
                    Event result = *found;
                    events_.erase(event);
                    return result;
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
    /// The same, for where nothing may be checked: false after 20 s.
    template <class Condition>
    [[nodiscard]] bool comes_true(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (!condition()) {
            if (std::chrono::steady_clock::now() >= end) {
                return false;
            }
            turn();
        }
        return true;
    }

    void turn() {
        const Instant now{std::chrono::steady_clock::now().time_since_epoch()};
        Duration wait = 50ms;
        if (const auto deadline = executor_.next_deadline()) {
            wait = std::clamp(*deadline - now, Duration{0}, wait);
        }
        pollfd ready{executor_.fd(), POLLIN, 0};
        ::poll(&ready, 1, static_cast<int>(to_ms(wait)));
        for (auto& event :
             executor_.collect(Instant{std::chrono::steady_clock::now().time_since_epoch()})) {
            events_.push_back(std::move(event));
        }
    }

    [[nodiscard]] std::string text(const std::string& file) const {
        std::ifstream stream{fs::path{directory_} / file};
        std::ostringstream all;
        all << stream.rdbuf();
        return all.str();
    }
    [[nodiscard]] std::string output() const { return text("logs/web.0.out"); }
    [[nodiscard]] const std::string& directory() const { return directory_; }
    Executor& executor() { return executor_; }

private:
    std::string make_directory() {
        std::string name = (fs::temp_directory_path() / "muster-exec-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        return directory_ = name;
    }

    std::string directory_;
    Executor executor_;
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

}  // namespace muster
