#pragma once

#include <deque>
#include <optional>

#include "agent/core/fencing/write_watch.hpp"
#include "agent/core/io.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// The messages of coordinators, in their order. A message that raises the agent's memory has no
/// answer and no effect until the memory is on disk, and later messages wait. If the write fails,
/// the message is dropped as if the network had lost it.
///
/// After a failed write the agent writes its memory again, also without a message.
///
/// Owned by Agent.
class MessageGate {
public:
    /// Drops the message, as if the network had lost it, if too many messages wait.
    void on_message(const CoordinatorMessage& message);
    /// The next message to handle. Nothing: there is none, or it waits for the disk.
    [[nodiscard]] const CoordinatorMessage* next() const;
    [[nodiscard]] CoordinatorMessage take();
    /// The next message raised this memory, which is written now.
    void persist(Instant now, const AgentMemory& raised);
    /// True: after a failed write, this memory is written again now.
    [[nodiscard]] bool try_disk(Instant now, const AgentMemory& memory);

    /// Returns the memory that is on disk now.
    [[nodiscard]] AgentMemory on_persisted();
    void on_persist_failed(Instant now);
    [[nodiscard]] const WriteWatch& writes() const { return writes_; }

private:
    std::optional<AgentMemory> writing_;
    std::optional<CoordinatorMessage> held_;  // It raised the memory that is being written.
    std::deque<CoordinatorMessage> waiting_;
    WriteWatch writes_;
};

}  // namespace muster::agent
