#pragma once

#include <optional>

#include "agent/core/io.hpp"
#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// Which leaders the agent obeys, and which of their commands.
///
///     cluster      ours, or any while we belong to none
///     epoch        not below the highest we ever answered or obeyed; one leader per epoch
///     incarnation  ours
///     sequence     above the highest obeyed, and above `issued` of the last poll
///
/// If a message raises one of these values, the new value must be on disk before the message has an
/// answer or an effect.
///
/// A coordinator that has an older epoch or another cluster gets reports, so that it can count what
/// runs here. It cannot change anything, and the agent stores nothing from it.
///
/// Owned by Agent.
class CommandFence {
public:
    explicit CommandFence(const AgentMemory& memory) : memory_{memory} {}

    [[nodiscard]] const AgentMemory& memory() const { return memory_; }
    /// The memory is on disk now.
    void on_persisted(const AgentMemory& memory);

    /// Checks whether the agent obeys this leader.
    [[nodiscard]] Result<void> judge(ClusterId cluster, Epoch epoch, LeaderId leader) const;
    [[nodiscard]] Result<void> judge(const Batch& batch) const;

    /// The memory that must be on disk before the agent answers this poll. Nothing: it already is.
    [[nodiscard]] std::optional<AgentMemory> must_persist(const Welcome& leader,
                                                          const Poll& poll) const;
    [[nodiscard]] std::optional<AgentMemory> must_persist(const Batch& batch) const;
    [[nodiscard]] std::optional<AgentMemory> must_persist(const Refused& refused) const;

    /// The agent refuses commands up to `issued` of this poll from now on.
    void answered(const Poll& poll);
    /// True if the batch is new. A repeated batch is not.
    [[nodiscard]] bool obey(const Batch& batch);
    [[nodiscard]] Sequence obeyed(Epoch epoch) const {
        return epoch == sequences_of_ ? obeyed_ : Sequence{};
    }

private:
    [[nodiscard]] bool is_new(const Batch& batch) const;
    void count_sequences_of(Epoch epoch);

    AgentMemory memory_;
    Epoch sequences_of_{};  // The epoch of both numbers below.
    Sequence obeyed_{};
    Sequence closed_{};
};

}  // namespace muster::agent
