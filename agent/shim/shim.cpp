#include "agent/shim/shim.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/shim/system.hpp"
#include "agent/shim/tree.hpp"

namespace muster::shim {

namespace {

// While a tree dies it is checked this often, in case no signal reports the end.
constexpr uint64_t between_sweeps = 50 * ms;
// How long the shim reads on if a process outside the tree holds the output open.
constexpr uint64_t patience_with_output = 2000 * ms;

// In the zero segment, so that it takes no memory until it is used.
char end_bytes[1024];

void earlier(uint64_t& earliest, uint64_t due) {
    if (due != 0 && (earliest == 0 || due < earliest)) {
        earliest = due;
    }
}

bool take_if_due(uint64_t& due, uint64_t now) {
    const bool is_due = due != 0 && due <= now;
    due = is_due ? 0 : due;
    return is_due;
}

}  // namespace

void Shim::run() {
    if (!open()) {
        return;
    }
    receive();  // The agent sends the order before it makes the shim.
    while (!is_over()) {
        turn();
    }
    outputs_.join();
    if (is_released_ && phase_ == Phase::ended) {
        outputs_.remove_record();  // The agent may have released it before the record was written.
    }
    remove_cgroups(order_);
}

bool Shim::open() {
    for (int file = link_file; file <= ends_file; ++file) {
        fcntl(file, F_SETFD, FD_CLOEXEC);
    }
    // The shim outlives its agent and must not keep a file system busy.
    if (chdir("/") != 0) {
        return false;
    }
    // The shim blocks every signal that can be blocked. When the host shuts down the task gets its
    // signal, too, and the shim stays to record the end.
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    signals_ = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    timer_ = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    return signals_ >= 0 && timer_ >= 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

bool Shim::is_over() const {
    if (phase_ == Phase::waiting) {
        return link_ < 0;
    }
    return phase_ == Phase::ended && is_released_ && drain_due_ == 0 && !is_recording_;
}

void Shim::turn() {
    if (changed_) {
        send_state();
    }
    enum Index : size_t { of_signals, of_timer, of_listen, of_link, of_child, of_progress, of_out };
    pollfd files[] = {{signals_, POLLIN, 0},
                      {timer_, POLLIN, 0},
                      {listen_file, POLLIN, 0},
                      {link_, static_cast<short>(changed_ ? POLLIN | POLLOUT : POLLIN), 0},
                      {child_.report, POLLIN, 0},
                      {outputs_.progress(), POLLIN, 0},
                      {-1, POLLIN, 0},
                      {-1, POLLIN, 0}};
    uint64_t due = static_cast<uint64_t>(outputs_.give_back_due()) * ms;
    const int64_t before_ms = boot_ms();
    for (size_t i = 0; i < 2; ++i) {
        int64_t until_ms = 0;
        if (outputs_.is_watched(i, before_ms, until_ms)) {
            files[of_out + i].fd = outputs_.stream(i).pipe;
        } else {
            earlier(due, static_cast<uint64_t>(until_ms) * ms);
        }
    }
    set_timer(due);
    if (poll(files, sizeof files / sizeof *files, -1) < 0) {
        return;
    }
    if (files[of_timer].revents != 0) {
        uint64_t count = 0;
        static_cast<void>(!read(timer_, &count, sizeof count));
    }
    const int64_t now_ms = boot_ms();
    if (files[of_progress].revents != 0) {
        outputs_.note_progress();
    }
    for (size_t i = 0; i < 2; ++i) {
        if (files[of_out + i].revents != 0) {
            outputs_.pump(i, now_ms);
        }
    }
    if (files[of_listen].revents != 0) {
        accept_agent();
    } else if (files[of_link].revents != 0) {
        receive();
    }
    if (files[of_child].revents != 0) {
        on_child_report();
    }
    if (files[of_signals].revents != 0) {
        reap();
    }
    outputs_.give_back(now_ms);
    carry_out_deadlines();
    drain();
}

void Shim::set_timer(uint64_t earliest) {
    const uint64_t all[] = {start_due_, kill_due_, lease_due_, sweep_due_, hook_due_, drain_due_};
    for (const uint64_t due : all) {
        earlier(earliest, due);
    }
    const auto seconds = static_cast<time_t>(earliest / (1000 * ms));
    const itimerspec timer = {{}, {seconds, static_cast<long>(earliest % (1000 * ms))}};
    timerfd_settime(timer_, TFD_TIMER_ABSTIME, &timer, nullptr);
}

// ---- the task ----

void Shim::begin(Command command) {
    // A shim that was stopped meanwhile must not begin what may run elsewhere by now.
    if (command != Command::post_stop && lease_due_ != 0 && lease_due_ <= boot_now()) {
        lease_over_ = true;
        not_started(Stage::lease, ETIME);
        return;
    }
    command_ = command;
    has_begun_ = true;
    if (command == Command::post_stop && order_.post_stop_ms > 0) {
        hook_due_ = boot_now() + order_.post_stop_ms * ms;
    }
    const Failure failure =
        make_child(order_, command, out_, err_, {exit_code_, exit_signal_}, child_);
    if (failure.stage == Stage::none) {
        return;
    }
    if (command == Command::post_stop) {
        end();
    } else {
        not_started(failure.stage, failure.error_number);
    }
}

void Shim::not_started(Stage stage, int error_number) {
    failure_ = {stage, error_number};
    leave();
}

// The child reports why it cannot become its program, or that it has become it.
void Shim::on_child_report() {
    Failure failure;
    const ssize_t count = read(child_.report, &failure, sizeof failure);
    close_file(child_.report);
    if (count == sizeof failure) {
        if (command_ != Command::post_stop && failure_.stage == Stage::none) {
            // Any failure in a hook counts as a failure of the hook.
            failure_ = {command_ == Command::pre_start ? Stage::pre_start : failure.stage,
                        failure.error_number};
        }
        return;
    }
    const bool is_program = command_ == Command::program && phase_ == Phase::starting;
    if (is_program && failure_.stage == Stage::none) {
        phase_ = Phase::running;
        pid_ = child_.pid;
        start_ticks_ = start_ticks_of(pid_);
        started_ms_ = civil_ms();
        start_due_ = 0;
        changed_ = true;
    }
}

void Shim::reap() {
    signalfd_siginfo signal = {};
    while (read(signals_, &signal, sizeof signal) > 0) {
    }
    siginfo_t ended = {};
    while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0) {
        const pid_t pid = ended.si_pid;
        const bool is_command = pid == child_.pid;
        if (is_command && child_.report >= 0) {
            on_child_report();
        }
        if (is_command && command_ != Command::pre_start) {
            // Before the child is reaped, because its process group id can be reused after that.
            kill_tree(order_, pid);
        }
        int status = 0;
        waitpid(pid, &status, 0);
        if (is_command) {
            child_.pid = 0;
            command_ended(status);
        }
        ended = {};
    }
    if (phase_ == Phase::leaving) {
        leave();
    }
}

void Shim::command_ended(int status) {
    const bool exited = WIFEXITED(status);
    const int code = exited ? WEXITSTATUS(status) : -1;
    const int number = exited ? 0 : WTERMSIG(status);
    if (command_ == Command::post_stop) {
        hook_due_ = 0;
        has_cleaned_ = true;
        return;
    }
    if (command_ == Command::pre_start && failure_.stage == Stage::none) {
        if (code == 0 && stopping_ == Stopping::no) {
            begin(Command::program);
            return;
        }
        failure_.stage = Stage::pre_start;
    }
    exit_code_ = code;
    exit_signal_ = number;
    ended_ms_ = civil_ms();
    leave();
}

void Shim::stop(int number, uint64_t grace_ms) {
    if (phase_ != Phase::starting && phase_ != Phase::running) {
        return;
    }
    changed_ = changed_ || stopping_ == Stopping::no;
    if (phase_ == Phase::starting || number == SIGKILL || grace_ms == 0) {
        kill_all();
        return;
    }
    if (stopping_ == Stopping::no) {
        stopping_ = Stopping::asked;
        kill(-pid_, number);
        // A stopped task would not receive the signal.
        kill(-pid_, SIGCONT);
    }
    earlier(kill_due_, boot_now() + grace_ms * ms);
}

void Shim::kill_all() {
    stopping_ = Stopping::killed;
    kill_due_ = 0;
    kill_tree(order_, child_.pid);
    sweep_due_ = boot_now() + between_sweeps;
}

// Repeats until the tree is gone. Then the post_stop command runs as the last.
void Shim::leave() {
    start_due_ = 0;
    kill_due_ = 0;
    lease_due_ = 0;
    phase_ = Phase::leaving;
    siginfo_t any = {};
    const bool has_children = waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) == 0;
    if (child_.pid != 0) {
        return;  // The post_stop command runs.
    }
    if (has_children) {
        kill_tree(order_, 0);
        sweep_due_ = boot_now() + between_sweeps;
        return;
    }
    sweep_due_ = 0;
    if (order_.has_post_stop && has_begun_ && !has_cleaned_) {
        has_cleaned_ = true;
        begin(Command::post_stop);
        return;
    }
    end();
}

