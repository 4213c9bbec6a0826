#include "agent/shim/tree.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/shim/system.hpp"

namespace muster::shim {

namespace {

// For one reading of the children. If there are more, the caller reads again.
constexpr size_t read_bytes = 4096;

// Reads a small file and appends a zero byte. Returns its size. 0: it cannot be read.
size_t read_file(const char* path, char* into, size_t capacity) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return 0;
    }
    const ssize_t count = read(file, into, capacity - 1);
    close(file);
    const size_t size = count > 0 ? static_cast<size_t>(count) : 0;
    into[size] = 0;
    return size;
}

// The end of the buffer may cut a number in two. So only numbers before a blank count.
void kill_children() {
    char path[64];
    char text[read_bytes];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", static_cast<int>(getpid()));
    read_file(path, text, sizeof text);
    char* end = nullptr;
    for (char* at = text; *at != 0; at = end) {
        const long pid = strtol(at, &end, 10);
        if (end == at || *end != ' ') {
            return;
        }
        ++end;
        kill(static_cast<pid_t>(pid), SIGKILL);
    }
}

}  // namespace

// Through the open directory: a buffer for the whole path would be one more page of each child.
bool write_to_cgroup(const char* directory, const char* name, char value) {
    int opened = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) {
        return false;
    }
    int file = openat(opened, name, O_WRONLY | O_CLOEXEC);
    const bool written = file >= 0 && write(file, &value, 1) == 1;
    const int why = errno;
    close_file(file);
    close_file(opened);
    errno = why;
    return written;
}

void kill_tree(const Order& order, pid_t leader) {
    Reader reader = order.fields();
    for (Field field; reader.next(field);) {
        if (field.tag == Tag::cgroup) {
            write_to_cgroup(field.text(), "cgroup.kill", '1');  // Only version 2 has it.
        }
    }
    if (leader > 0) {
        kill(-leader, SIGKILL);
    }
    kill_children();
}

uint64_t start_ticks_of(pid_t pid) {
    char path[64];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
    read_file(path, text, sizeof text);
    // The name is in brackets and may contain blanks and brackets. The state is field 3.
    const char* at = strrchr(text, ')');
    for (int field = 2; at != nullptr && field < 22; ++field) {
        at = strchr(at + 1, ' ');
    }
    return at != nullptr ? strtoull(at, nullptr, 10) : 0;
}

void remove_cgroups(const Order& order) {
    Reader reader = order.fields();
    for (Field field; reader.next(field);) {
        if (field.tag == Tag::cgroup) {
            rmdir(field.text());
        }
    }
}

}  // namespace muster::shim
