#include "agent/shim/child.hpp"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/shim/privileges.hpp"
#include "agent/shim/sandbox.hpp"
#include "agent/shim/tree.hpp"

namespace muster::shim {

namespace {

// More than any spec has with its environment files (common/base/limits.hpp).
constexpr size_t most_texts = 4096;
constexpr size_t own_variables = 2;
constexpr int nice_zero = 20;

// Only the child touches these, so they cost the parent no memory. The variables follow the
// arguments, so a child with few of both touches one page.
char* words[2 * most_texts + own_variables + 2];
char exit_code[40];
char exit_signal[40];

[[noreturn]] void give_up(int report, Stage stage, int error_number) {
    const Failure failure{stage, error_number};
    static_cast<void>(!write(report, &failure, sizeof failure));
    _exit(127);
}

size_t collect(const Order& order, Tag tag, char** into) {
    Reader reader = order.fields();
    Field field;
    size_t count = 0;
    while (reader.next(field) && count < most_texts) {
        if (field.tag == tag) {
            into[count++] = const_cast<char*>(field.text());
        }
    }
    into[count] = nullptr;
    return count;
}

bool become_user(const Order& order, Stage& stage) {
    gid_t groups[64];
    size_t count = 0;
    Field user;
    Field group;
    Reader reader = order.fields();
    for (Field field; reader.next(field);) {
        if (field.tag == Tag::user) {
            user = field;
        } else if (field.tag == Tag::group) {
            group = field;
        } else if (field.tag == Tag::other_group && count < sizeof groups / sizeof *groups) {
            groups[count++] = static_cast<gid_t>(field.number());
        }
    }
    stage = Stage::groups;
    if (group.data != nullptr) {
        const auto gid = static_cast<gid_t>(group.number());
        if (setgroups(count, groups) != 0 || setgid(gid) != 0) {
            return false;
        }
    }
    stage = Stage::user;
    return user.data == nullptr || setuid(static_cast<uid_t>(user.number())) == 0;
}

bool apply_field(const Field& field, Stage& stage) {
    if (field.tag == Tag::cgroup) {
        stage = Stage::cgroup;
        return write_to_cgroup(field.text(), "cgroup.procs", '0');
    }
    if (field.tag == Tag::rlimit) {
        stage = Stage::rlimit;
        const rlimit bound{field.number(1), field.number(2)};
        return setrlimit(static_cast<int>(field.number()), &bound) == 0;
    }
    if (field.tag == Tag::nice) {
        stage = Stage::nice;
        return setpriority(PRIO_PROCESS, 0, static_cast<int>(field.number()) - nice_zero) == 0;
    }
    if (field.tag == Tag::umask) {
        umask(static_cast<mode_t>(field.number()));
    }
    return true;
}

bool prepare(const Order& order, Stage& stage) {
    stage = Stage::fork;
    if (setsid() < 0) {
        return false;
    }
    Reader reader = order.fields();
    for (Field field; reader.next(field);) {
        if (!apply_field(field, stage)) {
            return false;
        }
    }
    stage = Stage::sandbox;
    const char* step = "";
    if (!enter_sandbox(order.sandbox, order.sandbox_own, order.sandbox_shown, step)) {
        return false;
    }
    close_capabilities();
    if (!become_user(order, stage)) {
        return false;
    }
    stage = Stage::directory;
    if (chdir(order.directory) != 0) {
        return false;
    }
    stage = Stage::privileges;
    return give_up_privileges();
}

Tag tag_of(Command command) {
    switch (command) {
        case Command::program: return Tag::argument;
        case Command::pre_start: return Tag::pre_start;
        case Command::post_stop: return Tag::post_stop;
    }
    return Tag::argument;
}

void add_ending(const Ending& ending, char** end) {
    snprintf(exit_code, sizeof exit_code, "MUSTER_EXIT_CODE=%d", ending.exit_code);
    snprintf(exit_signal, sizeof exit_signal, "MUSTER_EXIT_SIGNAL=%d", ending.exit_signal);
    end[0] = exit_code;
    end[1] = exit_signal;
    end[2] = nullptr;
}

struct Files {
    int out;
    int err;
    int report;
};

[[noreturn]] void become(const Order& order, Command command, const Files& files,
                         const Ending& ending, pid_t parent) {
    Stage stage = Stage::fork;
    if (!prepare(order, stage)) {
        give_up(files.report, stage, errno);
    }
    // After the change of user, because that resets it. The parent may have ended before.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127);
    }
    if (dup2(files.out, STDOUT_FILENO) < 0 || dup2(files.err, STDERR_FILENO) < 0) {
        give_up(files.report, Stage::fork, errno);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    char** const arguments = words;
    char** const variables = arguments + collect(order, tag_of(command), arguments) + 1;
    const size_t count = collect(order, Tag::variable, variables);
    if (command == Command::post_stop) {
        add_ending(ending, variables + count);
    }
    // The fields of a hook begin with the path of its program. The path of the task's program is
    // separate.
    const bool is_hook = command != Command::program;
    execve(is_hook ? arguments[0] : order.program, is_hook ? arguments + 1 : arguments, variables);
    give_up(files.report, Stage::exec, errno);
}

}  // namespace

Failure make_child(const Order& order, Command command, int out, int err, const Ending& ending,
                   Child& into) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) {
        return {Stage::fork, errno};
    }
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        become(order, command, {out, err, report[1]}, ending, parent);
    }
    const int why = errno;
    close(report[1]);
    if (pid < 0) {
        close(report[0]);
        return {Stage::fork, why};
    }
    into = {pid, report[0]};
    return {};
}

}  // namespace muster::shim
