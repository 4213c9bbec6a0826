#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "common/base/file_descriptor.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"

namespace muster::local_provider {

/// One process, for ever: the kernel uses a pid again, but not in the same boot with the same
/// start.
struct ProcessIdentity {
    pid_t pid = 0;
    std::uint64_t start_ticks = 0;
    std::string boot;

    friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

[[nodiscard]] std::string to_text(const ProcessIdentity& process);
/// Nothing: the text is cut or damaged.
[[nodiscard]] std::optional<ProcessIdentity> process_in(const std::string& text);

/// A pidfd of exactly this process; none if it has ended. A zombie has ended, too: in a container,
/// perhaps nobody reaps it.
[[nodiscard]] FileDescriptor open_process(const ProcessIdentity& process);
[[nodiscard]] bool lives(const ProcessIdentity& process);

/// True once the process of the pidfd has ended.
[[nodiscard]] bool wait_for_end(const FileDescriptor& process, Duration longest);
void send_signal(const FileDescriptor& process, int number);

/// A program that outlives this one.
struct Daemon {
    std::vector<std::string> argv;
    std::string directory;  ///< It works there.
    std::string log;        ///< Gets its output.
    /// Holds its identity before the program runs, so no crash leaves a daemon that nobody knows.
    std::string identity_file;
};
/// Starts it in a session of its own, with no file of ours, all signals at their defaults, and none
/// blocked. To be called while this process has one thread. Returns once the program runs.
[[nodiscard]] Result<void> start_daemon(const Daemon& daemon);

/// Runs a program to its end, and kills it after this time. True: it exited with 0.
[[nodiscard]] bool run_within(const std::vector<std::string>& argv, const std::string& log,
                              Duration longest);

/// Kills every process with this `NAME=beginning` in its environment, until there is none.
void kill_with_variable(std::string_view variable, Duration longest);

}  // namespace muster::local_provider
