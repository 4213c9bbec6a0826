#include "agent/shim/output.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/shim/log_file.hpp"
#include "agent/shim/system.hpp"

namespace muster::shim {

namespace {

// A larger pipe would not stay in the processor's caches between writer and reader.
constexpr int pipe_bytes = 256 * 1024;
// The default size of a pipe. A task that fills it gets a larger one.
constexpr ssize_t small_pipe_bytes = 64 * 1024;
// The thread writes in parts, so that the ring can be filled meanwhile.
constexpr size_t write_bytes = 64 * 1024;
constexpr size_t mark_bytes = 128;
// Unused memory of a ring is released after this delay: to get it again costs a busy task more than
// to copy its output.
constexpr int64_t between_givings_ms = 1000;
// After a failed write the disk is tried again after this time.
constexpr int between_tries_ms = 1000;
constexpr const char* kinds[] = {".out", ".err"};

template <class T>
T seen(const T& value) {
    return __atomic_load_n(&value, __ATOMIC_ACQUIRE);
}

template <class T>
void show(T& value, T to) {
    __atomic_store_n(&value, to, __ATOMIC_RELEASE);
}

void name_record(char (&name)[32], uint64_t process, const char* suffix) {
    snprintf(name, sizeof name, "%llu%s", static_cast<unsigned long long>(process), suffix);
}

}  // namespace

// ---- the ring ----

bool Ring::make() {
    if (data_ == nullptr) {
        void* memory =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        data_ = memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
    }
    return data_ != nullptr;
}

char* Ring::room(size_t& size) {
    const size_t at = put_ % bytes;
    const size_t free = bytes - (put_ - seen(taken_));
    size = free < bytes - at ? free : bytes - at;
    return data_ + at;
}

void Ring::put(size_t size) {
    touched_ += size;
    show(put_, put_ + size);
}

const char* Ring::content(size_t& size) const {
    const size_t at = taken_ % bytes;
    const size_t filled = seen(put_) - taken_;
    size = filled < bytes - at ? filled : bytes - at;
    // The writer allocates the memory before its first put, so an empty ring must not be read.
    return size > 0 ? data_ + at : nullptr;
}

void Ring::taken(size_t size) { show(taken_, taken_ + size); }

size_t Ring::filled() const { return seen(put_) - seen(taken_); }

void Ring::give_back() {
    if (touched_ >= worth_giving_back && filled() == 0) {
        madvise(data_, bytes, MADV_DONTNEED);
        touched_ = 0;
    }
}

// ---- from the pipes into the rings ----

void Outputs::open(const Order& order, int directory, int ends) {
    order_ = &order;
    directory_ = directory;
    ends_ = ends;
    work_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    progress_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

bool Outputs::make_pipes(int& out, int& err) {
    int* const ends[2] = {&out, &err};
    for (size_t i = 0; i < 2; ++i) {
        int both[2];
        if (work_ < 0 || progress_ < 0 || pipe2(both, O_CLOEXEC) != 0) {
            return false;
        }
        streams_[i].pipe = both[0];
        *ends[i] = both[1];
        fcntl(both[0], F_SETFL, O_NONBLOCK);
    }
    return true;
}

bool Outputs::start_thread() {
    has_thread_ = has_thread_ || pthread_create(&thread_, nullptr, write_all, this) == 0;
    return has_thread_;
}

void Outputs::wake_thread() const { eventfd_write(work_, 1); }

namespace {

size_t write_mark(char (&mark)[mark_bytes], uint64_t dropped) {
    const int size = snprintf(mark, sizeof mark,
                              "\n[muster: %llu bytes were dropped here, the disk "
                              "did not take them]\n",
                              static_cast<unsigned long long>(dropped));
    return size > 0 ? static_cast<size_t>(size) : 0;
}

// Writes the mark for dropped bytes before the text that follows them.
void write_drop_mark(Stream& stream) {
    if (stream.unmarked == 0) {
        return;
    }
    char mark[mark_bytes];
    const size_t size = write_mark(mark, stream.unmarked);
    size_t room = 0;
    char* to = stream.ring.room(room);
    if (room >= size) {
        memcpy(to, mark, size);
        stream.ring.put(size);
        stream.unmarked = 0;
        stream.is_dropping = false;
    }
}

// Only a busy task needs it. If the kernel refuses, the pipe keeps its size.
void enlarge(Stream& stream) {
    if (!stream.is_enlarged) {
        stream.is_enlarged = true;
        fcntl(stream.pipe, F_SETPIPE_SZ, pipe_bytes);
    }
}

// False: the pipe is empty or closed.
bool read_into_ring(Stream& stream) {
    size_t room = 0;
    char* to = stream.ring.room(room);
    const ssize_t count = read(stream.pipe, to, room);
    if (count == 0) {
        close_file(stream.pipe);
    }
    if (count <= 0) {
        return false;
    }
    stream.ring.put(static_cast<size_t>(count));
    if (count >= small_pipe_bytes) {
        enlarge(stream);
    }
    return static_cast<size_t>(count) == room;
}

void drop(Stream& stream) {
    char nowhere[4096];
    ssize_t count = 0;
    // At most the size of a pipe, so that a task that floods cannot keep the shim here.
    for (int total = 0; total < pipe_bytes; total += static_cast<int>(count)) {
        count = read(stream.pipe, nowhere, sizeof nowhere);
        if (count <= 0) {
            break;
        }
        stream.dropped += static_cast<uint64_t>(count);
        stream.unmarked += static_cast<uint64_t>(count);
    }
    if (count == 0) {
        close_file(stream.pipe);
    }
}

bool has_room(Stream& stream) {
    size_t room = 0;
    static_cast<void>(stream.ring.room(room));
    return room > mark_bytes || (room > 0 && stream.unmarked == 0);
}

}  // namespace

void Outputs::pump(size_t index, int64_t now_ms) {
    Stream& stream = streams_[index];
    if (stream.pipe < 0) {
        return;
    }
    if (!stream.ring.make() || !start_thread()) {
        drop(stream);  // No memory: the task continues anyway.
        return;
    }
    size_t rounds = 0;
    bool has_more = true;
    while (has_more && rounds++ < 8 && has_room(stream)) {
        stream.full_since = 0;
        write_drop_mark(stream);
        has_more = stream.pipe >= 0 && read_into_ring(stream);
    }
    if (!has_room(stream) && stream.pipe >= 0) {
        enlarge(stream);
        stream.full_since = stream.full_since == 0 ? now_ms : stream.full_since;
        if (stream.is_dropping || now_ms - stream.full_since >= Stream::patience_ms) {
            stream.is_dropping = true;
            drop(stream);
        }
    }
    if (stream.full_since != 0) {
        show(wants_progress_, true);
    }
    if (give_back_due_ == 0 && stream.ring.is_worth_giving_back()) {
        give_back_due_ = now_ms + between_givings_ms;
    }
    wake_thread();
}

void Outputs::give_back(int64_t now_ms) {
    if (give_back_due_ == 0 || now_ms < give_back_due_) {
        return;
    }
    give_back_due_ = 0;
    for (auto& stream : streams_) {
        stream.ring.give_back();
        if (stream.ring.is_worth_giving_back()) {  // The disk has not taken everything.
            give_back_due_ = now_ms + between_givings_ms;
        }
    }
}

bool Outputs::is_watched(size_t index, int64_t now_ms, int64_t& until_ms) const {
    const Stream& stream = streams_[index];
    const bool waits = stream.full_since != 0 && !stream.is_dropping;
    until_ms = waits ? stream.full_since + Stream::patience_ms : 0;
    return stream.pipe >= 0 && (!waits || now_ms >= until_ms);
}

bool Outputs::close_pipes(int64_t now_ms, bool at_once) {
    bool is_closed = true;
    for (size_t i = 0; i < 2; ++i) {
        Stream& stream = streams_[i];
        pollfd readable = {stream.pipe, POLLIN, 0};
        if (stream.pipe >= 0 && poll(&readable, 1, 0) == 1 && stream.full_since == 0) {
            pump(i, now_ms);
        } else if (stream.pipe >= 0 && (readable.revents == 0 || at_once)) {
            close_file(stream.pipe);
        }
        is_closed = is_closed && stream.pipe < 0;
    }
    return is_closed;
}

void Outputs::record(const char* bytes, size_t size) {
    record_ = bytes;
    record_size_ = size;
    show(is_closed_, true);
    if (!start_thread()) {
        show(is_done_, true);
        eventfd_write(progress_, 1);
        return;
    }
    wake_thread();
}

void Outputs::remove_record() const {
    char name[32];
    name_record(name, order_->process, ".end");
    unlinkat(ends_, name, 0);
}

void Outputs::join() {
    if (has_thread_) {
        pthread_join(thread_, nullptr);
        has_thread_ = false;
    }
}

bool Outputs::is_recorded() const { return seen(is_recorded_); }

bool Outputs::is_done() const { return seen(is_done_); }

uint64_t Outputs::dropped() const {
    uint64_t bytes = 0;
    for (const auto& stream : streams_) {
        bytes += stream.dropped + (is_done() ? stream.ring.filled() : 0);
    }
    return bytes;
}

void Outputs::note_progress() {
    eventfd_t count = 0;
    eventfd_read(progress_, &count);
    if (streams_[0].full_since != 0 || streams_[1].full_since != 0) {
        // The progress may be of the other stream. Ask again before looking at the rings.
        show(wants_progress_, true);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
    for (auto& stream : streams_) {
        if (stream.full_since != 0 && has_room(stream)) {
            stream.full_since = 0;
            if (!is_closed_) {  // No output may follow for a long time. At the end the thread
                                // writes the mark.
                write_drop_mark(stream);
                wake_thread();
            }
        }
    }
}

// ---- from the rings to the disk: the thread ----

void Outputs::report_progress() {
    if (__atomic_exchange_n(&wants_progress_, false, __ATOMIC_ACQ_REL)) {
        eventfd_write(progress_, 1);
    }
}

// Alternates between the streams, so that neither starves. False: the disk refuses.
bool Outputs::write_streams(LogFile* files) {
    bool has_more = true;
    while (has_more) {
        has_more = false;
        for (size_t i = 0; i < 2; ++i) {
            size_t size = 0;
            const char* data = streams_[i].ring.content(size);
            if (size == 0) {
                continue;
            }
            const size_t part = size < write_bytes ? size : write_bytes;
            const ssize_t count = files[i].write(data, part, civil_ms());
            if (count <= 0) {
                return false;
            }
            streams_[i].ring.taken(static_cast<size_t>(count));
            report_progress();
            has_more = true;
        }
    }
    return true;
}

// No other thread uses the streams any more.
void Outputs::write_last_drop_marks(LogFile* files) {
    for (size_t i = 0; i < 2; ++i) {
        char mark[mark_bytes];
        if (streams_[i].unmarked > 0) {
            static_cast<void>(
                !files[i].write(mark, write_mark(mark, streams_[i].unmarked), civil_ms()));
        }
    }
}

// Written to a temporary file, synced and renamed; then the directory is synced.
void Outputs::write_record() {
    char name[32];
    char fresh[32];
    name_record(name, order_->process, ".end");
    name_record(fresh, order_->process, ".new");
    const int file = openat(ends_, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) {
        return;
    }
    const bool written =
        ::write(file, record_, record_size_) == static_cast<ssize_t>(record_size_) &&
        fsync(file) == 0;
    close(file);
    if (written && renameat(ends_, fresh, ends_, name) == 0 && fsync(ends_) == 0) {
        show(is_recorded_, true);
    } else {
        unlinkat(ends_, fresh, 0);
    }
}

void* Outputs::write_all(void* of) {
    auto& outputs = *static_cast<Outputs*>(of);
    const Order& order = *outputs.order_;
    LogFile files[2] = {
        {outputs.directory_, order.log_name, kinds[0], order.log_bytes, order.log_age_ms},
        {outputs.directory_, order.log_name, kinds[1], order.log_bytes, order.log_age_ms}};
    while (true) {
        const bool is_closed = seen(outputs.is_closed_);
        const bool written = outputs.write_streams(files);
        if (is_closed) {
            if (written) {
                outputs.write_last_drop_marks(files);
            }
            break;
        }
        outputs.report_progress();
        int64_t wait = written ? -1 : between_tries_ms;
        for (auto& file : files) {
            file.age(civil_ms());
            const int64_t due = file.due_in_ms(civil_ms());
            wait = due >= 0 && (wait < 0 || due < wait) ? due : wait;
        }
        pollfd work = {outputs.work_, POLLIN, 0};
        poll(&work, 1, wait > 86400000 ? 86400000 : static_cast<int>(wait));
        eventfd_t count = 0;
        eventfd_read(outputs.work_, &count);
        if (!written && !seen(outputs.is_closed_)) {
            poll(nullptr, 0, 10);  // New output must not retry a full disk at once.
        }
    }
    outputs.write_record();
    show(outputs.is_done_, true);
    eventfd_write(outputs.progress_, 1);
    return nullptr;
}

}  // namespace muster::shim