void Shim::end() {
    close_file(out_);
    close_file(err_);
    phase_ = Phase::ended;
    ended_ms_ = ended_ms_ == 0 ? civil_ms() : ended_ms_;
    drain_due_ = boot_now() + patience_with_output;
    changed_ = true;
}

// Writes the last output, then the end record. The agent waits for neither.
void Shim::drain() {
    if (phase_ == Phase::ended && drain_due_ != 0) {
        const bool is_over = boot_now() >= drain_due_;
        if (outputs_.close_pipes(boot_ms(), is_over)) {
            drain_due_ = 0;
            Writer state{end_bytes, sizeof end_bytes, Kind::state};
            describe(state);
            outputs_.record(state.data(), state.size());
            is_recording_ = true;
        }
    }
    if (is_recording_ && outputs_.is_done()) {
        is_recording_ = false;
        changed_ = true;
    }
}

void Shim::carry_out_deadlines() {
    const uint64_t now = boot_now();
    if (take_if_due(start_due_, now)) {
        failure_ = {Stage::start_timeout, ETIMEDOUT};
        kill_all();
    }
    if (take_if_due(lease_due_, now)) {
        lease_over_ = true;
        stop(order_.signal_number, order_.grace_ms);
    }
    if (take_if_due(kill_due_, now)) {
        kill_all();
    }
    if (take_if_due(hook_due_, now)) {
        kill_tree(order_, child_.pid);
    }
    if (take_if_due(sweep_due_, now)) {
        if (phase_ == Phase::leaving) {
            leave();
        } else if (stopping_ == Stopping::killed) {
            kill_all();
        }
    }
}

}  // namespace muster::shim
