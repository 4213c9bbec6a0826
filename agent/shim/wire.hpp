#pragma once

#include <stddef.h>
#include <stdint.h>

/// What an agent and a shim say to each other over a SOCK_SEQPACKET socket of the host, a message a
/// packet:
///
///     version (2 bytes)  kind (2)  then fields: tag (2)  nothing (2)  size (4)  bytes
///
/// in the byte order of the host. Numbers have 8 bytes. Texts end with a zero byte, which is
/// counted. A tag may stand several times. Who does not know a tag passes over it, and what is not
/// there has its default, so agents and shims of different versions understand each other: a shim
/// outlives many agents. What must not be passed over gets a new version.
///
/// Shared by both sides, so without the standard library of C++.
namespace muster::shim {

inline constexpr uint16_t wire_version = 1;
/// Of one message: a spec's texts, what env files add, and what the agent wants to get back.
inline constexpr size_t message_bytes = 192 * 1024;

enum class Kind : uint16_t {
    // From the agent.
    order = 1,    ///< Once, the first on the link the shim is born with: what to run, and how.
    stop = 2,     ///< The stop signal now, SIGKILL to the whole tree after the grace.
    signal = 3,   ///< A signal to the task's process group.
    lease = 4,    ///< An exclusive task may run until then.
    release = 5,  ///< Its end was noted: the shim may go.
    // From the shim: its whole state, when it changes and to whoever connects.
    state = 64,
};

enum class Tag : uint16_t {
    process = 1,  ///< The agent's number of it.
    record = 2,   ///< What the agent wants to get back when it connects anew. Bytes.

    // Of an order.
    argument = 3,   ///< Of the program, the first is its name. Texts.
    variable = 4,   ///< NAME=value. Texts.
    program = 5,    ///< Path.
    directory = 6,  ///< Where it runs.
    user = 7,       ///< Numbers of user and group; not there: the shim's own.
    group = 8,
    other_group = 9,  ///< Supplementary; any number of them.
    umask = 10,
    nice = 11,              ///< Plus 20.
    rlimit = 12,            ///< Three numbers: resource, soft, hard.
    cgroup = 13,            ///< Directory to run in; one of version 2 is killed as a whole. Texts.
    log_name = 14,          ///< Files are this with .out and .err, in the log directory.
    log_bytes = 15,         ///< Of one stream, in two files.
    log_age_ms = 16,        ///< What is older goes. 0: nothing.
    start_timeout_ms = 17,  ///< For pre_start and exec. 0: none.
    pre_start = 18,         ///< Arguments of a command. Texts.
    post_stop = 19,
    post_stop_ms = 20,   ///< How long the second may take.
    lease_ns = 21,       ///< Boot time at which an exclusive task is stopped. 0: none.
    signal_number = 22,  ///< Of order (at the end of the lease), stop and signal.
    grace_ms = 23,       ///< Likewise.

    // Of a state.
    phase = 32,
    is_stopping = 33,
    pid = 34,
    start_ticks = 35,  ///< With the pid: field 22 of /proc/PID/stat. Together they name a process.
    started_ms = 36,   ///< Civil time.
    stage = 37,        ///< What failed before the program ran, with the error number below.
    error_number = 38,
    exit_code = 39,  ///< Of the program, or of the command of that stage.
    exit_signal = 40,
    ended_ms = 41,       ///< Civil time.
    cpu_us = 42,         ///< Of the whole tree.
    max_rss_kb = 43,     ///< Of its largest process.
    dropped_bytes = 44,  ///< Of its output: the disk did not take them.
    is_recorded = 45,    ///< Its end is on disk.
    lease_over = 46,     ///< It was stopped because its lease ended.
};

enum class Phase : uint8_t {
    waiting = 0,   ///< For its order.
    starting = 1,  ///< The pre_start command runs, or the program is being executed.
    running = 2,
    leaving = 3,  ///< The program is gone; its tree is ended, then the post_stop command runs.
    ended = 4,    ///< All is gone.
};

/// What a start can fail at.
enum class Stage : uint8_t {
    none = 0,
    order = 1,  ///< It made no sense.
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
};

/// Writes a message into a buffer. What does not fit is said by fits().
class Writer {
public:
    Writer(char* buffer, size_t capacity, Kind kind);

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

    /// The index-th of its numbers; 0 if it has none.
    [[nodiscard]] uint64_t number(size_t index = 0) const;
    /// Empty unless it ends with its only zero byte.
    [[nodiscard]] const char* text() const;
};

/// Reads the fields of a message, one after the other.
class Reader {
public:
    Reader(const char* data, size_t size);

    /// A message whose fields are all whole.
    [[nodiscard]] bool is_sound() const { return is_sound_; }
    [[nodiscard]] uint16_t version() const { return version_; }
    [[nodiscard]] Kind kind() const { return kind_; }
    /// False: there is none left.
    bool next(Field& field);

private:
    const char* rest_;
    size_t left_;
    uint16_t version_ = 0;
    Kind kind_{};
    bool is_sound_ = false;
};

}  // namespace muster::shim
