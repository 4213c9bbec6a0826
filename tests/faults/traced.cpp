#include "tests/faults/traced.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sched.h>
#include <stdexcept>
#include <string_view>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::faults {

namespace {

using integration::Command;

std::string file_of(pid_t thread, std::uint64_t descriptor) {
    std::error_code error;
    const auto path = std::filesystem::read_symlink(
        "/proc/" + std::to_string(thread) + "/fd/" + std::to_string(descriptor), error);
    return path.filename().string();
}

// Writes to the process itself (a pipe, an eventfd) or to its log change nothing outside.
std::string act_on(pid_t thread, std::uint64_t descriptor, std::string_view what) {
    const std::string file = file_of(thread, descriptor);
    const bool is_own = file.starts_with("anon_inode") || file.starts_with("[") ||
                        file.starts_with("pipe:") || file.ends_with(".log");
    return is_own ? "" : std::string{what} + ' ' + (file.starts_with("socket:") ? "socket" : file);
}

// Empty: the system call is not an act.
std::string act_of(pid_t thread, std::uint64_t number, const std::uint64_t (&args)[6]) {
    switch (number) {
        case SYS_write:
        case SYS_writev:
        case SYS_pwrite64:
        case SYS_pwritev: return act_on(thread, args[0], "write");
        case SYS_sendto:
        case SYS_sendmsg: return act_on(thread, args[0], "send");
        case SYS_fsync:
        case SYS_fdatasync: return act_on(thread, args[0], "sync");
        case SYS_ftruncate:
        case SYS_fallocate: return act_on(thread, args[0], "resize");
        case SYS_connect:
        case SYS_bind: return act_on(thread, args[0], "connect");
        case SYS_openat: return (args[2] & O_CREAT) != 0 ? "create" : "";
        case SYS_clone: return (args[0] & CLONE_THREAD) != 0 ? "" : "fork";
        case SYS_clone3: return "fork";
        case SYS_renameat:
        case SYS_renameat2: return "rename";
        case SYS_unlinkat: return "remove";
        case SYS_mkdirat: return "make directory";
        case SYS_kill:
        case SYS_tgkill: return "signal";
#ifdef __x86_64__
        case SYS_open: return (args[1] & O_CREAT) != 0 ? "create" : "";
        case SYS_fork:
        case SYS_vfork: return "fork";
        case SYS_rename: return "rename";
        case SYS_unlink:
        case SYS_rmdir: return "remove";
        case SYS_mkdir: return "make directory";
#endif
        default: return "";
    }
}

[[noreturn]] void become(const Command& command) {
    for (const auto& entry : command.env) {
        const auto equals = entry.find('=');
        setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
    }
    unsetenv("NOTIFY_SOCKET");
    const int log = open(command.errors.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    std::vector<char*> argv;
    for (const auto& word : command.argv) {
        argv.push_back(const_cast<char*>(word.c_str()));
    }
    argv.push_back(nullptr);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    execv(argv[0], argv.data());
    _exit(127);
}

}  // namespace

Traced::Traced(const Command& command) : tracer_{[this, command] { trace(command); }} {}

Traced::~Traced() {
    kill();
    tracer_.join();
}

void Traced::kill_before(std::size_t act, std::string kind) {
    const std::lock_guard lock{mutex_};
    acts_.clear();
    fatal_ = act;
    fatal_kind_ = std::move(kind);
}

void Traced::kill() {
    while (!ended_ && pid_ < 0) {
        std::this_thread::yield();
    }
    if (!ended_) {
        ::kill(pid_, SIGKILL);
    }
}

std::vector<std::string> Traced::acts() const {
    const std::lock_guard lock{mutex_};
    return acts_;
}

void Traced::on_stop(pid_t thread) {
    __ptrace_syscall_info info{};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0 ||
        info.op != PTRACE_SYSCALL_INFO_ENTRY) {
        return;
    }
    std::uint64_t args[6];
    std::copy(std::begin(info.entry.args), std::end(info.entry.args), std::begin(args));
    const std::string act = act_of(thread, info.entry.nr, args);
    if (act.empty()) {
        return;
    }
    const std::lock_guard lock{mutex_};
    acts_.push_back(act);
    if (fatal_ > 0 && (fatal_kind_.empty() || fatal_kind_ == act) && --fatal_ == 0) {
        ::kill(pid_, SIGKILL);  // The process ends in this stop, so the act is not done.
    }
}

void Traced::trace(const Command& command) {
    const pid_t child = fork();
    if (child == 0) {
        become(command);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ptrace(PTRACE_SETOPTIONS, child, nullptr,
           PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE);
    pid_ = child;
    ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    while (true) {
        const pid_t thread = waitpid(-1, &status, __WALL | __WNOTHREAD);
        if (thread < 0 || (thread == child && (WIFEXITED(status) || WIFSIGNALED(status)))) {
            break;
        }
        if (!WIFSTOPPED(status)) {
            continue;
        }
        const int number = WSTOPSIG(status);
        if (number == (SIGTRAP | 0x80)) {
            on_stop(thread);
        }
        // A ptrace stop, or the first stop of a new thread, carries no signal to deliver.
        const bool is_signal = number != (SIGTRAP | 0x80) && number != SIGTRAP && number != SIGSTOP;
        ptrace(PTRACE_SYSCALL, thread, nullptr, is_signal ? number : 0);
    }
    ended_ = true;
}

}  // namespace muster::faults
