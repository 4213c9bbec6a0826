#pragma once

#include <deque>
#include <optional>

#include "agent/core/fencing/write_watch.hpp"
#include "agent/core/io.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// The messages of coordinators, in their order. One that raises what this agent must persist has
/// neither an answer nor an effect before that is on disk, and those behind it wait. If it cannot
/// be written, it is as if that message had been lost.
///
/// A disk that failed is tried again with what it should hold, also without a message.
///
/// Owned by Agent.
class MessageGate {
public:
    /// Dropped, as if it had been lost, if too many wait.
    void on_message(const CoordinatorMessage& message);
    /// The message whose turn it is; nothing: there is none, or it has to wait.
    [[nodiscard]] const CoordinatorMessage* next() const;
    [[nodiscard]] CoordinatorMessage take();
    /// The message whose turn it is raised this memory, which is to be written now.
    void persist(Instant now, const AgentMemory& raised);
    /// True: a disk that failed is to be tried with this memory now.
    [[nodiscard]] bool try_disk(Instant now, const AgentMemory& memory);

    /// Gives what is on disk now.
    [[nodiscard]] AgentMemory on_persisted();
    void on_persist_failed(Instant now);
    [[nodiscard]] const WriteWatch& writes() const { return writes_; }

private:
    std::optional<AgentMemory> writing_;
    std::optional<CoordinatorMessage> held_;  // It raised what is being written.
    std::deque<CoordinatorMessage> waiting_;
    WriteWatch writes_;
};

}  // namespace muster::agent
