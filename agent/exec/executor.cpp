#include "agent/exec/executor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "agent/exec/process_mark.hpp"
#include "common/ensure.hpp"

namespace muster {

namespace {

// While a tree is dying its members are looked for again after this long, doubled up to that.
constexpr Duration first_sweep_delay = 5ms;
constexpr Duration longest_sweep_delay = 500ms;
constexpr Duration patience_with_becoming = 500ms;
// What has no environment may be of any dying tree. Somebody's endless stream of it may not hold
// up the end of all others.
constexpr Duration patience_with_trees = 2s;
// How long to wait for processes that were killed, and how often to kill an earlier life's.
constexpr Duration patience_at_end = 5s;
constexpr int rounds_of_kills = 4;

FileDescriptor open_pidfd(pid_t pid) {
    return FileDescriptor{static_cast<int>(syscall(SYS_pidfd_open, pid, 0U))};
}

void signal_pidfd(const FileDescriptor& process, int number) {
    syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0U);
}

bool group_exists(pid_t leader) { return ::kill(-leader, 0) == 0 || errno == EPERM; }

// Reaps this child if it has ended.
std::optional<siginfo_t> reap(pid_t pid) {
    siginfo_t status = {};
    if (waitid(P_PID, static_cast<id_t>(pid), &status, WEXITED | WNOHANG) != 0 ||
        status.si_pid != pid) {
        return std::nullopt;
    }
    return status;
}

FileDescriptor open_child_signal() {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    // Whoever started us may have ignored it, and the kernel would reap in our place.
    std::signal(SIGCHLD, SIG_DFL);
    pthread_sigmask(SIG_BLOCK, &child, nullptr);
    return FileDescriptor{signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK)};
}

bool watch(const FileDescriptor& ready, const FileDescriptor& file, ProcessId process) {
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.u64 = raw(process);
    return epoll_ctl(ready.get(), EPOLL_CTL_ADD, file.get(), &event) == 0;
}

// Waits until all have ended, or the time is over; keeps those that have not.
void wait_for(std::vector<FileDescriptor>& processes, Duration longest) {
    const auto end = std::chrono::steady_clock::now() + longest;
    for (auto& process : processes) {
        const auto left = std::max<Duration>(end - std::chrono::steady_clock::now(), 0ms);
        pollfd wait{process.get(), POLLIN, 0};
        if (::poll(&wait, 1, static_cast<int>(to_ms(left))) == 1) {
            process.reset();
        }
    }
    std::erase_if(processes, [](const FileDescriptor& process) { return !process.is_open(); });
}

}  // namespace

Executor::Executor(LauncherOptions options) : launcher_{std::move(options)} {}

Executor::~Executor() {
    for (const auto& [pid, process] : mains_) {
        ::kill(-pid, SIGKILL);
    }
    const auto end = std::chrono::steady_clock::now() + patience_at_end;
    for (auto now = end - patience_at_end; !trees_.empty() && now < end;
         now = std::chrono::steady_clock::now()) {
        pollfd wait{ready_.get(), POLLIN, 0};
        ::poll(&wait, 1, static_cast<int>(to_ms(first_sweep_delay)));
        next_sweep_ = Instant{};
        static_cast<void>(collect(Instant{now.time_since_epoch()}));
    }
}

Result<void> Executor::open() {
    child_signal_ = open_child_signal();  // Before any thread, which would take the signal away.
    if (auto opened = launcher_.open(); !opened) {
        return opened;
    }
    ready_ = FileDescriptor{epoll_create1(EPOLL_CLOEXEC)};
    spare_ = spare_file();
    if (!ready_.is_open() || !child_signal_.is_open() ||
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 ||
        !watch(ready_, child_signal_, ProcessId{})) {
        return fail(Errc::io, std::string{"processes cannot be watched: "} + std::strerror(errno));
    }
    return {};
}

