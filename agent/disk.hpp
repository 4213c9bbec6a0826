#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include "agent/core/agent.hpp"
#include "agent/journal_file.hpp"
#include "agent/state_directory.hpp"
#include "common/file_descriptor.hpp"

namespace muster {

/// Writes what the core puts out, on a thread of its own: a disk that hangs keeps no poll waiting.
///
/// Writes are done in their order, and answered in it. The files belong to the thread until the
/// end.
class Disk {
public:
    Disk(StateDirectory& state, JournalFile& journal);
    /// Waits for what is being written.
    ~Disk();
    Disk(const Disk&) = delete;
    Disk& operator=(const Disk&) = delete;

    void write(AgentMemory memory);
    void write(JournalWrite changes);

    /// Readable when collect() has something.
    [[nodiscard]] int fd() const { return news_.get(); }
    /// Of each write that ended, what the core is to be told.
    [[nodiscard]] std::vector<AgentInput> collect();

private:
    using Job = std::variant<AgentMemory, JournalWrite>;

    void submit(Job job);
    void write_until_stopped();
    [[nodiscard]] AgentInput carry_out(const Job& job);

    StateDirectory& state_;
    JournalFile& journal_;
    FileDescriptor news_;  // eventfd.
    std::mutex mutex_;
    std::condition_variable work_;
    std::vector<Job> jobs_;
    std::vector<AgentInput> done_;
    bool is_stopping_ = false;
    std::thread thread_;  // Last: it uses what is above.
};

}  // namespace muster
