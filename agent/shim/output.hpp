#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/shim/order.hpp"

namespace muster::shim {

class LogFile;

/// Bytes on their way from the thread that reads a task's output to the one that writes it. One
/// puts, one takes, without a lock, so that who is held up by the disk holds up nobody.
class Ring {
public:
    static constexpr size_t bytes = 1024 * 1024;

    /// A place to put up to `size` bytes; empty if there is none.
    char* room(size_t& size);
    void put(size_t size);
    /// What can be taken.
    const char* content(size_t& size) const;
    void taken(size_t size);
    [[nodiscard]] size_t filled() const;

    /// Makes its memory; false: there is none. By who puts.
    bool make();
    /// Gives back what it no longer holds, when that is worth it. By who puts.
    void give_back();
    [[nodiscard]] bool is_worth_giving_back() const { return touched_ >= worth_giving_back; }

private:
    static constexpr size_t worth_giving_back = 16 * 1024;

    char* data_ = nullptr;
    size_t touched_ = 0;
    uint64_t put_ = 0;
    uint64_t taken_ = 0;
};

/// What a task writes, from its pipe to its file. It waits for the disk for `patience_ms` at most;
/// then what it writes is dropped and counted until the disk takes something again, and a line in
/// the file says how much that was.
struct Stream {
    static constexpr int64_t patience_ms = 20;

    int pipe = -1;  // Nothing is to be read from it any more: -1.
    bool is_enlarged = false;
    Ring ring;
    uint64_t dropped = 0;    // In all.
    uint64_t unsaid = 0;     // Of these, not yet said in the file.
    int64_t full_since = 0;  // Since when the ring is full; 0: it is not.
    bool is_dropping = false;
};

/// The output of a task: two streams, and the thread that writes them, which is made with the first
/// byte. All but the thread's own work is called by the thread that made it, and never waits.
class Outputs {
public:
    /// `directory` is that of the logs, `ends` that of the end records.
    void open(const Order& order, int directory, int ends);

    /// Makes the pipes and returns the ends that the task writes to.
    bool make_pipes(int& out, int& err);
    [[nodiscard]] Stream& stream(size_t index) { return streams_[index]; }
    /// Takes what a stream has. Called when its pipe is readable, or drained() says so.
    void pump(size_t index, int64_t now_ms);
    /// Whether the pipe of a stream is to be watched; if not, until when it waits (0: for ever).
    [[nodiscard]] bool is_watched(size_t index, int64_t now_ms, int64_t& until_ms) const;
    /// Gives back memory that was used and is not any more, when it is due (0: never).
    void give_back(int64_t now_ms);
    [[nodiscard]] int64_t give_back_due() const { return give_back_due_; }
    /// The task is gone: closes each pipe that has nothing more, or all of them `at_once`. True:
    /// none is left.
    bool close_pipes(int64_t now_ms, bool at_once);

    /// Has the thread write this as the end record, after all output. The bytes stay.
    void record(const char* bytes, size_t size);
    [[nodiscard]] bool is_recorded() const;
    /// Whoever ordered the task knows how it ended. The thread does nothing more.
    void remove_record() const;
    /// All that there is to write was written, or given up because the disk refuses it.
    [[nodiscard]] bool is_done() const;

    /// When that is so: waits for the thread, which does nothing more.
    void join();

    /// Readable when the thread made progress that was waited for.
    [[nodiscard]] int progress() const { return progress_; }
    void note_progress();

    /// Bytes that no file has, and none will.
    [[nodiscard]] uint64_t dropped() const;

private:
    static void* write_all(void* of);
    bool start_thread();
    void wake_thread() const;
    bool write_streams(LogFile* files);
    void say_last_dropped(LogFile* files);
    void write_record();
    void report_progress();

    const Order* order_ = nullptr;
    int directory_ = -1;
    int ends_ = -1;
    Stream streams_[2];
    int work_ = -1;      // eventfd: the thread has something to do.
    int progress_ = -1;  // eventfd: it did something that is waited for.
    bool has_thread_ = false;
    bool is_closed_ = false;  // Nothing more comes. Read by the thread.
    bool wants_progress_ = false;
    int64_t give_back_due_ = 0;
    const char* record_ = nullptr;
    size_t record_size_ = 0;
    bool is_recorded_ = false;
    bool is_done_ = false;
    pthread_t thread_{};
};

}  // namespace muster::shim