std::vector<FileDescriptor> Executor::signal_leftovers(int number) {
    std::vector<FileDescriptor> signalled;
    for (const pid_t pid : processes_of_home(launcher_.home())) {
        FileDescriptor process = open_pidfd(pid);
        // The number may have gone to another between the look and the opening.
        const auto mark = mark_of(pid);
        if (process.is_open() && mark && mark->home == launcher_.home()) {
            signal_pidfd(process, number);
            signalled.push_back(std::move(process));
        }
    }
    return signalled;
}

Result<std::size_t> Executor::end_leftovers(Duration grace) {
    ensure(trees_.empty(), "leftovers are ended before anything is started");
    auto left = signal_leftovers(SIGTERM);
    const std::size_t found = left.size();
    wait_for(left, grace);
    // One that was just becoming another program was not seen: looked at until none is left.
    for (int round = 0; found > 0 && round < rounds_of_kills; ++round) {
        left = signal_leftovers(SIGKILL);
        if (left.empty()) {
            return found;
        }
        wait_for(left, patience_at_end);
    }
    if (found > 0) {
        return fail(Errc::io,
                    "a process of an earlier life of this agent does not end, not even "
                    "by SIGKILL; its environment holds MUSTER_PROCESS=" +
                        launcher_.home());
    }
    return found;
}

void Executor::spawn(const Spawn& order, CivilMs at) {
    ensure(raw(order.process) != 0 && !trees_.contains(order.process),
           "every process has a number of its own");
    const auto launched = launcher_.launch(order);
    if (!launched) {
        const LaunchFailure& failure = launched.error();
        events_.emplace_back(ProcessNotStarted{order.process, failure.permanent,
                                               failure.host_at_fault, failure.detail});
        return;
    }
    const pid_t pid = *launched;
    FileDescriptor main = open_pidfd(pid);
    if (!main.is_open() || !watch(ready_, main, order.process)) {
        const std::string why = std::strerror(errno);
        ::kill(-pid, SIGKILL);  // It is ours and not reaped.
        siginfo_t status = {};
        waitid(P_PID, static_cast<id_t>(pid), &status, WEXITED);
        events_.emplace_back(
            ProcessNotStarted{order.process, false, true, "the process cannot be watched: " + why});
        return;
    }
    mains_.emplace(pid, order.process);
    trees_.emplace(order.process, Tree{pid, std::move(main), std::nullopt});
    events_.emplace_back(ProcessStarted{order.process, at});
}

void Executor::signal(const Signal& order) {
    const auto found = trees_.find(order.process);
    if (found != trees_.end() && !found->second.ended) {
        ::kill(-found->second.pid, order.number);
    }
}

void Executor::kill(const Kill& order) { signal({order.process, SIGKILL}); }

std::vector<ProcessEvent> Executor::collect(Instant now) {
    wait_for_mains();
    sweep(now);
    return std::exchange(events_, {});
}

std::optional<Instant> Executor::next_deadline() const {
    if (!events_.empty()) {
        return Instant{};
    }
    return next_sweep_;
}

std::optional<pid_t> Executor::pid_of(ProcessId process) const {
    const auto found = trees_.find(process);
    if (found == trees_.end() || found->second.ended) {
        return std::nullopt;
    }
    return found->second.pid;
}

void Executor::wait_for_mains() {
    std::array<epoll_event, 64> happened = {};
    const int count = epoll_wait(ready_.get(), happened.data(), happened.size(), 0);
    for (int i = 0; i < count; ++i) {
        const ProcessId process{happened[static_cast<std::size_t>(i)].data.u64};
        if (const auto found = trees_.find(process); found != trees_.end()) {
            main_ended(process, found->second);
            continue;
        }
        ensure(process == ProcessId{}, "only processes that we made are watched");
        signalfd_siginfo signals = {};
        while (read(child_signal_.get(), &signals, sizeof signals) > 0) {
        }
        next_sweep_ = Instant{};  // An orphan may have ended.
    }
}

void Executor::main_ended(ProcessId process, Tree& tree) {
    ensure(!tree.ended && tree.main.is_open(), "a main process ends once");
    tree.main.reset();  // It would be readable until the process is reaped.
    ended_mains_.insert(process);
    sweep_delay_ = first_sweep_delay;
    next_sweep_ = Instant{};
}

