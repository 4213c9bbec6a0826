#pragma once

#include <stddef.h>
#include <stdint.h>

/// The protocol between an agent and a shim over a SOCK_SEQPACKET socket of the host, one message
/// per packet:
///
///     version (2 bytes)  kind (2)  then fields: tag (2)  nothing (2)  size (4)  bytes
///
/// in the byte order of the host. Numbers have 8 bytes. Texts end with a zero byte, which is
/// counted. A tag may occur several times. A reader skips unknown tags, and a missing field has its
/// default. So agents and shims of different versions understand each other, as a shim outlives
/// many agents. A field that must not be skipped needs a new version.
///
/// Both sides share this file, so it does not use the C++ standard library.
namespace muster::shim {

inline constexpr uint16_t wire_version = 1;
/// Of an order with a sandbox. An older shim would start the task without one.
inline constexpr uint16_t wire_version_of_sandbox = 2;
/// Of one message: the texts of a spec, the variables of env files, and the agent's record.
inline constexpr size_t message_bytes = 192 * 1024;

enum class Kind : uint16_t {
    // From the agent.
    order = 1,    ///< The first message on the first link, once: what to run, and how.
    stop = 2,     ///< The stop signal now, SIGKILL to the whole tree after the grace.
    signal = 3,   ///< A signal to the task's process group.
    lease = 4,    ///< An exclusive task may run until then.
    release = 5,  ///< The agent has noted the end, so the shim may end.
    // From the shim: its whole state, after each change and to each new connection.
    state = 64,
};

enum class Tag : uint16_t {
    process = 1,  ///< The agent's number of the process.
    record = 2,   ///< Bytes that the agent gets back when it connects again.

    // Of an order.
    argument = 3,   ///< Of the program; the first is its name. Texts.
    variable = 4,   ///< NAME=value. Texts.
    program = 5,    ///< Path.
    directory = 6,  ///< The working directory.
    user = 7,       ///< Numbers of user and group. Missing: those of the shim.
    group = 8,
    other_group = 9,  ///< Supplementary groups, any number of them.
    umask = 10,
    nice = 11,              ///< Plus 20.
    rlimit = 12,            ///< Three numbers: resource, soft, hard.
    cgroup = 13,            ///< A directory to join. Version 2 is killed as a whole. Texts.
    log_name = 14,          ///< Its files add .out and .err, in the log directory.
    log_bytes = 15,         ///< Of one stream, in two files.
    log_age_ms = 16,        ///< Older output is deleted. 0: never.
    start_timeout_ms = 17,  ///< For pre_start and exec. 0: none.
    pre_start = 18,         ///< Arguments of a command. Texts.
    post_stop = 19,
    post_stop_ms = 20,   ///< How long post_stop may take.
    lease_ns = 21,       ///< Boot time at which an exclusive task is stopped. 0: none.
    signal_number = 22,  ///< Of order (for the end of the lease), stop and signal.
    grace_ms = 23,       ///< Likewise.
    sandbox = 24,        ///< The method (sandbox.hpp). Missing: there is no sandbox.
    sandbox_own = 25,    ///< The only directory of the host that the task may change.
    sandbox_shown = 26,  ///< A directory that stays visible, if it exists.

    // Of a state.
    phase = 32,
    is_stopping = 33,
    pid = 34,
    start_ticks = 35,  ///< Field 22 of /proc/PID/stat. Identifies a process together with the pid.
    started_ms = 36,   ///< Civil time.
    stage = 37,        ///< What failed before the program ran, with the error number below.
    error_number = 38,
    exit_code = 39,  ///< Of the program, or of the command at that stage.
    exit_signal = 40,
    ended_ms = 41,       ///< Civil time.
    cpu_us = 42,         ///< Of the whole tree.
    max_rss_kb = 43,     ///< Of its largest process.
    dropped_bytes = 44,  ///< Output that the disk did not accept.
    is_recorded = 45,    ///< Its end is on disk.
    lease_over = 46,     ///< It was stopped because its lease ended.
};

enum class Phase : uint8_t {
    waiting = 0,   ///< Waits for its order.
    starting = 1,  ///< The pre_start command runs, or the program is being executed.
    running = 2,
    leaving = 3,  ///< The program is gone. Its tree is killed, then post_stop runs.
    ended = 4,    ///< The whole tree is gone.
};

/// The stage at which a start failed.
enum class Stage : uint8_t {
    none = 0,
    order = 1,  ///< The order was not valid.
    fork = 2,
    cgroup = 3,
    directory = 4,
    rlimit = 5,
    nice = 6,
    groups = 7,
    user = 8,
    exec = 9,
    pre_start = 10,  ///< The command could not be executed, or did not end with 0.
    start_timeout = 11,
    lease = 12,  ///< It had passed before the program could begin.
    privileges = 13,
    sandbox = 14,
};

/// Writes a message into a buffer. fits() says whether there was room for everything.
class Writer {
public:
    Writer(char* buffer, size_t capacity, Kind kind, uint16_t version = wire_version);

    void number(Tag tag, uint64_t value) { numbers(tag, &value, 1); }
    void numbers(Tag tag, const uint64_t* values, size_t count);
    void text(Tag tag, const char* text);
    void bytes(Tag tag, const char* data, size_t size);

    [[nodiscard]] bool fits() const { return fits_; }
    [[nodiscard]] const char* data() const { return buffer_; }
    [[nodiscard]] size_t size() const { return size_; }

private:
    char* take(size_t size);

    char* buffer_;
    size_t capacity_;
    size_t size_ = 0;
    bool fits_ = true;
};

struct Field {
    Tag tag{};
    const char* data = nullptr;
    uint32_t size = 0;

    /// The number at this index. 0: there is none.
    [[nodiscard]] uint64_t number(size_t index = 0) const;
    /// Empty unless its last byte is its only zero byte.
    [[nodiscard]] const char* text() const;
};

/// Reads the fields of a message, one after the other.
class Reader {
public:
    Reader(const char* data, size_t size);

    /// True if all fields of the message are whole.
    [[nodiscard]] bool is_sound() const { return is_sound_; }
    [[nodiscard]] uint16_t version() const { return version_; }
    [[nodiscard]] Kind kind() const { return kind_; }
    /// False: there are no more fields.
    bool next(Field& field);

private:
    const char* rest_;
    size_t left_;
    uint16_t version_ = 0;
    Kind kind_{};
    bool is_sound_ = false;
};

}  // namespace muster::shim
