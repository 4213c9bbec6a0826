#include "agent/shim/log_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/shim/system.hpp"

namespace muster::shim {

namespace {

// The shortest time between two moments, so that a task with little output has few of them.
constexpr uint64_t between_moments_ms = 1000;
constexpr uint64_t worth_a_moment = 256;
// The index may have at most this fraction of the size of the file.
constexpr uint64_t index_part = 8;

size_t up_to_a_line(const char* data, size_t size) {
    const void* last = memrchr(data, '\n', size);
    return last == nullptr ? 0 : static_cast<size_t>(static_cast<const char*>(last) - data) + 1;
}

}  // namespace

LogFile::LogFile(int directory, const char* name, const char* kind, uint64_t bytes, uint64_t age_ms)
    : directory_{directory}, half_{bytes / 2}, age_ms_{age_ms} {
    snprintf(name_, sizeof name_, "%s%s", name, kind);
    snprintf(first_, sizeof first_, "%s%s.1", name, kind);
    snprintf(times_, sizeof times_, "%s%s.times", name, kind);
    snprintf(first_times_, sizeof first_times_, "%s%s.1.times", name, kind);
}

// Opens only a regular file in this directory. Opening a FIFO without O_NONBLOCK would block.
int LogFile::open_regular(const char* name) const {
    const int flags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    struct stat status = {};
    if (fstatat(directory_, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(status.st_mode)) {
        unlinkat(directory_, name, S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0);
    }
    return openat(directory_, name, flags, 0600);
}

bool LogFile::open(uint64_t now_ms) {
    if (file_ >= 0) {
        return true;
    }
    file_ = open_regular(name_);
    index_ = file_ < 0 ? -1 : open_regular(times_);
    if (index_ < 0) {
        const int why = errno;
        close_file(file_);
        errno = why;
        return false;
    }
    struct stat status = {};
    bytes_ = fstat(file_, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
    index_bytes_ = fstat(index_, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
    Moment first = {now_ms, 0};
    static_cast<void>(!pread(index_, &first, sizeof first, 0));
    began_ms_ = first.civil_ms;
    notice_clock(now_ms);
    noted_ms_ = 0;
    return true;
}

bool LogFile::rotate() {
    close_file(file_);
    close_file(index_);
    bytes_ = 0;
    index_bytes_ = 0;
    // If there is no file yet, an older file must not stay.
    if (renameat(directory_, times_, directory_, first_times_) != 0) {
        unlinkat(directory_, first_times_, 0);
    }
    if (renameat(directory_, name_, directory_, first_) != 0) {
        unlinkat(directory_, first_, 0);
        return errno == ENOENT;
    }
    return true;
}

bool LogFile::is_full() const { return bytes_ >= half_ || index_bytes_ >= half_ / index_part; }

void LogFile::note_time(uint64_t now_ms) {
    const uint64_t since = now_ms < noted_ms_ ? moments_apart_ms : now_ms - noted_ms_;
    const bool is_due = since >= moments_apart_ms ||
                        (since >= between_moments_ms && bytes_ - noted_at_ >= worth_a_moment);
    if (!is_due && index_bytes_ > 0) {
        return;
    }
    const Moment moment = {now_ms, bytes_};
    if (::write(index_, &moment, sizeof moment) == sizeof moment) {
        index_bytes_ += sizeof moment;
        noted_ms_ = now_ms;
        noted_at_ = bytes_;
    }
}

ssize_t LogFile::write(const char* data, size_t size, uint64_t now_ms) {
    if (!open(now_ms)) {
        return -1;
    }
    const bool fits_no_line =
        bytes_ > 0 && size > half_ - bytes_ && up_to_a_line(data, half_ - bytes_) == 0;
    if ((is_full() || fits_no_line) && (!rotate() || !open(now_ms))) {
        return -1;
    }
    if (size > half_ - bytes_) {
        const size_t lines = up_to_a_line(data, half_ - bytes_);
        size = lines > 0 ? lines : half_ - bytes_;
    }
    notice_clock(now_ms);
    note_time(now_ms);
    const ssize_t count = ::write(file_, data, size);
    if (count > 0) {
        bytes_ += static_cast<uint64_t>(count);
    }
    return count;
}

void LogFile::age(uint64_t now_ms) {
    notice_clock(now_ms);
    if (due_in_ms(now_ms) == 0) {
        rotate();
        began_ms_ = now_ms;
    }
}

int64_t LogFile::due_in_ms(uint64_t now_ms) const {
    if (age_ms_ == 0 || began_ms_ == 0) {
        return -1;
    }
    const uint64_t due = began_ms_ + age_ms_ / 2;
    return due > now_ms ? static_cast<int64_t>(due - now_ms) : 0;
}

}  // namespace muster::shim
