#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/shim/sandbox.hpp"

// Both libraries of C lack the numbers of at least one of these calls.
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif

namespace muster::shim {

namespace {

// ---- files: as in linux/landlock.h, which the small C library does not have ----

struct Ruleset {
    uint64_t files = 0;
    uint64_t network = 0;
    uint64_t scoped = 0;
};
struct __attribute__((packed)) PathRule {
    uint64_t allowed = 0;
    int32_t file = -1;
};
constexpr int path_rule = 1;
constexpr uint32_t ask_version = 1;
constexpr uint64_t may_execute = 1U << 0U;
constexpr uint64_t may_write = 1U << 1U;
constexpr uint64_t may_read = 1U << 2U;
constexpr uint64_t may_list = 1U << 3U;
constexpr uint64_t may_make_devices = (1U << 6U) | (1U << 11U);
constexpr uint64_t may_move = 1U << 13U;
constexpr uint64_t may_truncate = 1U << 14U;
constexpr uint64_t of_first_version = (1U << 13U) - 1;
constexpr uint64_t reading = may_execute | may_read | may_list;
constexpr uint64_t of_files = may_execute | may_write | may_read | may_truncate;
constexpr uint64_t abstract_sockets_and_signals = 3;
constexpr long with_truncate = 3;  // The first version that guards the sizes of files.
constexpr long with_scopes = 6;

// A path that does not exist needs no rule.
bool allow(int rules, int directory, const char* path, uint64_t what) {
    const int file = openat(directory, path, O_PATH | O_CLOEXEC);
    if (file < 0) {
        return errno == ENOENT || errno == EACCES;
    }
    struct stat status = {};
    const bool is_directory = fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
    const PathRule rule{is_directory ? what : what & of_files, file};
    const bool added =
        rule.allowed == 0 || syscall(SYS_landlock_add_rule, rules, path_rule, &rule, 0U) == 0;
    const int why = errno;
    close(file);
    errno = why;
    return added;
}

bool is_one_of(const char* name, const char* const* names) {
    while (*names != nullptr) {
        if (strcmp(name, *names++) == 0) {
            return true;
        }
    }
    return false;
}

// Reading of everything in a directory but these names. A rule for the whole could not be undone.
bool allow_reading_but(int rules, const char* path, const char* const* hidden) {
    DIR* const entries = opendir(path);
    if (entries == nullptr) {
        return false;
    }
    bool allowed = true;
    for (dirent* entry = readdir(entries); entry != nullptr && allowed; entry = readdir(entries)) {
        allowed = is_one_of(entry->d_name, hidden) ||
                  allow(rules, dirfd(entries), entry->d_name, reading);
    }
    const int why = errno;
    closedir(entries);
    errno = why;
    return allowed;
}

bool allow_all(int rules, uint64_t guarded, const char* own, const char* shown) {
    const char* const in_root[] = {".", "..", "tmp", "run", "var", nullptr};
    const char* const in_var[] = {".", "..", "tmp", "run", "lock", nullptr};
    if (!allow_reading_but(rules, "/", in_root) || !allow_reading_but(rules, "/var", in_var) ||
        !allow(rules, AT_FDCWD, own, guarded & ~may_make_devices) ||
        (*shown != 0 && !allow(rules, AT_FDCWD, shown, reading))) {
        return false;
    }
    const char* const devices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                   "/dev/random", "/dev/urandom", "/dev/tty"};
    for (const char* const device : devices) {
        if (!allow(rules, AT_FDCWD, device, may_write | may_read)) {
            return false;
        }
    }
    return true;
}

bool guard_files(const char* own, const char* shown) {
    const long version = syscall(SYS_landlock_create_ruleset, nullptr, size_t{0}, ask_version);
    if (version < with_truncate) {
        errno = version < 0 ? errno : ENOSYS;
        return false;
    }
    Ruleset guarded;
    guarded.files = of_first_version | may_move | may_truncate;
    guarded.scoped = version >= with_scopes ? abstract_sockets_and_signals : 0;
    const size_t size = version >= with_scopes ? sizeof guarded : sizeof guarded.files;
    const auto rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &guarded, size, 0U));
    if (rules < 0) {
        return false;
    }
    const bool enclosed = allow_all(rules, guarded.files, own, shown) &&
                          syscall(SYS_landlock_restrict_self, rules, 0U) == 0;
    const int why = errno;
    close(rules);
    errno = why;
    return enclosed;
}

// ---- network: as in linux/filter.h, linux/seccomp.h and linux/audit.h ----

struct Instruction {
    uint16_t code;
    uint8_t if_true;
    uint8_t if_false;
    uint32_t value;
};
struct Filter {
    uint16_t count;
    const Instruction* instructions;
};
constexpr uint16_t load = 0x20;
constexpr uint16_t jump_if_equal = 0x15;
constexpr uint16_t jump_if_at_least = 0x35;
constexpr uint16_t end_with = 0x06;
constexpr uint32_t allow_call = 0x7fff0000;
constexpr uint32_t fail_with = 0x00050000;  // Plus an error number.
constexpr uint32_t at_number = 0;           // In the data about a call.
constexpr uint32_t at_architecture = 4;
constexpr uint32_t at_first_argument = 16;
constexpr unsigned long filter_mode = 2;

#if defined(__x86_64__)
constexpr uint32_t architecture = 0xc000003e;
#elif defined(__aarch64__)
constexpr uint32_t architecture = 0xc00000b7;
#else
constexpr uint32_t architecture = 0;
#endif
// Calls with this bit have numbers of another table, on x86-64.
constexpr uint32_t other_table = 0x40000000;

// Only local sockets can be made. The ring of io_uring could make others past this filter.
bool guard_network() {
    if (architecture == 0) {
        errno = ENOSYS;
        return false;
    }
    constexpr uint32_t refuse = fail_with | EACCES;
    const Instruction instructions[] = {
        {load, 0, 0, at_architecture},
        {jump_if_equal, 0, 7, architecture},
        {load, 0, 0, at_number},
        {jump_if_at_least, 5, 0, other_table},
        {jump_if_equal, 4, 0, SYS_io_uring_setup},
        {jump_if_equal, 0, 2, SYS_socket},
        {load, 0, 0, at_first_argument},
        {jump_if_equal, 0, 1, AF_UNIX},
        {end_with, 0, 0, allow_call},
        {end_with, 0, 0, refuse},
    };
    const Filter filter{sizeof instructions / sizeof *instructions, instructions};
    return prctl(PR_SET_SECCOMP, filter_mode, &filter, 0, 0) == 0;
}

}  // namespace

bool enter_landlock(const char* own, const char* shown, const char*& step) {
    step = "it cannot promise to gain no privileges";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return false;
    }
    step = "Landlock (Linux 6.2 or later) cannot guard its files";
    if (!guard_files(own, shown)) {
        return false;
    }
    step = "seccomp cannot guard the network";
    return guard_network();
}

}  // namespace muster::shim
