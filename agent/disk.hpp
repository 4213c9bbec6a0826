#pragma once

#include <variant>
#include <vector>

#include "agent/storage/journal_file.hpp"
#include "agent/storage/state_directory.hpp"
#include "agent/worker.hpp"

namespace muster::agent {

/// Writes what the core puts out, each in its turn. The files belong to its thread until the end.
class Disk {
public:
    Disk(StateDirectory& state, JournalFile& journal)
        : state_{state}, journal_{journal}, worker_{[this](const Job& job) {
              return carry_out(job);
          }} {}

    void write(AgentMemory memory) { worker_.submit(memory); }
    void write(JournalWrite changes) { worker_.submit(std::move(changes)); }
    /// How much room there is, unless that is being looked for already. Answered by DiskObserved.
    void look();

    /// Readable when collect() has something.
    [[nodiscard]] int fd() const { return worker_.fd(); }
    /// Of each write that ended, what the core is to be told.
    [[nodiscard]] std::vector<AgentInput> collect();

private:
    struct Look {};
    using Job = std::variant<AgentMemory, JournalWrite, Look>;

    [[nodiscard]] AgentInput carry_out(const Job& job);

    StateDirectory& state_;
    JournalFile& journal_;
    bool is_looking_ = false;         // Of the owner's thread.
    Worker<Job, AgentInput> worker_;  // Last: it uses what is above.
};

}  // namespace muster::agent
