#include "tests/integration/support/process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "tests/integration/support/pace.hpp"

namespace muster::integration {

namespace {

using namespace std::chrono_literals;

[[noreturn]] void fail_with(const std::string& what) {
    throw std::runtime_error{what + ": " + std::strerror(errno)};
}

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

// The test's environment, then the command's. Variables that systemd or an operator set for the
// test's shell must not reach a daemon.
std::vector<std::string> environment_for(const Command& command) {
    std::vector<std::string> entries = command.env;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view inherited{*entry};
        const auto name = name_of(inherited);
        const bool ours = std::any_of(command.env.begin(), command.env.end(),
                                      [&](const auto& own) { return name_of(own) == name; });
        const bool foreign = name.starts_with("MUSTER_");
        if (!ours && !foreign && name != "NOTIFY_SOCKET" && name != "NO_COLOR") {
            entries.emplace_back(inherited);
        }
    }
    return entries;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (auto& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

int open_output(const std::string& path) {
    const char* name = path.empty() ? "/dev/null" : path.c_str();
    const int fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0) {
        fail_with(path);
    }
    return fd;
}

// Runs between fork and exec, and the parent may have threads: only system calls are allowed.
[[noreturn]] void become(pid_t parent, int input, int output, int errors, char** argv,
                         char** envp) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (getppid() == parent && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(errors, STDERR_FILENO) >= 0) {
        execve(argv[0], argv, envp);
    }
    _exit(127);
}

std::vector<std::string> split_at_zeros(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\0', at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

bool works_below(const std::string& pid, const std::string& directory) {
    std::error_code vanished;
    const auto at = std::filesystem::read_symlink("/proc/" + pid + "/cwd", vanished);
    return !vanished && at.string().starts_with(directory + "/");
}

}  // namespace

Deadline soon() {
    constexpr int enough = 600;
    return Clock::now() + paces(enough);
}

int milliseconds_until(Deadline deadline) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
}

Process::Process(const Command& command) {
    auto argv_texts = command.argv;
    auto env_texts = environment_for(command);
    auto argv = pointers_to(argv_texts);
    auto envp = pointers_to(env_texts);
    const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int output = open_output(command.output);
    const int errors = open_output(command.errors);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
        become(parent, input, output, errors, argv.data(), envp.data());
    }
    close(input);
    close(output);
    close(errors);
    if (pid_ < 0) {
        fail_with("fork");
    }
    pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
    if (pidfd_ < 0) {
        fail_with("pidfd_open");
    }
}

Process::~Process() {
    if (running()) {
        signal(SIGKILL);
        static_cast<void>(wait(soon()));
    }
    close(pidfd_);
}

void Process::signal(int number) const {
    syscall(SYS_pidfd_send_signal, pidfd_, number, nullptr, 0);
}

std::optional<Exit> Process::wait(Deadline deadline) {
    if (exit_) {
        return exit_;
    }
    pollfd waiting{.fd = pidfd_, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, milliseconds_until(deadline)) != 1) {
        return std::nullopt;
    }
    int status = 0;
    if (waitpid(pid_, &status, 0) != pid_) {
        fail_with("waitpid");
    }
    exit_ = WIFEXITED(status) ? Exit{.code = WEXITSTATUS(status)}
                              : Exit{.code = -1, .signal = WTERMSIG(status)};
    return exit_;
}

bool Process::running() { return !wait(Clock::now()); }

Finished run(const std::string& directory, std::vector<std::string> argv,
             std::vector<std::string> env, Deadline deadline) {
    std::string pattern = directory + "/run-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) {
        fail_with(pattern);
    }
    const Command command{.argv = std::move(argv),
                          .env = std::move(env),
                          .output = pattern + "/output",
                          .errors = pattern + "/errors"};
    Process process{command};
    auto exit = process.wait(deadline);
    if (!exit) {
        process.signal(SIGKILL);
        exit = process.wait(soon());
    }
    Finished finished{.exit = exit.value_or(Exit{}),
                      .output = text_of(command.output),
                      .errors = text_of(command.errors)};
    std::filesystem::remove_all(pattern);
    return finished;
}

std::string_view Found::variable(std::string_view name) const {
    for (const std::string_view entry : env) {
        if (name_of(entry) == name) {
            return entry.substr(name.size() + 1);
        }
    }
    return {};
}

template <class IsMeant>
std::vector<Found> find_all(IsMeant is_meant) {
    std::vector<Found> found;
    for (const auto& process : std::filesystem::directory_iterator{"/proc"}) {
        const auto name = process.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos ||
            name == std::to_string(getpid())) {
            continue;
        }
        auto env = split_at_zeros(text_of("/proc/" + name + "/environ"));
        if (is_meant(name, env)) {
            found.push_back({.pid = std::stoi(name), .env = std::move(env)});
        }
    }
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.pid < b.pid; });
    return found;
}

std::vector<Found> find_processes(std::string_view entry, const std::string& directory) {
    return find_all([&](const std::string& pid, const std::vector<std::string>& env) {
        return std::find(env.begin(), env.end(), entry) != env.end() ||
               (!env.empty() && works_below(pid, directory));
    });
}

std::vector<Found> find_processes_with(std::string_view variable) {
    return find_all([&](const std::string& /*pid*/, const std::vector<std::string>& env) {
        return std::ranges::any_of(
            env, [&](const std::string& entry) { return name_of(entry) == variable; });
    });
}

std::vector<std::string> arguments_of(pid_t pid) {
    return split_at_zeros(text_of("/proc/" + std::to_string(pid) + "/cmdline"));
}

std::size_t resident_bytes(pid_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/statm"};
    std::size_t pages = 0;
    std::size_t resident_pages = 0;
    file >> pages >> resident_pages;
    return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t open_files(pid_t pid) {
    const std::filesystem::directory_iterator entries{"/proc/" + std::to_string(pid) + "/fd"};
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

std::string text_of(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

void write_text(const std::string& path, std::string_view text) {
    std::ofstream file{path, std::ios::binary | std::ios::trunc};
    file << text;
    if (!file.flush()) {
        fail_with(path);
    }
}

}  // namespace muster::integration
