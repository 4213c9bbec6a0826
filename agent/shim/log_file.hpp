#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

namespace muster::shim {

/// From here on the text was written at this time or later, until the next of them.
struct Moment {
    uint64_t civil_ms;
    uint64_t offset;
};
/// What follows a moment was written no later than so long after it.
constexpr uint64_t moments_apart_ms = 10000;

/// One stream of a task on disk, bounded:
///
///     NAME        what was written last, at most half of the bound
///     NAME.1      what was written before, likewise
///     NAME.times  for NAME, and NAME.1.times: moments, so that a reader finds what is younger
///
/// A file begins anew when it is full, or older than half the age, if an age is given; where it can
/// it ends with a line. Whatever else stands in the place of a file is removed.
///
/// Blocks for as long as the disk does. Owned by the thread that writes.
class LogFile {
public:
    /// `directory` stays open; `name` stays where it is.
    LogFile(int directory, const char* name, const char* kind, uint64_t bytes, uint64_t age_ms);
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    /// Writes as much as one file takes at once; returns how much, or -1 with errno.
    ssize_t write(const char* data, size_t size, uint64_t now_ms);

    /// Lets go what is too old.
    void age(uint64_t now_ms);
    /// How long until age() is to be called; -1: never.
    [[nodiscard]] int64_t due_in_ms(uint64_t now_ms) const;

private:
    bool open(uint64_t now_ms);
    int open_regular(const char* name) const;
    bool rotate();
    // One that was set back may not keep a file for ever.
    void notice_clock(uint64_t now_ms) { began_ms_ = began_ms_ < now_ms ? began_ms_ : now_ms; }
    void note_time(uint64_t now_ms);
    [[nodiscard]] bool is_full() const;

    int directory_;
    char name_[160];   // The longest name of an instance has 74 bytes.
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
