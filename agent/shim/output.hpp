#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/shim/order.hpp"

namespace muster::shim {

class LogFile;

/// Bytes on their way from the thread that reads a task's output to the thread that writes it. One
/// thread puts, one takes. There is no lock, so a slow disk never stops the reader.
class Ring {
public:
    static constexpr size_t bytes = 1024 * 1024;

    /// Where up to `size` bytes can be put. `size` is 0 if the ring is full.
    char* room(size_t& size);
    void put(size_t size);
    /// The bytes that can be taken.
    const char* content(size_t& size) const;
    void taken(size_t size);
    [[nodiscard]] size_t filled() const;

    /// Allocates the memory. False: there is none. Called by the thread that puts.
    bool make();
    /// Releases unused memory when that is worthwhile. Called by the thread that puts.
    void give_back();
    [[nodiscard]] bool is_worth_giving_back() const { return touched_ >= worth_giving_back; }

private:
    static constexpr size_t worth_giving_back = 16 * 1024;

    char* data_ = nullptr;
    size_t touched_ = 0;
    uint64_t put_ = 0;
    uint64_t taken_ = 0;
};

/// One output stream of a task, from its pipe to its file. If the disk is slow, the task waits at
/// most `patience_ms`. Then its output is dropped and counted until the disk accepts writes again,
/// and a line in the file says how much was dropped.
struct Stream {
    static constexpr int64_t patience_ms = 20;

    int pipe = -1;  // -1: nothing more will be read.
    bool is_enlarged = false;
    Ring ring;
    uint64_t dropped = 0;    // In total.
    uint64_t unmarked = 0;   // Dropped bytes that have no mark in the file yet.
    int64_t full_since = 0;  // Since when the ring is full. 0: it is not full.
    bool is_dropping = false;
};

/// The output of a task: two streams, and the thread that writes them, which starts with the first
/// byte. All other functions are called by the thread that made this, and never block.
class Outputs {
public:
    /// `directory` holds the logs, `ends` the records of ends.
    void open(const Order& order, int directory, int ends);

    /// Creates the pipes and returns the write ends for the task.
    bool make_pipes(int& out, int& err);
    [[nodiscard]] Stream& stream(size_t index) { return streams_[index]; }
    /// Reads from a stream. Call it when the pipe is readable.
    void pump(size_t index, int64_t now_ms);
    /// Whether to watch the pipe of a stream. If not: until when it waits (0: forever).
    [[nodiscard]] bool is_watched(size_t index, int64_t now_ms, int64_t& until_ms) const;
    /// Releases unused memory when it is due (0: never).
    void give_back(int64_t now_ms);
    [[nodiscard]] int64_t give_back_due() const { return give_back_due_; }
    /// The task has ended: closes each empty pipe, or both pipes if `at_once`. True: no pipe is
    /// open.
    bool close_pipes(int64_t now_ms, bool at_once);

    /// The thread writes this as the end record, after all output. The bytes must stay valid.
    void record(const char* bytes, size_t size);
    [[nodiscard]] bool is_recorded() const;
    /// The agent knows how the task ended, so the record is not needed. The thread has finished.
    void remove_record() const;
    /// The thread has written everything, or has given up because the disk refuses.
    [[nodiscard]] bool is_done() const;

    /// Waits for the thread to end. Call it when is_done().
    void join();

    /// Readable when the thread made progress that was requested.
    [[nodiscard]] int progress() const { return progress_; }
    void note_progress();

    /// Bytes that are not in a file and never will be.
    [[nodiscard]] uint64_t dropped() const;

private:
    static void* write_all(void* of);
    bool start_thread();
    void wake_thread() const;
    bool write_streams(LogFile* files);
    void write_last_drop_marks(LogFile* files);
    void write_record();
    void report_progress();

    const Order* order_ = nullptr;
    int directory_ = -1;
    int ends_ = -1;
    Stream streams_[2];
    int work_ = -1;      // eventfd: the thread has work.
    int progress_ = -1;  // eventfd: requested progress was made.
    bool has_thread_ = false;
    bool is_closed_ = false;  // No more output comes. Read by the thread.
    bool wants_progress_ = false;
    int64_t give_back_due_ = 0;
    const char* record_ = nullptr;
    size_t record_size_ = 0;
    bool is_recorded_ = false;
    bool is_done_ = false;
    pthread_t thread_{};
};

}  // namespace muster::shim
