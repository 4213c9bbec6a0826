#include "agent/shim/sandbox.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::shim {

namespace {

// As in linux/mount.h, which the small C library does not have.
struct MountAttributes {
    uint64_t set = 0;
    uint64_t clear = 0;
    uint64_t propagation = 0;
    uint64_t user_namespace = 0;
};
constexpr uint64_t read_only = 0x1;
constexpr uint64_t no_suid = 0x2;
constexpr uint64_t no_devices = 0x4;
constexpr unsigned clone_tree = 0x1;
constexpr unsigned from_the_file = 0x4;
constexpr unsigned recursive = 0x8000;
constexpr unsigned empty_path = 0x1000;

constexpr size_t longest_path = 4096;

// One that does not exist needs no other in its place.
bool is_there(const char* path) {
    struct stat status = {};
    return stat(path, &status) == 0;
}

bool write_text(const char* path, const char* text) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const size_t size = strlen(text);
    const bool written = write(file, text, size) == static_cast<ssize_t>(size);
    const int why = errno;
    close(file);
    errno = why;
    return written;
}

// The user keeps its number, and no other exists in there.
bool map_user(uid_t user, gid_t group) {
    char text[64];
    snprintf(text, sizeof text, "%u %u 1", user, user);
    if (!write_text("/proc/self/setgroups", "deny") || !write_text("/proc/self/uid_map", text)) {
        return false;
    }
    snprintf(text, sizeof text, "%u %u 1", group, group);
    return write_text("/proc/self/gid_map", text);
}

// A copy of the mounts at a directory, which has no place yet.
int copy_of(const char* directory) {
    return static_cast<int>(syscall(SYS_open_tree, AT_FDCWD, directory,
                                    clone_tree | recursive | static_cast<unsigned>(O_CLOEXEC)));
}

bool set_attributes(int file, const char* path, unsigned flags, uint64_t attributes) {
    const MountAttributes wanted{attributes, 0, 0, 0};
    return syscall(SYS_mount_setattr, file, path, flags, &wanted, sizeof wanted) == 0;
}

// Makes the directory and those above it. Only an empty place lacks them.
void make_directories(const char* path) {
    char part[longest_path];
    const mode_t of_task = umask(0022);  // Its user must come through, whatever its umask is.
    const size_t size = strnlen(path, sizeof part - 1);
    for (size_t at = 1; at <= size; ++at) {
        if (at == size || path[at] == '/') {
            memcpy(part, path, at);
            part[at] = 0;
            mkdir(part, 0755);
        }
    }
    umask(of_task);
}

bool put(int copy, const char* directory) {
    make_directories(directory);
    return syscall(SYS_move_mount, copy, "", AT_FDCWD, directory, from_the_file) == 0;
}

// The kernel counts these files as memory of the task.
bool make_empty(const char* directory, const char* options) {
    return !is_there(directory) ||
           mount("tmpfs", directory, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
}

bool arrange_files(const char* own, const char* shown, const char*& step) {
    const char* const scratch = "mode=1777,size=64m,nr_inodes=16k";
    step = "mounts of its own cannot be made";
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
        return false;
    }
    step = "its directory cannot be mounted (Linux 5.12 or later is needed)";
    const int own_copy = copy_of(own);
    if (own_copy < 0 ||
        !set_attributes(own_copy, "", empty_path | recursive, no_suid | no_devices)) {
        return false;
    }
    const int shown_copy = is_there(shown) ? copy_of(shown) : -1;
    if (shown_copy >= 0 && !set_attributes(shown_copy, "", empty_path | recursive, read_only)) {
        return false;
    }
    step = "the host's files cannot be made read-only";
    if (!set_attributes(AT_FDCWD, "/", recursive, read_only | no_suid)) {
        return false;
    }
    step = "an own /tmp cannot be mounted";
    if (!make_empty("/tmp", scratch) || !make_empty("/var/tmp", scratch) ||
        !make_empty("/dev/shm", scratch) || !make_empty("/run", "mode=755,size=64k")) {
        return false;
    }
    step = "its directory cannot be put in its place";
    if (!put(own_copy, own) || (shown_copy >= 0 && !put(shown_copy, shown))) {
        return false;
    }
    return !is_there("/run") || set_attributes(AT_FDCWD, "/run", 0, read_only);
}

}  // namespace

bool enter_sandbox(SandboxMethod method, const char* own, const char* shown, const char*& step) {
    if (method == SandboxMethod::none) {
        return true;
    }
    if (method == SandboxMethod::landlock) {
        return enter_landlock(own, shown, step);
    }
    const bool as_user = method == SandboxMethod::user_namespaces;
    const uid_t user = geteuid();
    const gid_t group = getegid();
    step = "namespaces cannot be made";
    if (unshare(CLONE_NEWNS | CLONE_NEWNET | (as_user ? CLONE_NEWUSER : 0)) != 0) {
        return false;
    }
    step = "the user cannot be kept in a user namespace";
    return (!as_user || map_user(user, group)) && arrange_files(own, shown, step);
}

}  // namespace muster::shim
