#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

namespace muster::shim {

/// The text from this offset to the next moment was written at this time or later.
struct Moment {
    uint64_t civil_ms;
    uint64_t offset;
};
/// The text after a moment was written at most this long after it.
constexpr uint64_t moments_apart_ms = 10000;

/// One stream of a task on disk, bounded:
///
///     NAME        the latest text, at most half of the bound
///     NAME.1      the text before it, at most half of the bound
///     NAME.times  moments for NAME, so that a reader finds recent text; likewise NAME.1.times
///
/// A file is rotated when it is full, or when it is older than half of `age_ms` (0: no limit). It
/// ends with a whole line if possible. Anything else with the name of a file is removed.
///
/// Blocks as long as the disk does. Owned by the thread that writes.
class LogFile {
public:
    /// `directory` stays open, and `name` stays valid.
    LogFile(int directory, const char* name, const char* kind, uint64_t bytes, uint64_t age_ms);
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    /// Writes as much as fits into one file. Returns the number of bytes, or -1 with errno.
    ssize_t write(const char* data, size_t size, uint64_t now_ms);

    /// Rotates a file that is too old.
    void age(uint64_t now_ms);
    /// How long until the next call of age(). -1: never.
    [[nodiscard]] int64_t due_in_ms(uint64_t now_ms) const;

private:
    bool open(uint64_t now_ms);
    int open_regular(const char* name) const;
    bool rotate();
    // If the clock was set back, a file must not be kept forever.
    void notice_clock(uint64_t now_ms) { began_ms_ = began_ms_ < now_ms ? began_ms_ : now_ms; }
    void note_time(uint64_t now_ms);
    [[nodiscard]] bool is_full() const;

    int directory_;
    char name_[160];   // The longest instance name has 74 bytes.
    char first_[160];  // NAME.1
    char times_[160];
    char first_times_[160];
    uint64_t half_;
    uint64_t age_ms_;
    int file_ = -1;
    int index_ = -1;
    uint64_t bytes_ = 0;
    uint64_t index_bytes_ = 0;
    uint64_t began_ms_ = 0;
    uint64_t noted_ms_ = 0;
    uint64_t noted_at_ = 0;
};

}  // namespace muster::shim
