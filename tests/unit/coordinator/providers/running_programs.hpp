#pragma once

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/file_descriptor.hpp"
#include "common/net/host/clock.hpp"
#include "coordinator/providers/provider_programs.hpp"
#include "tests/temporary_directory.hpp"

namespace muster::coordinator {

inline bool is_readable(int file, Duration within = 20s) {
    pollfd waits{file, POLLIN, 0};
    return poll(&waits, 1, static_cast<int>(to_ms(within))) == 1;
}

/// The process is gone soon.
inline bool ends(const std::string& process) {
    const FileDescriptor watched{
        static_cast<int>(syscall(SYS_pidfd_open, std::atoi(process.c_str()), 0U))};
    return watched.is_open() ? is_readable(watched.get()) : errno == ESRCH;
}

/// One provider, whose program is provider_double.sh with this behaviour, and a predictor of the
/// same program.
class RunningPrograms {
public:
    explicit RunningPrograms(const std::string& how, Duration deadline = 1h)
        : RunningPrograms{
              std::vector<std::string>{
                  MUSTER_SOURCE_DIR "/tests/unit/coordinator/providers/provider_double.sh", how},
              deadline} {}
    RunningPrograms(std::vector<std::string> command, Duration deadline) {
        for (const auto* const fifo : {"told", "go"}) {
            REQUIRE(mkfifo(directory.below(fifo).c_str(), 0600) == 0);
        }
        // Open for both, so that neither side waits for the other one.
        lines_ = FileDescriptor{
            ::open(directory.below("told").c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)};
        go_ = FileDescriptor{::open(directory.below("go").c_str(), O_RDWR | O_CLOEXEC)};
        command.push_back(directory.path());
        OutsideOptions options;
        options.providers.push_back({.name = "cloud", .command = command, .deadline = deadline});
        options.predictors.push_back({.name = "ml", .command = command, .deadline = deadline});
        programs = std::make_unique<ProviderPrograms>(options);
        programs->begin(ClusterId{1, 2});
    }

    void list(std::uint64_t number) { programs->call({number, "cloud", ListNodes{}}); }
    void provision(std::uint64_t number) {
        programs->call({number, "cloud", ProvisionNodes{"web", "7-12", 3}});
    }
    /// The next answers, so many.
    std::vector<OutsideAnswer> answers(std::size_t count) {
        std::vector<OutsideAnswer> all;
        while (all.size() < count) {
            REQUIRE(is_readable(programs->fd()));
            for (auto& answer : programs->take()) {
                all.push_back(std::move(answer));
            }
        }
        CHECK(all.size() == count);
        return all;
    }
    OutsideResult answer() { return answers(1)[0].result; }
    std::string failure() {
        const auto result = answer();
        REQUIRE(std::holds_alternative<CallFailed>(result));
        return std::get<CallFailed>(result).why;
    }

    /// The next line that a program tells.
    std::string next_told() {
        std::string line;
        for (char c = 0; c != '\n';) {
            REQUIRE(is_readable(lines_.get()));
            REQUIRE(::read(lines_.get(), &c, 1) == 1);
            line += c;
        }
        line.pop_back();
        return line;
    }
    void let_one_go() { REQUIRE(write_all(go_.get(), "go\n") == 0); }
    std::string file(const std::string& name) const {
        std::ifstream in{directory.below(name)};
        return {std::istreambuf_iterator<char>{in}, {}};
    }

    TemporaryDirectory directory;
    std::unique_ptr<ProviderPrograms> programs;

private:
    FileDescriptor lines_;
    FileDescriptor go_;
};

}  // namespace muster::coordinator
