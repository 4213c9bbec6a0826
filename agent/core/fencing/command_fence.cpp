#include "agent/core/fencing/command_fence.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "common/base/ensure.hpp"

namespace muster::agent {

void CommandFence::on_persisted(const AgentMemory& memory) {
    ensure(memory.epoch >= memory_.epoch && memory.counter >= memory_.counter &&
               memory.incarnation >= memory_.incarnation,
           "the persisted memory never goes back");
    if (memory.incarnation != memory_.incarnation) {
        obeyed_ = closed_ = Sequence{};  // Sequence numbers count per life.
    }
    memory_ = memory;
}

Result<void> CommandFence::judge(ClusterId cluster, Epoch epoch, LeaderId leader) const {
    if (!memory_.cluster.is_none() && cluster != memory_.cluster) {
        return fail(Errc::foreign_cluster, "this agent belongs to cluster " +
                                               to_string(memory_.cluster) + ", not to " +
                                               to_string(cluster));
    }
    if (epoch < memory_.epoch) {
        return fail(Errc::stale_epoch, "epoch " + std::to_string(raw(epoch)) +
                                           " is over, this agent obeyed epoch " +
                                           std::to_string(raw(memory_.epoch)));
    }
    if (epoch == memory_.epoch && leader != memory_.leader) {
        return fail(Errc::stale_epoch,
                    "epoch " + std::to_string(raw(epoch)) + " belongs to another leader");
    }
    return {};
}

Result<void> CommandFence::judge(const Batch& batch) const {
    if (batch.incarnation != memory_.incarnation) {
        return fail(Errc::stale_incarnation,
                    "this agent is in incarnation " + std::to_string(raw(memory_.incarnation)));
    }
    return judge(batch.cluster, batch.epoch, batch.leader);
}

std::optional<AgentMemory> CommandFence::must_persist(const Welcome& leader,
                                                      const Poll& poll) const {
    if (poll.epoch <= memory_.epoch || !judge(leader.cluster, leader.epoch, leader.leader)) {
        return std::nullopt;
    }
    AgentMemory raised = memory_;
    raised.epoch = leader.epoch;
    raised.leader = leader.leader;
    return raised;
}

std::optional<AgentMemory> CommandFence::must_persist(const Batch& batch) const {
    if (!judge(batch) || !is_new(batch)) {
        return std::nullopt;
    }
    AgentMemory raised = memory_;
    raised.cluster = batch.cluster;
    raised.epoch = batch.epoch;
    raised.leader = batch.leader;
    raised.counter = std::max(raised.counter, batch.counter);
    if (raised == memory_) {
        return std::nullopt;
    }
    return raised;
}

std::optional<AgentMemory> CommandFence::must_persist(const Refused& refused) const {
    const bool raises = refused.code == Errc::stale_incarnation &&
                        refused.known >= memory_.incarnation &&
                        raw(refused.known) < std::numeric_limits<std::uint64_t>::max();
    if (!raises) {
        return std::nullopt;
    }
    AgentMemory raised = memory_;
    raised.incarnation = next(refused.known);
    return raised;
}

void CommandFence::answered(const Poll& poll) {
    ensure(poll.epoch == memory_.epoch, "an epoch is persisted before it is answered");
    count_sequences_of(poll.epoch);
    closed_ = std::max(closed_, poll.issued);
}

bool CommandFence::obey(const Batch& batch) {
    if (!is_new(batch)) {
        return false;
    }
    ensure(batch.epoch == memory_.epoch && batch.cluster == memory_.cluster,
           "a leader is persisted before it is obeyed");
    count_sequences_of(batch.epoch);
    obeyed_ = batch.sequence;
    return true;
}

bool CommandFence::is_new(const Batch& batch) const {
    return batch.epoch != sequences_of_ || batch.sequence > std::max(obeyed_, closed_);
}

void CommandFence::count_sequences_of(Epoch epoch) {
    if (epoch != sequences_of_) {
        sequences_of_ = epoch;
        obeyed_ = closed_ = Sequence{};
    }
}

}  // namespace muster::agent
