#pragma once

#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

/// Real processes in tests: started, awaited by pidfd, found in /proc.
namespace muster::integration {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

/// Long enough for a busy machine: 600 paces. A test waits this long only if something is broken.
[[nodiscard]] Deadline soon();
[[nodiscard]] int milliseconds_until(Deadline deadline);

/// How a process ended.
struct Exit {
    int code = -1;   ///< -1: a signal ended it.
    int signal = 0;  ///< 0: it ended by itself.

    friend bool operator==(const Exit&, const Exit&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Exit& exit) {
        return out << "code " << exit.code << ", signal " << exit.signal;
    }
};

struct Command {
    std::vector<std::string> argv;
    std::vector<std::string> env{};  ///< `NAME=value`, in addition to the test's own.
    std::string output{};            ///< A file to append its standard output to.
    std::string errors{};            ///< The same for its standard error.
};

/// A child of the test. It gets a signal when the test dies, and is killed by the destructor.
class Process {
public:
    explicit Process(const Command& command);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    [[nodiscard]] pid_t pid() const { return pid_; }
    /// Readable after the process has ended.
    [[nodiscard]] int pidfd() const { return pidfd_; }
    void signal(int number) const;
    /// Nothing if the process is still alive at the deadline.
    [[nodiscard]] std::optional<Exit> wait(Deadline deadline);
    [[nodiscard]] bool running();

private:
    pid_t pid_ = -1;
    int pidfd_ = -1;
    std::optional<Exit> exit_;
};

/// The exit and output of a finished program.
struct Finished {
    Exit exit;
    std::string output;
    std::string errors;
};

/// Runs the program to its end, or kills it at the deadline (then `exit.signal` is 9). Its output
/// goes through files in `directory`.
[[nodiscard]] Finished run(const std::string& directory, std::vector<std::string> argv,
                           std::vector<std::string> env = {}, Deadline deadline = soon());

/// A process found in /proc, by its environment.
struct Found {
    pid_t pid = -1;
    std::vector<std::string> env;

    /// Empty if the process has no such variable.
    [[nodiscard]] std::string_view variable(std::string_view name) const;
};

/// All other processes whose environment holds `entry` (`NAME=value`) or that work below
/// `directory`, ordered by pid. A zombie has neither any more.
[[nodiscard]] std::vector<Found> find_processes(std::string_view entry,
                                                const std::string& directory);

/// All other processes whose environment has this variable.
[[nodiscard]] std::vector<Found> find_processes_with(std::string_view variable);

[[nodiscard]] std::vector<std::string> arguments_of(pid_t pid);
/// Its resident memory in bytes.
[[nodiscard]] std::size_t resident_bytes(pid_t pid);
[[nodiscard]] std::size_t open_files(pid_t pid);

[[nodiscard]] std::string text_of(const std::string& path);
void write_text(const std::string& path, std::string_view text);

}  // namespace muster::integration
