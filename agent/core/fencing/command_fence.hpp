#pragma once

#include <optional>

#include "agent/core/io.hpp"
#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// Whom the agent obeys, and which of their commands.
///
///     cluster      ours, or any while we belong to none
///     epoch        not below the highest we ever answered or obeyed; of one epoch, one leader
///     incarnation  ours
///     sequence     above the highest obeyed, and above `issued` of the last poll
///
/// What a message raises must be on disk before the message has an answer or an effect.
///
/// A coordinator that is behind us, or of another cluster, gets reports, so that it can count what
/// runs here; it cannot change anything, and nothing of it is remembered.
///
/// Owned by Agent.
class CommandFence {
public:
    explicit CommandFence(const AgentMemory& memory) : memory_{memory} {}

    [[nodiscard]] const AgentMemory& memory() const { return memory_; }
    /// It is on disk now.
    void on_persisted(const AgentMemory& memory);

    /// Whether one who leads so is to be obeyed.
    [[nodiscard]] Result<void> judge(ClusterId cluster, Epoch epoch, LeaderId leader) const;
    [[nodiscard]] Result<void> judge(const Batch& batch) const;

    /// What must be on disk before this poll of this leader is answered; nothing: all of it is.
    [[nodiscard]] std::optional<AgentMemory> must_persist(const Welcome& leader,
                                                          const Poll& poll) const;
    [[nodiscard]] std::optional<AgentMemory> must_persist(const Batch& batch) const;
    [[nodiscard]] std::optional<AgentMemory> must_persist(const Refused& refused) const;

    /// Commands up to `issued` of this poll are too late from now on.
    void answered(const Poll& poll);
    /// True if the batch is new, which it is once.
    [[nodiscard]] bool obey(const Batch& batch);
    [[nodiscard]] Sequence obeyed(Epoch epoch) const {
        return epoch == sequences_of_ ? obeyed_ : Sequence{};
    }

private:
    [[nodiscard]] bool is_new(const Batch& batch) const;
    void count_sequences_of(Epoch epoch);

    AgentMemory memory_;
    Epoch sequences_of_{};  // The epoch that both numbers below belong to.
    Sequence obeyed_{};
    Sequence closed_{};
};

}  // namespace muster::agent