// One that is traced is its tracer's first, for as long as that likes: tried again by each sweep.
void Executor::reap_mains(Instant now) {
    for (const ProcessId process : std::exchange(ended_mains_, {})) {
        Tree& tree = trees_.at(process);
        // Before it is reaped, while the number of its group is still its own.
        ::kill(-tree.pid, SIGKILL);
        const auto status = reap(tree.pid);
        if (!status) {
            ended_mains_.insert(process);
            continue;
        }
        const bool exited = status->si_code == CLD_EXITED;
        tree.ended =
            ProcessEnded{process, exited ? status->si_status : -1, exited ? 0 : status->si_status};
        mains_.erase(tree.pid);
        dying_.emplace(process, now);
        sweep_delay_ = first_sweep_delay;
    }
}

// In the middle of becoming another program a process shows no environment. It shows none for ever
// if it was given none, so it is given a while.
bool Executor::is_becoming(Instant now, pid_t orphan) {
    if (shows_environment(orphan)) {
        becoming_.erase(orphan);
        return false;
    }
    const Instant since = becoming_.try_emplace(orphan, now).first->second;
    return now - since < patience_with_becoming;
}

// Kills what is left of trees that are to be gone, and reaps what has ended.
Executor::Orphans Executor::end_orphans(Instant now) {
    Orphans found;
    for (const pid_t child : children_of_this_process()) {
        if (mains_.contains(child)) {
            continue;
        }
        if (reap(child)) {
            becoming_.erase(child);
            doomed_.erase(child);
            found.reaped = true;
            continue;
        }
        // On its way out a process has no environment any more, for a while on a busy host.
        if (const auto doomed = doomed_.find(child); doomed != doomed_.end()) {
            found.trees.insert(doomed->second);
            continue;
        }
        if (is_becoming(now, child)) {
            found.unclear = true;
            continue;
        }
        const auto mark = mark_of(child);
        if (!mark || mark->home != launcher_.home() || mark->life != launcher_.life()) {
            continue;
        }
        const auto tree = trees_.find(mark->process);
        if (tree != trees_.end() && !tree->second.ended) {
            continue;  // A daemon of a process that runs.
        }
        ::kill(child, SIGKILL);
        doomed_.emplace(child, mark->process);
        found.trees.insert(mark->process);
    }
    return found;
}

// What leaves a group by its end has left its children to us, and so has what was just reaped: so
// the groups are looked at first, and the orphans until none of them ends under our eyes.
std::vector<ProcessId> Executor::gone_trees(Instant now) {
    while (true) {
        std::vector<ProcessId> gone;
        for (const auto& [process, since] : dying_) {
            const auto tree = trees_.find(process);
            ensure(tree != trees_.end() && tree->second.ended, "a dying tree has ended its main");
            if (!group_exists(tree->second.pid)) {
                gone.push_back(process);
            }
        }
        const Orphans orphans = end_orphans(now);
        if (orphans.reaped) {
            continue;
        }
        std::erase_if(gone, [&](ProcessId process) {
            const bool is_awaited = now - dying_.at(process) < patience_with_trees;
            return orphans.trees.contains(process) || (orphans.unclear && is_awaited);
        });
        return gone;
    }
}

void Executor::sweep(Instant now) {
    if (!next_sweep_ || now < *next_sweep_) {
        return;
    }
    reap_mains(now);
    spare_.reset();
    const auto gone = gone_trees(now);
    spare_ = spare_file();
    for (const ProcessId process : gone) {
        const auto tree = trees_.find(process);
        events_.emplace_back(*tree->second.ended);
        trees_.erase(tree);
        dying_.erase(process);
    }
    next_sweep_.reset();
    if (!dying_.empty() || !ended_mains_.empty()) {
        next_sweep_ = now + sweep_delay_;
        sweep_delay_ = std::min(sweep_delay_ * 2, longest_sweep_delay);
    }
}

}  // namespace muster
