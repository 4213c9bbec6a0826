#include "agent/exec/orphan_reaper.hpp"

#include <algorithm>
#include <csignal>
#include <poll.h>
#include <set>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/exec/launch/process_mark.hpp"
#include "common/base/file_descriptor.hpp"

namespace muster::agent {

namespace {

constexpr Duration first_delay = 5ms;
constexpr Duration longest_delay = 500ms;
// A process shows no mark for a moment while it executes another program.
constexpr int sweeps_in_a_row = 3;

// True: the process existed and was one of ours.
template <class IsOurs>
bool kill_checked(pid_t pid, IsOurs is_ours) {
    const FileDescriptor process{static_cast<int>(syscall(SYS_pidfd_open, pid, 0U))};
    // The pid may have been reused before the opening, but not after it.
    if (!process.is_open() || !is_ours()) {
        return false;
    }
    // A zombie counts as ended: the parent that inherited it may wait for it late.
    pollfd ended{process.get(), POLLIN, 0};
    if (poll(&ended, 1, 0) == 1) {
        return false;
    }
    syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0U);
    return true;
}

}  // namespace

void OrphanReaper::add(Instant now, ProcessId process, const ProcessIdentity& main) {
    orphans_.emplace(process, Orphan{main});
    due_ = now;
    delay_ = first_delay;
}

std::vector<ProcessId> OrphanReaper::sweep(Instant now) {
    std::vector<ProcessId> gone;
    if (orphans_.empty() || now < due_) {
        return gone;
    }
    std::set<ProcessId> seen;
    for (const MarkedProcess& marked : processes_of_home(home_)) {
        const ProcessMark mark{home_, marked.process};
        if (orphans_.contains(marked.process) &&
            kill_checked(marked.pid, [&] { return mark_of(marked.pid) == mark; })) {
            seen.insert(marked.process);
        }
    }
    for (auto& [process, orphan] : orphans_) {
        const ProcessIdentity& main = orphan.main;
        const bool is_there = main.pid > 0 && kill_checked(main.pid, [&] {
                                  return start_ticks_of(main.pid) == main.start_ticks;
                              });
        const bool is_in_cgroup = cgroups_.kill(process);
        orphan.empty_sweeps =
            is_there || is_in_cgroup || seen.contains(process) ? 0 : orphan.empty_sweeps + 1;
        if (orphan.empty_sweeps >= sweeps_in_a_row) {
            gone.push_back(process);
        }
    }
    for (const ProcessId process : gone) {
        cgroups_.remove(process);
        orphans_.erase(process);
    }
    due_ = now + delay_;
    delay_ = std::min(delay_ * 2, longest_delay);
    return gone;
}

}  // namespace muster::agent
