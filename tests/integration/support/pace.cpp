#include "tests/integration/support/pace.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace muster::integration {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto shortest = 100ms;
/// A deadline is 600 paces, and ctest ends a test after 300 s.
constexpr auto longest = 300ms;
constexpr auto step = 50ms;
/// A round of a cluster has some spawns, writes and turns one after the other.
constexpr int times_of_each = 10;
constexpr int tries = 5;

/// The longest of some tries.
template <class Work>
Clock::duration longest_of(Work work) {
    Clock::duration most{};
    for (int at = 0; at < tries; ++at) {
        const auto begun = Clock::now();
        work();
        most = std::max<Clock::duration>(most, Clock::now() - begun);
    }
    return most;
}

void spawn() {
    std::string program = "/bin/true";
    const std::array<char*, 2> argv{program.data(), nullptr};
    pid_t child = -1;
    if (posix_spawn(&child, program.c_str(), nullptr, nullptr, argv.data(), environ) == 0) {
        waitpid(child, nullptr, 0);
    }
}

void write_durably(int file) {
    const bool is_written = write(file, "x", 1) == 1 && fdatasync(file) == 0;
    if (!is_written) {  // A pace of a disk that takes nothing would mislead every test.
        throw std::system_error{
            errno, std::generic_category(),
            "cannot write below " + std::filesystem::temp_directory_path().string()};
    }
}

void sleep_shortly() { poll(nullptr, 0, 1); }

}  // namespace

std::chrono::milliseconds pace() {
    static const std::chrono::milliseconds chosen = [] {
        const char* const given = std::getenv("TEST_PACE_MS");
        return given == nullptr ? measured_pace() : std::chrono::milliseconds{std::atoi(given)};
    }();
    return chosen;
}

std::string in_ms(std::chrono::milliseconds time) { return std::to_string(time.count()) + "ms"; }

std::chrono::milliseconds measured_pace() {
    std::string path = std::filesystem::temp_directory_path() / "muster-pace-XXXXXX";
    const int file = mkstemp(path.data());
    const auto all =
        longest_of(spawn) + longest_of([&] { write_durably(file); }) + longest_of(sleep_shortly);
    close(file);
    unlink(path.c_str());
    return std::clamp(
        std::chrono::ceil<std::chrono::milliseconds>(times_of_each * all) / step * step, shortest,
        longest);
}

}  // namespace muster::integration
