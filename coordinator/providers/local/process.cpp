#include "coordinator/providers/local/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sstream>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/number.hpp"
#include "common/base/read_file.hpp"
#include "common/net/host/clock.hpp"

namespace muster::local_provider {
namespace {

constexpr int error_file = 3;  // In a new process: tells the parent why it does not begin.

// A sandbox may hide it. Then the start of a process alone has to distinguish it.
std::string boot_id() {
    const auto text = read_file("/proc/sys/kernel/random/boot_id", unbounded);
    return text ? text->substr(0, text->find('\n')) : "unknown";
}

struct Stat {
    char state = 'X';
    std::uint64_t start_ticks = 0;
};

std::optional<Stat> stat_of(pid_t pid) {
    const auto text = read_file("/proc/" + std::to_string(pid) + "/stat", unbounded);
    // The second field is a name in brackets, which may hold spaces and brackets itself.
    const auto name_end = text ? text->rfind(") ") : std::string::npos;
    if (name_end == std::string::npos) {
        return std::nullopt;
    }
    std::istringstream fields{text->substr(name_end + 2)};
    Stat stat;
    std::string skipped;
    fields >> stat.state;
    for (int field = 4; field < 22; ++field) {
        fields >> skipped;
    }
    fields >> stat.start_ticks;
    return fields ? std::optional{stat} : std::nullopt;
}

// A supervisor of our caller must not take a daemon's words for those of its own child.
constexpr std::array<const char*, 6> variables_of_caller{
    "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"};

void begin_with_default_signals() {
    for (int number = 1; number < NSIG; ++number) {
        static_cast<void>(std::signal(number, SIG_DFL));  // Fails for some; they have no other.
    }
    sigset_t none{};
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool take_standard_files(const std::string& log) {
    const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return input >= 0 && output >= 0 && dup2(input, STDIN_FILENO) >= 0 &&
           dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0;
}

bool write_own_identity(const std::string& path) {
    const auto own = stat_of(getpid());
    if (!own) {
        return false;
    }
    const std::string text =
        to_text({.pid = getpid(), .start_ticks = own->start_ticks, .boot = boot_id()});
    const std::string beside = path + ".new";
    const FileDescriptor file{open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
    return file.is_open() && write_all(file.get(), text) == 0 &&
           std::rename(beside.c_str(), path.c_str()) == 0;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

// In the new process. Returns only if the program does not begin; errno has the reason, which
// `errors` is to get.
void become(const Daemon& daemon, int& errors) {
    setsid();
    begin_with_default_signals();
    if (!take_standard_files(daemon.log)) {
        return;
    }
    // First the identity, then the end of the files: until then we hold the locks of our parent,
    // which may be killed now. So whoever gets a lock finds a process or its identity, never
    // neither.
    if (!daemon.identity_file.empty() && !write_own_identity(daemon.identity_file)) {
        return;
    }
    if (errors != error_file && dup3(errors, error_file, O_CLOEXEC) < 0) {
        return;
    }
    errors = error_file;
    close_range(error_file + 1, ~0U, 0);
    for (const char* const variable : variables_of_caller) {
        unsetenv(variable);
    }
    if (chdir(daemon.directory.c_str()) != 0) {
        return;
    }
    std::vector<std::string> words = daemon.argv;
    execv(words.front().c_str(), pointers_to(words).data());
}

Result<pid_t> begin(const Daemon& daemon) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return fail(Errc::io, std::string{"no pipe can be made: "} + std::strerror(errno));
    }
    const FileDescriptor from_child{ends[0]};
    FileDescriptor to_parent{ends[1]};
    const pid_t pid = fork();
    if (pid < 0) {
        return fail(Errc::io, std::string{"no process can be made: "} + std::strerror(errno));
    }
    if (pid == 0) {
        int errors = to_parent.get();
        become(daemon, errors);
        const int why = errno;
        static_cast<void>(!write(errors, &why, sizeof why));
        _exit(127);
    }
    to_parent.reset();
    int why = 0;
    ssize_t size = 0;
    do {
        size = read(from_child.get(), &why, sizeof why);
    } while (size < 0 && errno == EINTR);
    if (size == sizeof why) {
        waitpid(pid, nullptr, 0);
        return fail(Errc::io, daemon.argv.front() + " cannot be started in " + daemon.directory +
                                  ": " + std::strerror(why));
    }
    return pid;
}

FileDescriptor open_pid(pid_t pid) {
    return FileDescriptor{static_cast<int>(syscall(SYS_pidfd_open, pid, 0))};
}

bool has_variable(const std::string& directory, std::string_view variable) {
    const auto environment = read_file(directory + "/environ", unbounded);
    return environment && (environment->starts_with(variable) ||
                           environment->find('\0' + std::string{variable}) != std::string::npos);
}

}  // namespace

std::string to_text(const ProcessIdentity& process) {
    return std::to_string(process.pid) + ' ' + std::to_string(process.start_ticks) + ' ' +
           process.boot + '\n';
}

std::optional<ProcessIdentity> process_in(const std::string& text) {
    std::istringstream fields{text};
    ProcessIdentity process;
    fields >> process.pid >> process.start_ticks >> process.boot;
    return fields && process.pid > 0 ? std::optional{process} : std::nullopt;
}

FileDescriptor open_process(const ProcessIdentity& process) {
    if (process.boot != boot_id()) {
        return {};
    }
    // First the pidfd, then the look: so both are of the same process.
    auto file = open_pid(process.pid);
    const auto stat = stat_of(process.pid);
    const bool is_it = file.is_open() && stat && stat->start_ticks == process.start_ticks &&
                       stat->state != 'Z' && stat->state != 'X';
    return is_it ? std::move(file) : FileDescriptor{};
}

bool lives(const ProcessIdentity& process) { return open_process(process).is_open(); }

bool wait_for_end(const FileDescriptor& process, Duration longest) {
    const Instant end = net::boottime_now() + longest;
    while (process.is_open()) {
        pollfd look{.fd = process.get(), .events = POLLIN, .revents = 0};
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - net::boottime_now());
        const int ready = poll(&look, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
        if (ready > 0 || (ready == 0 && net::boottime_now() >= end)) {
            return ready > 0;
        }
    }
    return true;
}

void send_signal(const FileDescriptor& process, int number) {
    if (process.is_open()) {
        static_cast<void>(syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0));
    }
}

Result<void> start_daemon(const Daemon& daemon) {
    return begin(daemon).map([](pid_t) {});
}

bool run_within(const std::vector<std::string>& argv, const std::string& log, Duration longest) {
    const auto pid = begin({.argv = argv, .directory = "/", .log = log, .identity_file = {}});
    if (!pid) {
        return false;
    }
    const auto process = open_pid(*pid);
    if (!wait_for_end(process, longest)) {
        send_signal(process, SIGKILL);
    }
    int status = 0;
    while (waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void kill_with_variable(std::string_view variable, Duration longest) {
    const Instant end = net::boottime_now() + longest;
    bool found = true;
    while (found && net::boottime_now() < end) {
        found = false;
        for (const std::string& name : names_in("/proc")) {
            const auto pid = number_in<pid_t>(name);
            if (!pid || *pid == getpid()) {
                continue;
            }
            const auto process = open_pid(*pid);
            if (process.is_open() && has_variable("/proc/" + name, variable)) {
                found = true;
                send_signal(process, SIGKILL);
                static_cast<void>(wait_for_end(process, 100ms));
            }
        }
    }
}

}  // namespace muster::local_provider
